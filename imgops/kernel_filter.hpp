// The operator behind convolution with a kernel that is not separable.
#pragma once

#include <string>

#include "kernel_jet.hpp"

namespace tilewright {

class KernelFilter final : public Operator {
 public:
  struct Description {
    std::string text;  ///< what describe() says
    Correlation2d kernel;
    BorderRule border = {};
  };
  explicit KernelFilter(Description description)
      : description_(std::move(description)), jet_({description_.kernel}, description_.border) {}

  [[nodiscard]] std::string describe() const override { return description_.text; }
  [[nodiscard]] ImageShape shape(std::span<const ImageShape> inputs) const override;
  [[nodiscard]] Halo halo() const override;
  [[nodiscard]] Border border() const override { return description_.border.border; }
  [[nodiscard]] double border_value() const override { return description_.border.value; }
  [[nodiscard]] bool makes_border() const override { return true; }
  [[nodiscard]] std::vector<Work> work(std::span<const ImageShape> inputs, const Extent& tile) const override;
  [[nodiscard]] std::int64_t scratch_bytes(std::span<const ImageShape> inputs, const Extent& tile) const override;
  [[nodiscard]] std::shared_ptr<const JointOperator> joined_with(
      std::span<const Operator* const> others) const override;
  void compute(std::span<const ConstView> inputs, const MutableView& output,
               const ComputeContext& context) const override;
  void reference(std::span<const ConstView> inputs, const MutableView& output) const override;

 private:
  template <class T>
  void compute_reference(const ConstView& source, const MutableView& target) const;

  Description description_;
  KernelJet jet_;  ///< of this kernel alone: it does the work
};

}  // namespace tilewright
