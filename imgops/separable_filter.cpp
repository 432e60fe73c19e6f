#include "separable_filter.hpp"

#include "separable_reference.hpp"

namespace tilewright {

Halo SeparableFilter::halo() const {
  const SeparableKernels& kernel = description().kernel;
  return {kernel.x.reach(), kernel.y.reach()};
}

void SeparableFilter::reference(std::span<const ConstView> inputs, const MutableView& output) const {
  const SeparableKernels& kernel = description().kernel;
  const BorderedSource source{inputs.front(), border(), border_value()};
  if (output.format().type == PixelType::f64) {
    separable_reference<double>(source, kernel.x, kernel.y, output);
  } else {
    separable_reference<float>(source, kernel.x, kernel.y, output);
  }
}

}  // namespace tilewright
