#include "kernel_filter.hpp"

#include "bands.hpp"
#include "bordered_source.hpp"
#include "correlation.hpp"
#include "weighted_sum.hpp"

namespace tilewright {
namespace {

/// How many values of a row are worked on at a time, so that the ring of rows stays in a near cache.
std::int64_t strip_values(std::int64_t rows, std::int64_t value_bytes) {
  constexpr std::int64_t ring_bytes = 512 * 1024;
  constexpr std::int64_t fewest = 1024;  // shorter rows would be mostly overhead
  constexpr std::int64_t most = 16384;
  return std::clamp(ring_bytes / (rows * value_bytes), fewest, most) / 64 * 64;
}

std::int64_t strip_width(const Correlation2d& kernel, PixelType computing, int channels) {
  return std::max<std::int64_t>(1,
                                strip_values(kernel.height, static_cast<std::int64_t>(bytes_of(computing))) / channels);
}

template <class T>
std::vector<T> taps_of(const Correlation2d& kernel) {
  return taps_as<T>(Correlation{kernel.taps, 0});
}

/// Rows of the source in the computing type, each converted once, and where each tap reads in them.
template <class T>
class RowWindow {
 public:
  RowWindow(const Correlation2d& kernel, const ConstView& source, const BorderRule& rule, std::int64_t width)
      : kernel_(kernel),
        source_(source, rule),
        channels_(source.format().channels),
        pitch_(read_values(width)),
        ring_(static_cast<std::size_t>(pitch_ * kernel.height)),
        rows_(static_cast<std::size_t>(kernel.height)),
        reads_(kernel.taps.size()) {}

  /// For `width` results from pixel x on, from now on.
  void select(std::int64_t x, std::int64_t width) { source_.select(x + kernel_.first_x, width + kernel_.width - 1); }

  /// Makes row y of the source available; it replaces row y - height.
  void read(std::int64_t y) {
    const std::size_t slot = slot_of(y);
    rows_[slot] = source_.row(y, ring_.data() + static_cast<std::int64_t>(slot) * pitch_);
  }

  /// For the results at row y: a pointer a tap.
  [[nodiscard]] const T* const* reads(std::int64_t y) {
    std::size_t tap = 0;
    for (std::int64_t j = 0; j < kernel_.height; ++j) {
      const T* row = rows_[slot_of(y + kernel_.first_y + j)];
      for (std::int64_t i = 0; i < kernel_.width; ++i) reads_[tap++] = row + i * channels_;
    }
    return reads_.data();
  }

 private:
  [[nodiscard]] std::int64_t read_values(std::int64_t width) const { return (width + kernel_.width - 1) * channels_; }
  [[nodiscard]] std::size_t slot_of(std::int64_t y) const {
    return static_cast<std::size_t>((y % kernel_.height + kernel_.height) % kernel_.height);
  }

  const Correlation2d& kernel_;
  BorderedRows<T> source_;
  std::int64_t channels_;
  std::int64_t pitch_;
  std::vector<T> ring_;
  std::vector<const T*> rows_;
  std::vector<const T*> reads_;
};

}  // namespace

ImageShape KernelFilter::shape(std::span<const ImageShape> inputs) const {
  ImageShape result = inputs.front();
  result.format.type = computing_type(result.format.type);
  return result;
}

Halo KernelFilter::halo() const {
  const Correlation2d& kernel = description_.kernel;
  return {std::max<std::int64_t>({0, -kernel.first_x, kernel.first_x + kernel.width - 1}),
          std::max<std::int64_t>({0, -kernel.first_y, kernel.first_y + kernel.height - 1})};
}

std::vector<Work> KernelFilter::work(std::span<const ImageShape> inputs, const Extent& tile) const {
  const PixelFormat format = inputs.front().format;
  return {{"convolve_2d", format.type, static_cast<double>(description_.kernel.taps.size()),
           static_cast<double>(tile.pixels() * format.channels)}};
}

std::int64_t KernelFilter::scratch_bytes(std::span<const ImageShape> inputs, const Extent& tile) const {
  const PixelFormat format = inputs.front().format;
  const PixelType type = computing_type(format.type);
  const Correlation2d& kernel = description_.kernel;
  const std::int64_t width = std::min(tile.width, strip_width(kernel, type, format.channels));
  const auto value_bytes = static_cast<std::int64_t>(bytes_of(type));
  const std::int64_t ring = kernel.height * (width + kernel.width - 1) * format.channels * value_bytes;
  const auto pointer_bytes = static_cast<std::int64_t>(sizeof(void*));
  return ring + kernel.width * kernel.height * (value_bytes + pointer_bytes) + kernel.height * pointer_bytes;
}

template <class T>
void KernelFilter::compute_band(const ConstView& source, const MutableView& target, const Rect& band) const {
  const Correlation2d& kernel = description_.kernel;
  const int channels = source.format().channels;
  const std::vector<T> taps = taps_of<T>(kernel);
  const std::int64_t strip = std::min(band.width(), strip_width(kernel, pixel_type_of<T>, channels));
  RowWindow<T> window(kernel, source, description_.border, strip);
  for (std::int64_t x = band.x0; x < band.x1; x += strip) {
    const std::int64_t width = std::min(strip, band.x1 - x);
    window.select(x, width);
    std::int64_t next = band.y0 + kernel.first_y;
    for (std::int64_t y = band.y0; y < band.y1; ++y) {
      for (; next < y + kernel.first_y + kernel.height; ++next) window.read(next);
      weighted_sum(window.reads(y), taps.data(), taps.size(), target.at<T>(x, y),
                   static_cast<std::size_t>(width * channels));
    }
  }
}

void KernelFilter::compute(std::span<const ConstView> inputs, const MutableView& output,
                           const ComputeContext& context) const {
  for_each_band(output.area(), context.threads, [&](const Rect& band) {
    if (output.format().type == PixelType::f64) {
      compute_band<double>(inputs.front(), output, band);
    } else {
      compute_band<float>(inputs.front(), output, band);
    }
  });
}

template <class T>
void KernelFilter::compute_reference(const ConstView& source, const MutableView& target) const {
  const Correlation2d& kernel = description_.kernel;
  const BorderedSource bordered{source, description_.border.border, description_.border.value};
  const std::vector<T> taps = taps_of<T>(kernel);
  const auto pixel = [&](std::int64_t x, std::int64_t y, int channel) {
    T sum{};
    for (std::int64_t j = 0; j < kernel.height; ++j) {
      for (std::int64_t i = 0; i < kernel.width; ++i) {
        const T product = taps[static_cast<std::size_t>(j * kernel.width + i)] *
                          bordered.value<T>(x + kernel.first_x + i, y + kernel.first_y + j, channel);
        sum = i == 0 && j == 0 ? product : sum + product;  // not 0 + product, which would turn -0 into 0
      }
    }
    return sum;
  };
  const Rect area = target.area();
  for (std::int64_t y = area.y0; y < area.y1; ++y) {
    for (std::int64_t x = area.x0; x < area.x1; ++x) {
      for (int channel = 0; channel < target.format().channels; ++channel) {
        target.at<T>(x, y)[channel] = pixel(x, y, channel);
      }
    }
  }
}

void KernelFilter::reference(std::span<const ConstView> inputs, const MutableView& output) const {
  if (output.format().type == PixelType::f64) {
    compute_reference<double>(inputs.front(), output);
  } else {
    compute_reference<float>(inputs.front(), output);
  }
}

}  // namespace tilewright
