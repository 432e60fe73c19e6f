// What the kernels are worth beside OpenCV's, measured in turns in one run: Gaussian derivatives against
// cv::sepFilter2D with the same kernels on the same pixels, a gradient of two square kernels against cv::filter2D, and
// a chain of operators against one of them.
//
//   kernels_benchmark [--only jets|sizes|types|gradient|chain]... [--rounds N] [--threads N] [--size N] [--format
//   text|json]
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "roofline.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/core/statistics.hpp"
#include "tilewright/imgops/arithmetic.hpp"
#include "tilewright/imgops/convolution.hpp"
#include "tilewright/imgops/files.hpp"
#include "tilewright/imgops/fusion.hpp"
#include "tilewright/imgops/gaussian.hpp"
#include "tilewright/imgops/simd.hpp"
#include "tilewright/pipeline/pipeline.hpp"

namespace tilewright {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;
using performance::Roofline;

constexpr std::string_view schema = "tilewright.kernels/1";
constexpr double sigmas[] = {1, 3, 5};
constexpr double roofline_aim = 0.6;
constexpr double roofline_defect = 0.4;  // below that something is wrong

struct Options {
  std::vector<std::string> only;  ///< none: all
  std::string format = "text";
  int rounds = 9;
  int threads = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, 2);
  std::int64_t size = 4096;
};

struct Orders {
  int x = 0;
  int y = 0;
};

/// Derivatives of one image at one scale.
struct Filters {
  double sigma = 1;
  std::vector<Orders> orders;
};

Filters five_derivatives(double sigma) {
  return {sigma, {{1, 0}, {0, 1}, {2, 0}, {1, 1}, {0, 2}}};
}

ImageShape square(std::int64_t size, const PixelFormat& format = {}) {
  return {{size, size}, format};
}

/// Blocks, and noise upon them: neither side may profit from what the pixels are.
Raster test_pixels(const ImageShape& shape) {
  Raster raster(shape);
  with_type(shape.format.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::uint32_t noise = 1;
    const std::int64_t values = shape.extent.width * shape.format.channels;
    for (std::int64_t y = 0; y < shape.extent.height; ++y) {
      T* row = raster.at<T>(0, y);
      for (std::int64_t i = 0; i < values; ++i) {
        noise = noise * 1664525U + 1013904223U;
        row[i] = static_cast<T>(((i / 37) ^ (y / 53)) % 8 * 24 + (noise >> 28));
      }
    }
  });
  return raster;
}

/// Written once, so that nobody pays for fresh pages.
Raster touched(const ImageShape& shape) {
  Raster raster(shape);
  std::memset(raster.view().bytes_at(0, 0), 0, static_cast<std::size_t>(raster.bytes()));
  return raster;
}

OutputRequest keep(const Image& image) {
  return {OutputKind::keep, image, nullptr, nullptr};
}

/// Nobody loads it: the pixels are handed in beside the pipeline.
Image input_image(const ImageShape& shape) {
  return Image(assumed_file("benchmark", shape));
}

Pipeline derivatives(const ImageShape& shape, const Filters& filters) {
  const Image in = input_image(shape);
  std::vector<OutputRequest> outputs;
  for (const Orders& orders : filters.orders) {
    outputs.push_back(
        keep(gaussian_derivative(in, {.sigma = filters.sigma, .order_x = orders.x, .order_y = orders.y})));
  }
  return fused(record(outputs));
}

Image ten_operators(const Image& image) {
  const Image magnitude = abs((image * 1.01 + 0.5) * 0.97 - 20.0);
  return max(sqrt(magnitude) * 3.0 + 1.0, 2.0) * 0.75;
}

constexpr std::array<std::array<double, 9>, 2> gradient_kernels{
    {{3, 0, -3, 10, 0, -10, 3, 0, -3}, {3, 10, 3, 0, 0, 0, -3, -10, -3}}};

