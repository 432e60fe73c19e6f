// The pipelines, strip by strip, and the clock of their phases.
#include "row_strips.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <stdexcept>

#include "strip_transfers.hpp"
#include "tilewright/imgops/gaussian.hpp"

namespace tilewright::baseline {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// The taps of a filter that works row by row and column by column.
struct Separable {
  cv::Mat x;
  cv::Mat y;

  [[nodiscard]] int halo() const { return static_cast<int>(y.total()) / 2; }
};

cv::Mat taps(double sigma, int order) {
  cv::Mat result;
  cv::Mat(gaussian_kernel(sigma, order)).convertTo(result, CV_32F);
  return result;
}

Separable gaussian(double sigma, int order_x, int order_y) {
  return {taps(sigma, order_x), taps(sigma, order_y)};
}

std::vector<Separable> second_derivatives(double sigma) {
  return {gaussian(sigma, 2, 0), gaussian(sigma, 1, 1), gaussian(sigma, 0, 2)};
}

/// A pipeline's filters, in the order in which they are used.
std::vector<Separable> filters_of(const Work& work) {
  std::vector<Separable> filters;
  switch (work.kind) {
    case Kind::derivative:
      return {gaussian(work.sigma, 1, 0)};
    case Kind::five_derivatives:
      filters = second_derivatives(work.sigma);
      filters.insert(filters.begin(), {gaussian(work.sigma, 1, 0), gaussian(work.sigma, 0, 1)});
      return filters;
    case Kind::thresholded_gradient:
      return {gaussian(work.sigma, 1, 0), gaussian(work.sigma, 0, 1)};
    case Kind::smoothing_chain:
      for (const double sigma : work.sigmas) filters.push_back(gaussian(sigma, 0, 0));
      return filters;
    case Kind::oriented_bank:
      for (const double sigma : work.sigmas) {
        for (Separable& filter : second_derivatives(sigma)) filters.push_back(std::move(filter));
      }
      return filters;
    case Kind::small_filter: {
      const cv::Mat smoothing = (cv::Mat_<float>(1, 3) << 0.25F, 0.5F, 0.25F);
      return std::vector<Separable>(static_cast<std::size_t>(work.iterations), {smoothing, smoothing});
    }
    case Kind::wide_and_tall: {
      const cv::Mat nothing = cv::Mat::ones(1, 1, CV_32F);
      for (const double sigma : work.sigmas) filters.push_back({taps(sigma, 0), nothing});
      for (const double sigma : work.sigmas) filters.push_back({nothing, taps(sigma, 0)});
      return filters;
    }
  }
  throw std::invalid_argument("unknown kind of pipeline");
}

int largest_halo_of(const std::vector<Separable>& filters) {
  int halo = 0;
  for (const Separable& filter : filters) halo = std::max(halo, filter.halo());
  return halo;
}

void require_rows(const StripTransfers& transfers, const cv::Size& image, int halo) {
  const int rows = transfers.fewest_rows(image);
  if (transfers.is_alone() || rows >= halo) return;
  throw std::invalid_argument(fmt::format("strips of {} rows are less than the halo {}: use at most {} ranks", rows,
                                          halo, image.height / halo));
}

/// At the image's edges the border is reflected. Elsewhere OpenCV finds the neighbours' rows, for the owned rows are a
/// part of what is stored and BORDER_ISOLATED is not asked for.
void apply(const Separable& filter, const Strip& input, cv::Mat output) {
  cv::sepFilter2D(input.owned(), output, CV_32F, filter.x, filter.y, {-1, -1}, 0, cv::BORDER_REFLECT_101);
}

cv::Mat apply(const Separable& filter, const Strip& input) {
  cv::Mat output(input.owned().size(), CV_32F);
  apply(filter, input, output);
  return output;
}

/// Where the time goes: every call of end() attributes what has passed since the one before.
class PhaseClock {
 public:
  PhaseClock(const StripTransfers& transfers, bool separate) : transfers_(transfers), separate_(separate) {}
  void start() {
    separate_ ? transfers_.start_together() : transfers_.barrier();
    begin_ = mark_ = Clock::now();
  }
  void end(double Times::*phase) {
    times_.*phase += seconds_since(mark_);
    if (separate_) transfers_.start_together();
    mark_ = Clock::now();
  }
  [[nodiscard]] Times stop() {
    times_.total_s = seconds_since(begin_);
    return times_;
  }

