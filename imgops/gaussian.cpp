#include "tilewright/imgops/gaussian.hpp"

#include <fmt/format.h>

#include "describe.hpp"
#include "separable_filter.hpp"

namespace tilewright {
namespace {

Correlation correlation(const GaussianDerivative& options, int order) {
  const int radius = gaussian_radius(options.sigma, order, options.truncation);
  return {gaussian_kernel(options.sigma, order, options.truncation), -radius};
}

}  // namespace

Image gaussian_derivative(const Image& image, const GaussianDerivative& options) {
  SeparableFilter::Description description;
  description.kernel = {correlation(options, options.order_x), correlation(options, options.order_y)};
  description.border = {options.border, options.border_value};
  description.text = fmt::format("gaussian_derivative(sigma={}, order_x={}, order_y={}, truncation={}, {})",
                                 options.sigma, options.order_x, options.order_y, options.truncation,
                                 describe_border(options.border, options.border_value));
  return apply(std::make_shared<SeparableFilter>(std::move(description)), {image});
}

}  // namespace tilewright
