#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>

#include "block_sum.hpp"
#include "exact_sum.hpp"
#include "exponent_bins.hpp"
#include "pointwise.hpp"
#include "tilewright/imgops/reductions.hpp"

namespace tilewright {
namespace {

/// Sum of one channel: integers as an integer (2^47 values of u16 fit), floating point exactly.
template <class T>
using Partial = std::conditional_t<std::is_floating_point_v<T>, ExactSum, std::uint64_t>;

/// Calls action(channel, partial) for each channel, and keeps what it changes; partials are bytes without alignment.
template <class P, class Action>
void for_each_partial(std::span<std::byte> bytes, const Action& action) {
  for (std::size_t channel = 0; (channel + 1) * sizeof(P) <= bytes.size(); ++channel) {
    P partial;
    std::memcpy(&partial, bytes.data() + channel * sizeof(P), sizeof(P));
    action(static_cast<int>(channel), partial);
    std::memcpy(bytes.data() + channel * sizeof(P), &partial, sizeof(P));
  }
}

template <int channels>
std::uint64_t sum_of_row(const auto* row, std::int64_t pixels) {
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < pixels; ++i) sum += row[i * channels];
  return sum;
}

/// Adds up values that come in rows, exactly: in blocks where doubles hold a block's sum, else one by one.
template <class T>
class RowsSum {
 public:
  /// Every `step`-th value.
  void add(const T* row, std::int64_t values, int step) {
    if (step == 1 && gathered_ == 0) {
      constexpr auto at_a_time = static_cast<std::int64_t>(values_a_block);
      for (; values >= at_a_time; values -= at_a_time, row += at_a_time) add(Block(row, values_a_block));
    }
    while (values > 0) {
      const auto taken = std::min(values, static_cast<std::int64_t>(values_a_block - gathered_));
      gather(row, taken, step);
      row += taken * step;
      values -= taken;
      if (gathered_ == values_a_block) add_rest();
    }
  }

  [[nodiscard]] ExactSum sum() && {
    if (gathered_ > 0) add_rest();
    if (bins_) bins_->flush(sum_);
    return sum_;
  }

 private:
  using Block = std::span<const T, values_a_block>;
  static constexpr std::size_t most_in_bins = std::size_t{1} << 29;

  void gather(const T* row, std::int64_t values, int step) {
    T* to = rest_.data() + gathered_;
    gathered_ += static_cast<std::size_t>(values);
    if (step == 1) {
      std::copy_n(row, values, to);
    } else {
      for (std::int64_t i = 0; i < values; ++i) to[i] = row[i * step];
    }
  }

  void add_rest() {
    std::fill(rest_.begin() + static_cast<std::ptrdiff_t>(gathered_), rest_.end(), T{0});
    gathered_ = 0;
    add(Block(rest_));
  }

  void add(Block block) {
    if (const auto exact = block_sum(block)) {
      sum_.add(exact->high);
      sum_.add(exact->low);
      return;
    }
    if (!bins_) bins_ = std::make_unique<ExponentBins<T>>();
    for (std::size_t i = 0; i < block.size(); ++i) bins_->add(block[i], static_cast<int>(i % ExponentBins<T>::lanes));
    in_bins_ += block.size();
    if (in_bins_ < most_in_bins) return;
    bins_->flush(sum_);
    in_bins_ = 0;
  }

