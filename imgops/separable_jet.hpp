// Separable convolutions of one image together: a Gaussian jet, if they are Gaussian derivatives.
#pragma once

#include "separable_bank.hpp"

namespace tilewright {

class SeparableJet final : public JointOperator {
 public:
  using Kernel = SeparableKernels;

  SeparableJet(std::vector<SeparableKernels> filters, const BorderRule& rule)
      : filters_(std::move(filters)), rule_(rule) {}

  [[nodiscard]] std::vector<Work> work(const ImageShape& input, const Extent& tile, std::size_t stored) const override;
  [[nodiscard]] std::int64_t scratch_bytes(const ImageShape& input, const Extent& tile) const override;
  [[nodiscard]] Extent largest_piece(const ImageShape& input, std::int64_t width) const override;
  void compute(const ConstView& input, const Rect& area, PieceSink& sink, bool streamed) const override;

  /// Whether the filters had better be computed together: so many rows of so many row kernels stay in a near cache.
  [[nodiscard]] bool is_worth_while() const;

 private:
  [[nodiscard]] std::vector<Work> pass_work(const ImageShape& input, const Extent& tile, bool streamed) const;

  std::vector<SeparableKernels> filters_;
  BorderRule rule_;
};

}  // namespace tilewright
