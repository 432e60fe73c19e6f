#include "kernel_filter.hpp"

#include "bands.hpp"
#include "bordered_source.hpp"
#include "correlation.hpp"
#include "multiply_add.hpp"
#include "whole_target.hpp"

namespace tilewright {

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
  return jet_.work(inputs.front(), tile, 1);
}

std::int64_t KernelFilter::scratch_bytes(std::span<const ImageShape> inputs, const Extent& tile) const {
  return jet_.scratch_bytes(inputs.front(), tile);
}

std::shared_ptr<const JointOperator> KernelFilter::joined_with(std::span<const Operator* const> others) const {
  std::vector<Correlation2d> kernels{description_.kernel};
  for (const Operator* other : others) {
    const auto* filter = dynamic_cast<const KernelFilter*>(other);
    if (filter == nullptr) return nullptr;
    kernels.push_back(filter->description_.kernel);
  }
  auto jet = std::make_shared<KernelJet>(std::move(kernels), description_.border);
  return others.empty() || jet->is_worth_while() ? jet : nullptr;
}

void KernelFilter::compute(std::span<const ConstView> inputs, const MutableView& output,
                           const ComputeContext& context) const {
  for_each_band(output.area(), context.threads, [&](const Rect& band) {
    WholeTarget target(output);
    jet_.compute(inputs.front(), band, target, true);
  });
}

template <class T>
void KernelFilter::compute_reference(const ConstView& source, const MutableView& target) const {
  const Correlation2d& kernel = description_.kernel;
  const BorderedSource bordered{source, description_.border.border, description_.border.value};
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