 private:
  const StripTransfers& transfers_;
  bool separate_;
  Times times_;
  Clock::time_point begin_;
  Clock::time_point mark_;
};

/// One run of a pipeline on this rank.
class StripRun {
 public:
  StripRun(const StripTransfers& transfers, bool separate, const Work& work, const cv::Mat& image)
      : transfers_(transfers), work_(work), filters_(filters_of(work)), image_(image), clock_(transfers, separate) {
    size_ = transfers.broadcast(accepted(image) ? image.size() : cv::Size());
    check();
  }

  [[nodiscard]] Result run(Times* times) {
    clock_.start();
    const Result result = run_kind();
    const Times taken = clock_.stop();
    if (times != nullptr) *times = taken;
    return result;
  }

 private:
  static bool accepted(const cv::Mat& image) {
    return image.type() == CV_32F && image.isContinuous() && image.total() <= std::numeric_limits<int>::max();
  }

  /// Every rank comes to the same verdict.
  void check() const {
    if (size_.empty()) {
      throw std::invalid_argument("the root's image must be CV_32F with one channel and without gaps between its rows");
    }
    if (filters_.empty()) throw std::invalid_argument("the pipeline has no filter: give sigmas, or iterations >= 1");
    require_rows(transfers_, size_, largest_halo_of(filters_));
  }

  Result run_kind() {
    switch (work_.kind) {
      case Kind::derivative:
      case Kind::five_derivatives:
        return derivatives();
      case Kind::thresholded_gradient:
        return thresholded_gradient();
      case Kind::smoothing_chain:
      case Kind::small_filter:
      case Kind::wide_and_tall:
        return one_after_another();
      case Kind::oriented_bank:
        return oriented_bank();
    }
    throw std::invalid_argument("unknown kind of pipeline");
  }

  Result derivatives() {
    const Strip input = scattered_with_halo();
    std::vector<cv::Mat> outputs;
    for (const Separable& filter : filters_) outputs.push_back(apply(filter, input));
    clock_.end(&Times::compute_s);
    return gathered(outputs);
  }

  Result thresholded_gradient() {
    const Strip input = scattered_with_halo();
    cv::Mat magnitude;
    cv::magnitude(apply(filters_[0], input), apply(filters_[1], input), magnitude);
    cv::Mat output;
    cv::threshold(magnitude, output, work_.level, 1, cv::THRESH_BINARY);
    const double sum = cv::sum(output)[0];
    clock_.end(&Times::compute_s);
    return gathered({output}, sum);
  }

  Result oriented_bank() {
    const Strip input = scattered_with_halo();
    cv::Mat best(input.owned().size(), CV_32F, cv::Scalar(-std::numeric_limits<float>::infinity()));
    for (std::size_t i = 0; i < filters_.size(); i += 3) {
      keep_maximum(apply(filters_[i], input), apply(filters_[i + 1], input), apply(filters_[i + 2], input), best);
    }
    clock_.end(&Times::compute_s);
    return gathered({best});
  }

  void keep_maximum(const cv::Mat& lxx, const cv::Mat& lxy, const cv::Mat& lyy, cv::Mat& best) const {
    cv::Mat response;
    for (int i = 0; i < work_.angles; ++i) {
      const double angle = std::numbers::pi * i / work_.angles;
      const double c = std::cos(angle);
      const double s = std::sin(angle);
      cv::addWeighted(lxx, c * c, lxy, 2 * c * s, 0, response);
      cv::scaleAdd(lyy, s * s, response, response);
      cv::max(best, response, best);
    }
  }

  /// The halo is exchanged before each filter. A strip is used again where the halo is the same, but the first never,
  /// for there one rank alone has the caller's image.
  Result one_after_another() {
    Strip input = scattered(filters_.front().halo());
    Strip output;
    for (std::size_t i = 0; i < filters_.size(); ++i) {
      exchange(input);
      const int halo = filters_[std::min(i + 1, filters_.size() - 1)].halo();
      if (i < 2 || halo != filters_[i - 1].halo()) output = transfers_.make_strip(size_, halo);
      apply(filters_[i], input, output.owned());
      clock_.end(&Times::compute_s);
      std::swap(input, output);
    }
    return gathered({input.owned()});
  }

  Strip scattered(int halo) {
    if (transfers_.is_alone()) return {image_, 0, 0};
    Strip strip = transfers_.make_strip(size_, halo);
    transfers_.scatter(image_, strip);
    clock_.end(&Times::scatter_s);
    return strip;
  }

  void exchange(const Strip& strip) {
    if (transfers_.is_alone()) return;
    transfers_.exchange(strip);
    clock_.end(&Times::exchange_s);
  }

