// The operator behind convolution with a kernel that is not separable.
#pragma once

#include "jet_filter.hpp"
#include "kernel_jet.hpp"

namespace tilewright {

class KernelFilter final : public JetFilter<KernelJet> {
 public:
  using JetFilter::JetFilter;

  [[nodiscard]] Halo halo() const override;
  void reference(std::span<const ConstView> inputs, const MutableView& output) const override;

 private:
  template <class T>
  void compute_reference(const ConstView& source, const MutableView& target) const;
};

}  // namespace tilewright
