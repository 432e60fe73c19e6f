// The oracle of separable convolution: what it means, and the order of its operations.
#pragma once

#include <vector>

#include "bordered_source.hpp"
#include "folded_kernel.hpp"
#include "multiply_add.hpp"

namespace tilewright {

/// The result of a kernel at the place where read(offset) yields the value at `offset` from there.
template <class T, class Read>
[[nodiscard]] T folded_reference(const FoldedKernel<T>& kernel, SimdLevel level, const Read& read) {
  if (kernel.symmetry == Symmetry::none) {
    T sum = kernel.weights[0] * read(kernel.first);
    for (std::int64_t i = 1; i < kernel.size; ++i) {
      sum = multiply_add(kernel.weights[static_cast<std::size_t>(i)], read(kernel.first + i), sum, level);
    }
    return sum;
  }
  const auto weights = kernel.pairs();
  const auto pair = [&](std::size_t i) {
    const T left = read(kernel.innermost_left() - static_cast<std::int64_t>(i));
    const T right = read(kernel.innermost_right() + static_cast<std::int64_t>(i));
    return kernel.symmetry == Symmetry::even ? right + left : right - left;
  };
  T sum{};
  if (kernel.has_centre) {
    const T centre = kernel.weights.front() * read(kernel.innermost_left() + 1);
    sum = multiply_add(weights[0], pair(0), centre, level);
  } else {
    sum = weights[0] * pair(0);
  }
  for (std::size_t i = 1; i < weights.size(); ++i) sum = multiply_add(weights[i], pair(i), sum, level);
  return sum;
}

/// First every row that is read, then the columns of one x and channel at a time.
template <class T>
void separable_reference(const BorderedSource& source, const Correlation& x_kernel, const Correlation& y_kernel,
                         const MutableView& output) {
  const Rect area = output.area();
  const SimdLevel level = current_simd_level();
  const FoldedKernel<T> along_x = folded<T>(x_kernel);
  const FoldedKernel<T> along_y = folded<T>(y_kernel);
  std::vector<T> column(static_cast<std::size_t>(area.height() + y_kernel.size() - 1));
  for (std::int64_t x = area.x0; x < area.x1; ++x) {
    for (int channel = 0; channel < output.format().channels; ++channel) {
      for (std::size_t i = 0; i < column.size(); ++i) {
        const std::int64_t y = area.y0 + y_kernel.first + static_cast<std::int64_t>(i);
        column[i] = folded_reference(along_x, level,
                                     [&](std::int64_t offset) { return source.value<T>(x + offset, y, channel); });
      }
      for (std::int64_t y = area.y0; y < area.y1; ++y) {
        const T* read = &column[static_cast<std::size_t>(y - area.y0)];
        output.at<T>(x, y)[channel] =
            folded_reference(along_y, level, [&](std::int64_t offset) { return read[offset - along_y.first]; });
      }
    }
  }
}

}  // namespace tilewright