/// The magnitude of what two kernels of 3x3 make, which nobody knows to be separable.
Image gradient(const Image& image) {
  const auto along = [&](const std::array<double, 9>& values) {
    return convolve(image, {3, 3, {values.begin(), values.end()}});
  };
  const Image x = along(gradient_kernels[0]);
  const Image y = along(gradient_kernels[1]);
  return sqrt(x * x + y * y);
}

/// Runs the operators of a pipeline as the runtime does on one rank, without the runtime. The first image must be its
/// source, and the only one that is read with a halo.
class OurSide {
 public:
  OurSide(Pipeline pipeline, const Raster& pixels, int threads) : pipeline_(std::move(pipeline)), threads_(threads) {
    for (const PipelineImage& image : pipeline_.images) {
      images_.push_back(image.source ? pixels.copy(pipeline_.whole_halo(0)) : touched(image.shape));
    }
    for (const Task& task : pipeline_.tasks) {
      if (task.kind == Task::Kind::obtain) add_call(static_cast<std::size_t>(task.index));
    }
  }

  /// Every time with the border, which sepFilter2D makes every time, too.
  void run() {
    for (const Call& call : calls_) call.op->compute_all(call.inputs, call.outputs, {threads_});
  }

  [[nodiscard]] Raster& output(std::size_t index) {
    return images_[static_cast<std::size_t>(pipeline_.outputs[index].image)];
  }

 private:
  struct Call {
    const Operator* op;
    std::vector<ConstView> inputs;
    std::vector<MutableView> outputs;
  };

  void add_call(std::size_t first) {
    const PipelineImage& made = pipeline_.images[first];
    if (!made.op) return;
    Call call{made.op.get(), {}, {}};
    for (const int input : made.inputs) {
      call.inputs.push_back(std::as_const(images_[static_cast<std::size_t>(input)]).view());
    }
    for (std::size_t i = 0; i < made.op->results(); ++i) call.outputs.push_back(images_[first + i].view());
    calls_.push_back(std::move(call));
  }

  Pipeline pipeline_;
  int threads_;
  std::vector<Raster> images_;
  std::vector<Call> calls_;
};

int depth_of(PixelType type) {
  return with_type(type, [](auto tag) -> int { return cv::DataType<typename decltype(tag)::type>::depth; });
}

/// The same memory, so that neither side has the better pages. The raster must have no halo.
cv::Mat mat_of(Raster& raster) {
  const ImageShape shape = raster.shape();
  const int type = CV_MAKETYPE(depth_of(shape.format.type), shape.format.channels);
  return cv::Mat(static_cast<int>(shape.extent.height), static_cast<int>(shape.extent.width), type,
                 raster.view().bytes_at(0, 0));
}

/// sepFilter2D, once a filter.
class OpenCvSide {
 public:
  /// The pixels must outlive this; they are not written to, but a cv::Mat knows no const.
  OpenCvSide(Raster& pixels, const Filters& filters)
      : source_(mat_of(pixels)), type_(computing_type(pixels.format().type)) {
    const ImageShape result{pixels.shape().extent, {type_, pixels.format().channels}};
    for (const Orders& orders : filters.orders) {
      outputs_.push_back(touched(result));
      filters_.push_back({taps(filters.sigma, orders.x), taps(filters.sigma, orders.y), mat_of(outputs_.back())});
    }
  }

  void run() {
    for (Filter& filter : filters_) {
      cv::sepFilter2D(source_, filter.result, depth_of(type_), filter.x, filter.y, {-1, -1}, 0, cv::BORDER_REFLECT_101);
    }
  }

  [[nodiscard]] const cv::Mat& output(std::size_t index) const { return filters_[index].result; }

 private:
  struct Filter {
    cv::Mat x;
    cv::Mat y;
    cv::Mat result;
  };

  /// Ours are in the order of correlation, as OpenCV wants them. In the type that is computed in: it need not convert.
  [[nodiscard]] cv::Mat taps(double sigma, int order) const {
    cv::Mat result;
    cv::Mat(gaussian_kernel(sigma, order)).convertTo(result, depth_of(type_));
    return result;
  }

