// Convolution with any kernel. The kernel is flipped, as the mathematical definition has it.
#pragma once

#include <optional>
#include <vector>

#include "tilewright/core/border.hpp"
#include "tilewright/pipeline/image.hpp"

namespace tilewright {

/// A kernel of any size: values row by row, from the top left.
struct Kernel {
  int width = 1;
  int height = 1;
  std::vector<double> values;
  /// The value that stands for the pixel itself; the centre (width / 2, height / 2) if left open.
  std::optional<int> anchor_x = std::nullopt;
  std::optional<int> anchor_y = std::nullopt;
};

struct ConvolveOptions {
  Border border = Border::reflect101;
  double border_value = 0;  ///< of a constant border
};

/// out(x, y) = sum over i, j of k(i, j) * in(x + anchor_x - i, y + anchor_y - j). Records; computes nothing.
///
/// Shape: that of the image. Pixel: u8, u16, f32 give f32; f64 gives f64. Halo: the larger reach of the kernel in each
/// direction. Placement: any in, the same out. Cost: "convolve_2d", parameter: number of values in the kernel.
/// Throws: ParameterError if the kernel's size, values or anchor do not fit together or are not finite.
[[nodiscard]] Image convolve(const Image& image, const Kernel& kernel, const ConvolveOptions& options = {});

/// Convolution with the product of a row and a column kernel, each anchored at its centre, size / 2.
///
/// Shape: that of the image. Pixel: u8, u16, f32 give f32; f64 gives f64. Halo: half the sizes. Placement: any in, the
/// same out. Cost: "convolve_separable". Throws: ParameterError for an empty kernel or one with
/// values that are not finite.
[[nodiscard]] Image convolve_separable(const Image& image, const std::vector<double>& kernel_x,
                                       const std::vector<double>& kernel_y, const ConvolveOptions& options = {});

}  // namespace tilewright
