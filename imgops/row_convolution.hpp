// The two halves of a separable convolution, row by row, computing in T (float or double).
#pragma once

#include <cstddef>
#include <vector>

#include "correlation.hpp"
#include "row_values.hpp"
#include "weighted_sum.hpp"

namespace tilewright {

/// Convolves along rows. Keeps its working memory between rows, so each thread needs one of its own.
template <class T>
class RowConvolution {
 public:
  /// For rows of at most `values` values, `channels` of them a pixel.
  RowConvolution(const Correlation& kernel, int channels, std::int64_t values)
      : first_(kernel.first),
        channels_(channels),
        taps_(taps_as<T>(kernel)),
        rows_(taps_.size()),
        converted_(static_cast<std::size_t>(read_values(values))) {}

  /// out[0, values): the convolution of row y of the source from pixel x on. The source stores all that is read.
  void run(const ConstView& source, std::int64_t x, std::int64_t y, std::int64_t values, T* out) {
    const T* row = row_values(source, x + first_, y, read_values(values), converted_.data());
    for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i] = row + static_cast<std::int64_t>(i) * channels_;
    weighted_sum(rows_.data(), taps_.data(), taps_.size(), out, static_cast<std::size_t>(values));
  }

  [[nodiscard]] static std::int64_t scratch_bytes(const Correlation& kernel, int channels, std::int64_t values) {
    const std::int64_t read = values + (kernel.size() - 1) * channels;
    return static_cast<std::int64_t>(sizeof(T)) * (read + kernel.size()) +
           static_cast<std::int64_t>(sizeof(T*)) * kernel.size();
  }

 private:
  [[nodiscard]] std::int64_t read_values(std::int64_t values) const {
    return values + (static_cast<std::int64_t>(taps_.size()) - 1) * channels_;
  }

  std::int64_t first_;
  int channels_;
  std::vector<T> taps_;
  std::vector<const T*> rows_;  ///< one row at the offset of each tap
  std::vector<T> converted_;
};

/// Convolves along columns, over a ring of as many rows as the kernel has taps.
template <class T>
class ColumnConvolution {
 public:
  /// For rows of at most `values` values.
  ColumnConvolution(const Correlation& kernel, std::int64_t values)
      : first_(kernel.first),
        taps_(taps_as<T>(kernel)),
        rows_(taps_.size()),
        ring_(Rect{0, 0, pitch(values), kernel.size()}, Halo{}, PixelFormat{pixel_type_of<T>, 1}) {}

  /// Where row y has to be stored before a result that reads it; it takes the place of row y - size.
  [[nodiscard]] T* row(std::int64_t y) {
    const std::int64_t size = ring_.area().height();
    return ring_.at<T>(0, (y % size + size) % size);
  }

  /// out[0, values): the convolution at row y.
  void run(std::int64_t y, std::int64_t values, T* out) {
    for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i] = row(y + first_ + static_cast<std::int64_t>(i));
    weighted_sum(rows_.data(), taps_.data(), taps_.size(), out, static_cast<std::size_t>(values));
  }

  [[nodiscard]] static std::int64_t scratch_bytes(const Correlation& kernel, std::int64_t values) {
    return kernel.size() *
           (static_cast<std::int64_t>(sizeof(T)) * (pitch(values) + 1) + static_cast<std::int64_t>(sizeof(T*)));
  }

 private:
  /// Whole cache lines, and one more: rows a power of two apart would compete for the same cache sets.
  [[nodiscard]] static std::int64_t pitch(std::int64_t values) {
    const std::int64_t line = 64 / static_cast<std::int64_t>(sizeof(T));
    return (values + line - 1) / line * line + line;
  }

  std::int64_t first_;
  std::vector<T> taps_;
  std::vector<const T*> rows_;
  Raster ring_;
};

/// How many values of a row are worked on at a time, so that the ring of rows stays in a near cache.
[[nodiscard]] inline std::int64_t strip_values(std::int64_t rows, std::int64_t value_bytes) {
  constexpr std::int64_t ring_bytes = 512 * 1024;
  constexpr std::int64_t fewest = 1024;  // shorter rows would be mostly overhead
  constexpr std::int64_t most = 16384;
  return std::clamp(ring_bytes / (rows * value_bytes), fewest, most) / 64 * 64;
}

}  // namespace tilewright