  cv::Mat source_;
  PixelType type_;
  std::vector<Raster> outputs_;
  std::vector<Filter> filters_;
};

/// The gradient by filter2D, twice, and magnitude.
class OpenCvGradient {
 public:
  /// The pixels must outlive this, as above.
  explicit OpenCvGradient(Raster& pixels) : source_(mat_of(pixels)) {
    for (const std::array<double, 9>& values : gradient_kernels) {
      cv::Mat taps(3, 3, CV_32F);
      // A kernel reads backwards, filter2D does not.
      std::copy(values.rbegin(), values.rend(), taps.begin<float>());
      kernels_.push_back(taps);
      images_.push_back(touched(pixels.shape()));
    }
    images_.push_back(touched(pixels.shape()));
    for (Raster& image : images_) results_.push_back(mat_of(image));
  }

  void run() {
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      cv::filter2D(source_, results_[i], CV_32F, kernels_[i], {-1, -1}, 0, cv::BORDER_REFLECT_101);
    }
    cv::magnitude(results_[0], results_[1], results_[2]);
  }

  [[nodiscard]] const cv::Mat& output() const { return results_.back(); }

 private:
  cv::Mat source_;
  std::vector<cv::Mat> kernels_;
  std::vector<Raster> images_;
  std::vector<cv::Mat> results_;
};

/// Throws RuntimeError unless both are the same but for rounding.
void check_alike(Raster& ours, const cv::Mat& theirs, const std::string& what) {
  constexpr double tolerance = 1e-4;  // of the largest magnitude
  const cv::Mat found = mat_of(ours);
  const double difference = cv::norm(found, theirs, cv::NORM_INF);
  const double largest = cv::norm(theirs, cv::NORM_INF);
  if (cv::checkRange(found) && difference <= tolerance * largest) return;
  throw RuntimeError(
      fmt::format("{} is not OpenCV's: they differ by {:g}, where the largest is {:g}", what, difference, largest));
}

/// Runs both. Throws RuntimeError unless they come to the same: a faster way to something else proves nothing.
void check_alike(OurSide& ours, OpenCvSide& theirs, const ImageShape& shape, const Filters& filters) {
  ours.run();
  theirs.run();
  for (std::size_t i = 0; i < filters.orders.size(); ++i) {
    check_alike(ours.output(i), theirs.output(i),
                fmt::format("derivative {}{} of {} at sigma {}", filters.orders[i].x, filters.orders[i].y,
                            to_string(shape), filters.sigma));
  }
}

/// Throws RuntimeError unless ten operators at once make the pixels of ten operators one after the other.
void check_chain(int threads) {
  const ImageShape shape{{1500, 70}, {}};
  const Raster pixels = test_pixels(shape);
  const Pipeline recorded = record({keep(ten_operators(input_image(shape)))});
  OurSide at_once(fused(recorded), pixels, threads);
  OurSide one_by_one(recorded, pixels, threads);
  at_once.run();
  one_by_one.run();
  if (!same_pixels(at_once.output(0).view(), one_by_one.output(0).view())) {
    throw RuntimeError("a chain of ten operators makes other pixels when it is fused");
  }
}

/// Medians.
struct Times {
  double ours_s = 0;
  double rival_s = 0;
};

/// Seconds of one run, of several in a row.
double seconds_of(int repeats, const std::function<void()>& run) {
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < repeats; ++i) run();
  return std::chrono::duration<double>(Clock::now() - begin).count() / repeats;
}

/// So many that the clock and an interruption count little. The run for it also warms up.
int repeats_of(const std::function<void()>& run) {
  constexpr double sample_seconds = 5e-3;
  constexpr double most = 1000;
  return static_cast<int>(std::clamp(sample_seconds / seconds_of(1, run), 1.0, most));
}

