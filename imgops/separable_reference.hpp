// The oracle of separable convolution: what it means, and the order of its operations.
#pragma once

#include <vector>

#include "bordered_source.hpp"
#include "correlation.hpp"

namespace tilewright {

/// The row convolution at (x, y), which may lie above or below the image.
template <class T>
[[nodiscard]] T row_reference(const BorderedSource& source, const std::vector<T>& taps, std::int64_t first,
                              std::int64_t x, std::int64_t y, int channel) {
  T sum = taps[0] * source.value<T>(x + first, y, channel);
  for (std::size_t i = 1; i < taps.size(); ++i) {
    sum = sum + taps[i] * source.value<T>(x + first + static_cast<std::int64_t>(i), y, channel);
  }
  return sum;
}

/// First every row that is read, then the columns of one x and channel at a time.
template <class T>
void separable_reference(const BorderedSource& source, const Correlation& x_kernel, const Correlation& y_kernel,
                         const MutableView& output) {
  const Rect area = output.area();
  const std::vector<T> taps_x = taps_as<T>(x_kernel);
  const std::vector<T> taps_y = taps_as<T>(y_kernel);
  std::vector<T> column(static_cast<std::size_t>(area.height() + y_kernel.size() - 1));
  for (std::int64_t x = area.x0; x < area.x1; ++x) {
    for (int channel = 0; channel < output.format().channels; ++channel) {
      for (std::size_t i = 0; i < column.size(); ++i) {
        const std::int64_t y = area.y0 + y_kernel.first + static_cast<std::int64_t>(i);
        column[i] = row_reference(source, taps_x, x_kernel.first, x, y, channel);
      }
      for (std::int64_t y = area.y0; y < area.y1; ++y) {
        const T* read = &column[static_cast<std::size_t>(y - area.y0)];
        T sum = taps_y[0] * read[0];
        for (std::size_t i = 1; i < taps_y.size(); ++i) sum = sum + taps_y[i] * read[i];
        output.at<T>(x, y)[channel] = sum;
      }
    }
  }
}

}  // namespace tilewright
