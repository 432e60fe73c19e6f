#include "separable_filter.hpp"

#include "bands.hpp"
#include "separable_reference.hpp"
#include "whole_target.hpp"

namespace tilewright {
SeparableJet SeparableFilter::alone() const {
  return SeparableJet({{description_.x, description_.y}}, description_.border);
}

ImageShape SeparableFilter::shape(std::span<const ImageShape> inputs) const {
  ImageShape result = inputs.front();
  result.format.type = computing_type(result.format.type);
  return result;
}

std::vector<Work> SeparableFilter::work(std::span<const ImageShape> inputs, const Extent& tile) const {
  return alone().work(inputs.front(), tile, 1);
}

std::int64_t SeparableFilter::scratch_bytes(std::span<const ImageShape> inputs, const Extent& tile) const {
  return alone().scratch_bytes(inputs.front(), tile);
}

std::shared_ptr<const JointOperator> SeparableFilter::joined_with(std::span<const Operator* const> others) const {
  std::vector<SeparableKernels> filters{{description_.x, description_.y}};
  for (const Operator* other : others) {
    const auto* filter = dynamic_cast<const SeparableFilter*>(other);
    if (filter == nullptr) return nullptr;
    filters.push_back({filter->description_.x, filter->description_.y});
  }
  auto jet = std::make_shared<SeparableJet>(std::move(filters), description_.border);
  return others.empty() || jet->fits_cache() ? jet : nullptr;
}

void SeparableFilter::compute(std::span<const ConstView> inputs, const MutableView& output,
                              const ComputeContext& context) const {
  const SeparableJet jet = alone();
  for_each_band(output.area(), context.threads, [&](const Rect& band) {
    WholeTarget target(output);
    jet.compute(inputs.front(), band, target, true);
  });
}

void SeparableFilter::reference(std::span<const ConstView> inputs, const MutableView& output) const {
  const BorderedSource source{inputs.front(), description_.border.border, description_.border.value};
  if (output.format().type == PixelType::f64) {
    separable_reference<double>(source, description_.x, description_.y, output);
  } else {
    separable_reference<float>(source, description_.x, description_.y, output);
  }
}

}  // namespace tilewright