/// In turns, so that whatever else the machine does meets both alike.
Times measured_in_turns(int rounds, const std::function<void()>& ours, const std::function<void()>& rival) {
  const int our_repeats = repeats_of(ours);
  const int rival_repeats = repeats_of(rival);
  std::vector<double> our_seconds;
  std::vector<double> rival_seconds;
  for (int round = 0; round < rounds; ++round) {
    our_seconds.push_back(seconds_of(our_repeats, ours));
    rival_seconds.push_back(seconds_of(rival_repeats, rival));
  }
  return {median(our_seconds), median(rival_seconds)};
}

/// Of a kernel of that order, folded: a pair of taps takes an addition and a multiply-add, and the first product is not
/// added to anything. An even kernel has a tap in its centre besides.
double folded_flops(double sigma, int order) {
  const int centre = order % 2 == 0 ? 2 : 0;
  return 3 * gaussian_radius(sigma, order) + centre - 1;
}

/// Each distinct kernel once along the rows, and one along the columns for each result.
double flops_a_pixel(const Filters& filters) {
  double flops = 0;
  std::set<int> row_orders;
  for (const Orders& orders : filters.orders) {
    if (row_orders.insert(orders.x).second) flops += folded_flops(filters.sigma, orders.x);
    flops += folded_flops(filters.sigma, orders.y);
  }
  return flops;
}

/// The input is read once, and each result written once. Of f32 with one channel.
double least_seconds(const Roofline& roofline, const Extent& extent, const Filters& filters) {
  const auto pixels = static_cast<double>(extent.pixels());
  const auto images = static_cast<double>(1 + filters.orders.size());
  return roofline.seconds(sizeof(float) * images * pixels, flops_a_pixel(filters) * pixels);
}

/// A bound of the ratio.
struct Asked {
  double ratio = 1;
  bool at_least = true;  ///< else at most

  [[nodiscard]] bool met_by(double value) const { return at_least ? value >= ratio : value <= ratio; }
};

/// One comparison.
struct Row {
  std::string part;  ///< jets, sizes, types, gradient or chain
  ImageShape image;
  std::optional<double> sigma;
  int threads = 1;
  Times times;
  double ratio = 0;
  std::optional<Asked> asked;
  std::optional<double> roofline;  ///< share of what the machine can do at best
};

std::string asked_text(const Row& row) {
  if (!row.asked) return "";
  return fmt::format("{} {:g} {}", row.asked->at_least ? ">=" : "<=", row.asked->ratio,
                     row.asked->met_by(row.ratio) ? "met" : "MISSED");
}

std::string roofline_text(const Row& row) {
  if (!row.roofline) return "";
  const std::string share = fmt::format("{:.0f} %", 100 * *row.roofline);
  if (*row.roofline < roofline_defect) return share + fmt::format(" DEFECT: below {:.0f} %", 100 * roofline_defect);
  if (*row.roofline < roofline_aim) return share + fmt::format(" below the aim of {:.0f} %", 100 * roofline_aim);
  return share;
}

void print_heading(const std::string& title, const std::string& rival) {
  fmt::print("\n{}\n{:<20} {:>5} {:>7} {:>12} {:>16} {:>7}  {:<12} {}\n", title, "image", "sigma", "threads", "ours ms",
             rival + " ms", "ratio", "asked", "of the roofline");
}

void print_row(const Row& row) {
  const std::string sigma = row.sigma ? fmt::format("{:g}", *row.sigma) : "";
  fmt::print("{:<20} {:>5} {:>7} {:>12.3f} {:>16.3f} {:>7.2f}  {:<12} {}\n", to_string(row.image), sigma, row.threads,
             1e3 * row.times.ours_s, 1e3 * row.times.rival_s, row.ratio, asked_text(row), roofline_text(row));
  std::fflush(stdout);
}

Json to_json(const Roofline& roofline) {
  return {{"threads", roofline.threads}, {"bytes_per_s", roofline.bytes_per_s}, {"flops_per_s", roofline.flops_per_s}};
}

