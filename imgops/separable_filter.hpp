// The operator behind every separable convolution.
#pragma once

#include "jet_filter.hpp"
#include "separable_jet.hpp"

namespace tilewright {

class SeparableFilter final : public JetFilter<SeparableJet> {
 public:
  using JetFilter::JetFilter;

  [[nodiscard]] Halo halo() const override;
  void reference(std::span<const ConstView> inputs, const MutableView& output) const override;
};

}  // namespace tilewright
