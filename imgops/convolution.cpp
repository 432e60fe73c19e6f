#include "tilewright/imgops/convolution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "describe.hpp"
#include "kernel_filter.hpp"
#include "separable_filter.hpp"

namespace tilewright {
namespace {

void check_values(const char* name, const std::vector<double>& values) {
  if (values.empty()) throw ParameterError(fmt::format("{} has no values: give one at least", name));
  const auto bad = std::find_if(values.begin(), values.end(), [](double value) { return !std::isfinite(value); });
  if (bad != values.end()) {
    throw ParameterError(fmt::format("value {} of {} is {}: use finite values", bad - values.begin(), name, *bad));
  }
}

int checked_anchor(const char* name, std::optional<int> anchor, int size) {
  const int place = anchor.value_or(size / 2);
  if (place >= 0 && place < size) return place;
  throw ParameterError(
      fmt::format("{}={} lies outside a kernel of that side {}: use 0 to {}", name, place, size, size - 1));
}

void check_size(const Kernel& kernel) {
  const bool fits =
      kernel.width >= 1 && kernel.height >= 1 &&
      kernel.values.size() / static_cast<std::size_t>(kernel.width) == static_cast<std::size_t>(kernel.height) &&
      kernel.values.size() % static_cast<std::size_t>(kernel.width) == 0;
  if (fits) return;
  throw ParameterError(fmt::format("a kernel of {}x{} with {} values: give width * height of them", kernel.width,
                                   kernel.height, kernel.values.size()));
}

/// Flips the kernel: convolution reads backwards.
Correlation flipped(const std::vector<double>& kernel) {
  const auto size = static_cast<std::int64_t>(kernel.size());
  return {{kernel.rbegin(), kernel.rend()}, size / 2 - (size - 1)};
}

}  // namespace

Image convolve(const Image& image, const Kernel& kernel, const ConvolveOptions& options) {
  check_values("the kernel", kernel.values);
  check_size(kernel);
  const int anchor_x = checked_anchor("anchor_x", kernel.anchor_x, kernel.width);
  const int anchor_y = checked_anchor("anchor_y", kernel.anchor_y, kernel.height);
  KernelFilter::Description description;
  description.kernel = {{kernel.values.rbegin(), kernel.values.rend()},
                        kernel.width,
                        kernel.height,
                        anchor_x - (kernel.width - 1),
                        anchor_y - (kernel.height - 1)};
  description.border = {options.border, options.border_value};
  description.text = fmt::format("convolve({}x{}, {}, anchor_x={}, anchor_y={}, {})", kernel.width, kernel.height,
                                 describe_values(kernel.values), anchor_x, anchor_y,
                                 describe_border(options.border, options.border_value));
  return apply(std::make_shared<KernelFilter>(std::move(description)), {image});
}

Image convolve_separable(const Image& image, const std::vector<double>& kernel_x, const std::vector<double>& kernel_y,
                         const ConvolveOptions& options) {
  check_values("kernel_x", kernel_x);
  check_values("kernel_y", kernel_y);
  SeparableFilter::Description description;
  description.kernel = {flipped(kernel_x), flipped(kernel_y)};
  description.border = {options.border, options.border_value};
  description.text = fmt::format("convolve_separable(x={}, y={}, {})", describe_values(kernel_x),
                                 describe_values(kernel_y), describe_border(options.border, options.border_value));
  return apply(std::make_shared<SeparableFilter>(std::move(description)), {image});
}

}  // namespace tilewright