Json to_json(const Row& row) {
  Json json{{"part", row.part},
            {"image", to_string(row.image.extent)},
            {"type", to_string(row.image.format.type)},
            {"channels", row.image.format.channels},
            {"sigma", nullptr},
            {"threads", row.threads},
            {"ours_s", row.times.ours_s},
            {"rival_s", row.times.rival_s},
            {"ratio", row.ratio},
            {"asked", nullptr},
            {"roofline", nullptr}};
  if (row.sigma) json["sigma"] = *row.sigma;
  if (row.asked) {
    json["asked"] = {{row.asked->at_least ? "at_least" : "at_most", row.asked->ratio},
                     {"met", row.asked->met_by(row.ratio)}};
  }
  if (row.roofline) json["roofline"] = *row.roofline;
  return json;
}

class Benchmark {
 public:
  explicit Benchmark(Options options) : options_(std::move(options)) {}

  void run() {
    if (wanted("jets")) measure_rooflines();
    if (wanted("jets")) jets();
    if (wanted("sizes")) sizes();
    if (wanted("types")) types();
    if (wanted("gradient")) square_kernels();
    if (wanted("chain")) chain();
    if (!is_text()) print_json();
  }

 private:
  [[nodiscard]] bool is_text() const { return options_.format == "text"; }
  [[nodiscard]] bool wanted(const std::string& part) const {
    return options_.only.empty() || std::find(options_.only.begin(), options_.only.end(), part) != options_.only.end();
  }
  [[nodiscard]] std::vector<int> thread_counts() const {
    return options_.threads > 1 ? std::vector<int>{1, options_.threads} : std::vector<int>{1};
  }

  void measure_rooflines() {
    if (is_text()) fmt::print("what this machine can do at best, vectors: {}\n", to_string(current_simd_level()));
    for (const int threads : thread_counts()) {
      const Roofline& roofline = rooflines_.emplace_back(performance::measure_roofline(threads));
      if (!is_text()) continue;
      fmt::print("  threads {}: {:.1f} GB/s, one image read and five written; {:.1f} Gflop/s\n", threads,
                 1e-9 * roofline.bytes_per_s, 1e-9 * roofline.flops_per_s);
    }
  }

  void jets() {
    heading("Five derivatives", "sepFilter2D");
    Raster pixels = test_pixels(square(options_.size));
    for (const Roofline& roofline : rooflines_) {
      for (const double sigma : sigmas) {
        const Filters filters = five_derivatives(sigma);
        Row row = filtered("jets", pixels, filters, roofline.threads);
        row.asked = Asked{.ratio = roofline.threads == 1 ? 3.0 : 5.0};
        row.roofline = least_seconds(roofline, row.image.extent, filters) / row.times.ours_s;
        add(std::move(row));
      }
    }
  }

  void sizes() {
    heading("Five derivatives of smaller images", "sepFilter2D");
    for (const std::int64_t size : {64, 128, 256, 512, 1024, 2048}) {
      Raster pixels = test_pixels(square(size));
      for (const double sigma : sigmas) {
        Row row = filtered("sizes", pixels, five_derivatives(sigma), 1);
        row.asked = Asked{};
        add(std::move(row));
      }
    }
  }

  void types() {
    heading("One derivative along x, of each type", "sepFilter2D");
    for (const PixelType type : all_pixel_types) {
      for (const int channels : {1, 3}) {
        Raster pixels = test_pixels(square(2048, {type, channels}));
        Row row = filtered("types", pixels, {3, {{1, 0}}}, 1);
        row.asked = Asked{};
        add(std::move(row));
      }
    }
  }

