// Gaussian smoothing and Gaussian derivatives of any order, separable.
#pragma once

#include <vector>

#include "tilewright/core/border.hpp"
#include "tilewright/pipeline/image.hpp"

namespace tilewright {

struct GaussianDerivative {
  double sigma = 1;  ///< scale in pixels, > 0
  int order_x = 0;   ///< of differentiation, 0 to 20
  int order_y = 0;
  double truncation = 0;  ///< kernel radius in sigmas; 0: the rule of gaussian_radius()
  Border border = Border::reflect101;
  double border_value = 0;  ///< of a constant border
};

/// The derivative of order (order_x, order_y) of the image smoothed with a Gaussian. Records; computes nothing.
///
/// Shape: that of the image. Pixel: u8, u16, f32 give f32; f64 gives f64. Halo: the kernels' radii. Placement: any in,
/// the same out. Cost: "convolve_separable". Throws: ParameterError, as gaussian_kernel() does.
/// Source: P-3PC (Seinstra and Koelma, IEEE TPDS 2002), section 4, for the kernel sizes.
[[nodiscard]] Image gaussian_derivative(const Image& image, const GaussianDerivative& options);

inline constexpr int largest_gaussian_radius = 100000;

/// Radius r of the kernel of 2r+1 taps. With truncation t > 0: ceil(t * sigma). Otherwise the paper's kernel sizes
/// (7, 9, 9 taps for order 0, 1, 2 at sigma 1; 15, 23, 25 at 3; 23, 37, 39 at 5), linear in sigma between them and
/// beyond, rounded up; for order n > 2 that of order 2 plus ceil((n - 2) * sigma / 2). Never less than 1 or order / 2.
/// Throws ParameterError for a sigma that is not positive, an order outside 0 to 20, a negative truncation, a value
/// that is not finite, and a radius above largest_gaussian_radius.
[[nodiscard]] int gaussian_radius(double sigma, int order, double truncation = 0);

/// The taps in the order of correlation: the result at x is the sum of k[i] * f(x + i - r).
/// k(x) = p(x) * g(x), where p is the polynomial of degree `order` that is orthogonal to all of lower degree under the
/// sampled Gaussian g on these taps, scaled so that polynomials up to that degree are differentiated exactly: the taps
/// of order 0 add up to 1, and the ramp f(x) = x has the first derivative +1.
/// Throws ParameterError as gaussian_radius() does, and if sigma is so small for the order that g vanishes on the taps.
[[nodiscard]] std::vector<double> gaussian_kernel(double sigma, int order, double truncation = 0);

}  // namespace tilewright
