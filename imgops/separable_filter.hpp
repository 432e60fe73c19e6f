// The operator behind every separable convolution.
#pragma once

#include <string>

#include "separable_jet.hpp"

namespace tilewright {

class SeparableFilter final : public Operator {
 public:
  struct Description {
    std::string text;  ///< what describe() says
    Correlation x;
    Correlation y;
    BorderRule border = {};
  };
  explicit SeparableFilter(Description description) : description_(std::move(description)) {}

  [[nodiscard]] std::string describe() const override { return description_.text; }
  [[nodiscard]] ImageShape shape(std::span<const ImageShape> inputs) const override;
  [[nodiscard]] Halo halo() const override { return {description_.x.reach(), description_.y.reach()}; }
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
  /// A jet of this filter alone: it does the work.
  [[nodiscard]] SeparableJet alone() const;

  Description description_;
};

}  // namespace tilewright