  ExactSum sum_;
  std::array<T, values_a_block> rest_;  ///< of rows, until it is a block
  std::size_t gathered_ = 0;
  std::unique_ptr<ExponentBins<T>> bins_;  ///< once they are needed
  std::size_t in_bins_ = 0;
};

template <class T>
ExactSum exact_sum_of(const ConstView& view, int channel) {
  const Rect area = view.area();
  RowsSum<T> sum;
  for (std::int64_t y = area.y0; y < area.y1 && area.width() > 0; ++y) {
    sum.add(view.at<T>(area.x0, y) + channel, area.width(), view.format().channels);
  }
  return std::move(sum).sum();
}

template <class T, int channels>
Partial<T> partial_of(const ConstView& view, int channel) {
  if constexpr (std::is_floating_point_v<T>) {
    return exact_sum_of<T>(view, channel);
  } else {
    std::uint64_t sum = 0;
    const Rect area = view.area();
    for (std::int64_t y = area.y0; y < area.y1 && area.width() > 0; ++y) {
      sum += sum_of_row<channels>(view.at<T>(area.x0, y) + channel, area.width());
    }
    return sum;
  }
}

enum class Average { no, yes };

class Sum final : public ReductionMethod {
 public:
  explicit Sum(Average average) : average_(average) {}

  [[nodiscard]] std::string describe() const override { return average_ == Average::yes ? "mean" : "sum"; }

  [[nodiscard]] std::size_t partial_bytes(const PixelFormat& format) const override {
    return with_type(format.type, [&](auto tag) {
      return static_cast<std::size_t>(format.channels) * sizeof(Partial<typename decltype(tag)::type>);
    });
  }

  [[nodiscard]] std::vector<Work> work(const ImageShape& image, const Extent& tile) const override {
    return {{"reduce_sum", image.format.type, 0, values_of(image, tile)}};
  }

  void accumulate(const ConstView& view, std::span<std::byte> partial) const override {
    with_format(view.format(), [&](auto tag, auto channels) {
      using T = typename decltype(tag)::type;
      for_each_partial<Partial<T>>(partial,
                                   [&](int channel, Partial<T>& sum) { sum = partial_of<T, channels>(view, channel); });
    });
  }

  void merge(std::span<std::byte> into, std::span<const std::byte> other, const PixelFormat& format) const override {
    with_type(format.type, [&](auto tag) {
      using P = Partial<typename decltype(tag)::type>;
      for_each_partial<P>(into, [&](int channel, P& sum) {
        P addend;
        std::memcpy(&addend, other.data() + static_cast<std::size_t>(channel) * sizeof(P), sizeof(P));
        if constexpr (std::is_same_v<P, ExactSum>) {
          sum.add(addend);
        } else {
          sum += addend;
        }
      });
    });
  }

  [[nodiscard]] std::vector<double> finish(std::span<const std::byte> partial, const ImageShape& image) const override {
    std::vector<double> values;
    std::vector<std::byte> copy(partial.begin(), partial.end());
    with_type(image.format.type, [&](auto tag) {
      using P = Partial<typename decltype(tag)::type>;
      for_each_partial<P>(copy, [&](int, const P& sum) { values.push_back(value_of(sum, image)); });
    });
    return values;
  }

  [[nodiscard]] std::vector<double> reference(const ConstView& image) const override {
    std::vector<double> values;
    for (int channel = 0; channel < image.format().channels; ++channel) {
      ExactSum sum;
      for_each_value(image.area(), 1, [&](auto x, auto y, int) { sum.add(value_at<double>(image, x, y, channel)); });
      const Extent extent{image.area().width(), image.area().height()};
      values.push_back(value_of(sum, {extent, image.format()}));
    }
    return values;
  }

 private:
  [[nodiscard]] double value_of(const ExactSum& sum, const ImageShape& image) const {
    return divided(sum.rounded(), image);
  }
  [[nodiscard]] double value_of(std::uint64_t sum, const ImageShape& image) const {
    return divided(static_cast<double>(sum), image);
  }
  [[nodiscard]] double divided(double sum, const ImageShape& image) const {
    return average_ == Average::yes ? sum / static_cast<double>(image.extent.pixels()) : sum;
  }

  Average average_;
};

}  // namespace

Reduction sum(const Image& image) {
  return {image, std::make_shared<Sum>(Average::no)};
}
Reduction mean(const Image& image) {
  return {image, std::make_shared<Sum>(Average::yes)};
}

}  // namespace tilewright