  void square_kernels() {
    heading("Gradient by two kernels of 3x3, in one pass", "filter2D");
    const ImageShape shape = square(2048);
    Raster pixels = test_pixels(shape);
    for (const int threads : thread_counts()) {
      cv::setNumThreads(threads);
      OurSide ours(fused(record({keep(gradient(input_image(shape)))})), pixels, threads);
      OpenCvGradient theirs(pixels);
      ours.run();
      theirs.run();
      check_alike(ours.output(0), theirs.output(), "the gradient");
      const Times times = measured_in_turns(
          options_.rounds, [&] { ours.run(); }, [&] { theirs.run(); });
      Row row{"gradient", shape, std::nullopt, threads, times, times.rival_s / times.ours_s, {}, {}};
      row.asked = Asked{};
      add(std::move(row));
    }
  }

  void chain() {
    heading("Ten pointwise operators in one pass, against one of them", "one operator");
    const ImageShape shape = square(4096);
    const Image in = input_image(shape);
    const Raster pixels = test_pixels(shape);
    for (const int threads : thread_counts()) {
      check_chain(threads);
      OurSide ten(fused(record({keep(ten_operators(in))})), pixels, threads);
      OurSide one(fused(record({keep(in * 1.01)})), pixels, threads);
      const Times times = measured_in_turns(
          options_.rounds, [&] { ten.run(); }, [&] { one.run(); });
      Row row{"chain", shape, std::nullopt, threads, times, times.ours_s / times.rival_s, {}, {}};
      row.asked = Asked{.ratio = 1.5, .at_least = false};
      add(std::move(row));
    }
  }

  [[nodiscard]] Row filtered(const std::string& part, Raster& pixels, const Filters& filters, int threads) const {
    cv::setNumThreads(threads);
    OurSide ours(derivatives(pixels.shape(), filters), pixels, threads);
    OpenCvSide theirs(pixels, filters);
    check_alike(ours, theirs, pixels.shape(), filters);
    const Times times = measured_in_turns(
        options_.rounds, [&] { ours.run(); }, [&] { theirs.run(); });
    return {part, pixels.shape(), filters.sigma, threads, times, times.rival_s / times.ours_s, {}, {}};
  }

  void heading(const std::string& title, const std::string& rival) const {
    if (is_text()) print_heading(title, rival);
  }

  void add(Row row) {
    if (is_text()) print_row(row);
    rows_.push_back(std::move(row));
  }

  void print_json() const {
    Json json{{"schema", schema},
              {"rounds", options_.rounds},
              {"vectors", to_string(current_simd_level())},
              {"roofline_aim", roofline_aim},
              {"roofline_defect", roofline_defect},
              {"rooflines", Json::array()},
              {"rows", Json::array()}};
    for (const Roofline& roofline : rooflines_) json["rooflines"].push_back(to_json(roofline));
    for (const Row& row : rows_) json["rows"].push_back(to_json(row));
    fmt::print("{}\n", json.dump(2));
  }

  Options options_;
  std::vector<Roofline> rooflines_;  ///< one a number of threads
  std::vector<Row> rows_;
};

}  // namespace
}  // namespace tilewright

int main(int argc, char** argv) {
  using namespace tilewright;
  Options options;
  CLI::App app("The kernels beside cv::sepFilter2D, on this machine");
  app.add_option("--only", options.only, "a part (repeatable; default: all)")
      ->check(CLI::IsMember({"jets", "sizes", "types", "gradient", "chain"}));
  app.add_option("--rounds", options.rounds, "in which both sides take turns (default 9)")->check(CLI::Range(1, 10000));
  app.add_option("--threads", options.threads,
                 "of the jets, the gradient and the chain, besides one (default: the cores, up to 2)")
      ->check(CLI::Range(1, 1024));
  app.add_option("--size", options.size, "of the jets' image, its width and height (default 4096)")
      ->check(CLI::Range(1, 32768));
  app.add_option("--format", options.format, "text or json")->check(CLI::IsMember({"text", "json"}));
  CLI11_PARSE(app, argc, argv);
  try {
    Benchmark(options).run();
  } catch (const std::exception& error) {
    fmt::print(stderr, "kernels_benchmark: {}\n", error.what());
    return 1;
  }
  return 0;
}
