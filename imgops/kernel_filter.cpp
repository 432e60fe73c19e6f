#include "kernel_filter.hpp"

#include "bordered_source.hpp"
#include "correlation.hpp"
#include "multiply_add.hpp"

namespace tilewright {

Halo KernelFilter::halo() const {
  const Correlation2d& kernel = description().kernel;
  return {std::max<std::int64_t>({0, -kernel.first_x, kernel.first_x + kernel.width - 1}),
          std::max<std::int64_t>({0, -kernel.first_y, kernel.first_y + kernel.height - 1})};
}

template <class T>
void KernelFilter::compute_reference(const ConstView& source, const MutableView& target) const {
  const Correlation2d& kernel = description().kernel;
  const BorderedSource bordered{source, border(), border_value()};
  const std::vector<T> taps = taps_as<T>(kernel.taps);
  const SimdLevel level = current_simd_level();
  const auto pixel = [&](std::int64_t x, std::int64_t y, int channel) {
    T sum{};
    for (std::int64_t j = 0; j < kernel.height; ++j) {
      for (std::int64_t i = 0; i < kernel.width; ++i) {
        const T tap = taps[static_cast<std::size_t>(j * kernel.width + i)];
        const T value = bordered.value<T>(x + kernel.first_x + i, y + kernel.first_y + j, channel);
        // not added to 0 at first, which would turn -0 into 0
        sum = i == 0 && j == 0 ? tap * value : multiply_add(tap, value, sum, level);
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