  /// With the rows that all filters need, exchanged at once.
  Strip scattered_with_halo() {
    const Strip strip = scattered(largest_halo_of(filters_));
    exchange(strip);
    return strip;
  }

  Result gathered(const std::vector<cv::Mat>& outputs, std::optional<double> sum = std::nullopt) {
    Result result;
    if (transfers_.is_alone()) {
      result.images = outputs;
      if (sum) result.sums.push_back(*sum);
      return result;
    }
    if (transfers_.is_root()) {
      for (std::size_t i = 0; i < outputs.size(); ++i) result.images.emplace_back(size_, CV_32F);
    }
    transfers_.gather(outputs, result.images);
    if (sum) {
      const double total = transfers_.sum_on_root(*sum);
      if (transfers_.is_root()) result.sums.push_back(total);
    }
    clock_.end(&Times::gather_s);
    return result;
  }

  const StripTransfers& transfers_;
  const Work& work_;
  std::vector<Separable> filters_;
  const cv::Mat& image_;
  cv::Size size_;
  PhaseClock clock_;
};

/// Seconds of the slowest rank in `transfer`.
template <class Transfer>
double seconds_of(const StripTransfers& transfers, const Transfer& transfer) {
  transfers.start_together();
  const Clock::time_point begin = Clock::now();
  transfer();
  double seconds = seconds_since(begin);
  transfers.maximum({&seconds, 1});
  return seconds;
}

/// Pixels that have been written once, so that no transfer pays for fresh pages.
cv::Mat touched(const cv::Size& size) {
  return {size, CV_32F, cv::Scalar(1)};
}

Strip touched(Strip strip) {
  strip.stored.setTo(1);
  return strip;
}

}  // namespace

int largest_halo(const Work& work) {
  return largest_halo_of(filters_of(work));
}

int most_ranks(const Work& work, int height) {
  return std::max(1, height / std::max(1, largest_halo(work)));
}

RowStrips::RowStrips(MPI_Comm comm, int ranks_used, const Options& options) : separate_(options.separate) {
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  if (ranks_used < 1 || ranks_used > ranks) {
    throw std::invalid_argument(fmt::format("ranks_used={}: use 1 to {}", ranks_used, ranks));
  }
  cv::setNumThreads(1);  // a rank a core
  transfers_ = std::make_unique<StripTransfers>(comm, ranks_used, options.waiting);
}

RowStrips::~RowStrips() = default;

Result RowStrips::run(const Work& work, const cv::Mat& image_on_root, Times* times) const {
  if (!transfers_->takes_part()) return {};
  return StripRun(*transfers_, separate_, work, image_on_root).run(times);
}

double RowStrips::scatter_only(const cv::Size& image) const {
  if (!transfers_->takes_part() || transfers_->is_alone()) return 0;
  const cv::Mat whole = transfers_->is_root() ? touched(image) : cv::Mat();
  const Strip strip = touched(transfers_->make_strip(image, 0));
  return seconds_of(*transfers_, [&] { transfers_->scatter(whole, strip); });
}

double RowStrips::gather_only(const cv::Size& image) const {
  if (!transfers_->takes_part() || transfers_->is_alone()) return 0;
  cv::Mat whole = transfers_->is_root() ? touched(image) : cv::Mat();
  const cv::Mat owned = touched(transfers_->make_strip(image, 0)).owned();
  return seconds_of(*transfers_, [&] { transfers_->gather({&owned, 1}, {&whole, 1}); });
}

double RowStrips::exchange_only(const cv::Size& image, int halo) const {
  if (!transfers_->takes_part() || transfers_->is_alone()) return 0;
  require_rows(*transfers_, image, halo);
  const Strip strip = touched(transfers_->make_strip(image, halo));
  return seconds_of(*transfers_, [&] { transfers_->exchange(strip); });
}

Times RowStrips::slowest(const Times& mine) const {
  if (!transfers_->takes_part()) return mine;
  double values[] = {mine.scatter_s, mine.exchange_s, mine.compute_s, mine.gather_s, mine.total_s};
  transfers_->maximum(values);
  return {values[0], values[1], values[2], values[3], values[4]};
}

Result run(const Work& work, const cv::Mat& image_on_root, MPI_Comm comm, int ranks_used, Waiting waiting,
           Times* times) {
  return RowStrips(comm, ranks_used, {.waiting = waiting}).run(work, image_on_root, times);
}

}  // namespace tilewright::baseline
