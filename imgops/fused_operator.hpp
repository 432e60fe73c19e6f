// Several operators in one pass over their inputs; what they hand to each other stays in a near cache.
#pragma once

#include <string>
#include <vector>

#include "fused_stages.hpp"

namespace tilewright {

/// Runs what a description says, on inputs of the formats that it was made for.
class FusedOperator final : public Operator {
 public:
  FusedOperator(FusedDescription description, std::span<const ImageShape> inputs);
  FusedOperator(const FusedOperator&) = delete;  // its stages refer to its description
  FusedOperator& operator=(const FusedOperator&) = delete;

  [[nodiscard]] std::string describe() const override;
  [[nodiscard]] std::string summary() const override;
  [[nodiscard]] std::size_t results() const override { return description_.results.size(); }
  [[nodiscard]] ImageShape shape(std::span<const ImageShape> inputs) const override { return shapes(inputs).front(); }
  [[nodiscard]] std::vector<ImageShape> shapes(std::span<const ImageShape> inputs) const override;
  [[nodiscard]] Halo halo() const override;
  [[nodiscard]] Border border() const override;
  [[nodiscard]] double border_value() const override;
  [[nodiscard]] bool makes_border() const override { return jet_ != nullptr; }
  [[nodiscard]] std::vector<Work> work(std::span<const ImageShape> inputs, const Extent& tile) const override;
  [[nodiscard]] std::int64_t scratch_bytes(std::span<const ImageShape> inputs, const Extent& tile) const override;
  void compute(std::span<const ConstView> inputs, const MutableView& output,
               const ComputeContext& context) const override;
  void compute_all(std::span<const ConstView> inputs, std::span<const MutableView> outputs,
                   const ComputeContext& context) const override;
  void reference(std::span<const ConstView> inputs, const MutableView& output) const override;
  void reference_all(std::span<const ConstView> inputs, std::span<const MutableView> outputs) const override;

 private:
  class PieceRun;

  /// Which input the joint members read.
  [[nodiscard]] std::size_t filtered_input() const { return description_.members.front().inputs.front().index; }
  [[nodiscard]] Extent largest_piece(std::span<const ImageShape> inputs, std::int64_t width) const;
  [[nodiscard]] std::vector<Work> member_work(std::size_t member, const Extent& tile, double piece) const;
  [[nodiscard]] std::vector<Work> program_work(const FusedStage& stage, const Extent& tile, double piece) const;
  void add_reads(const FusedStage& stage, double values, std::vector<Work>& all) const;
  void compute_in_pieces(int channels, const Rect& band, PieceSink& run) const;

  const FusedDescription description_;
  const FusedStages stages_;                  ///< once, not with each tile: as long as a small tile of a long program
  std::shared_ptr<const JointOperator> jet_;  ///< null without joint members
};

}  // namespace tilewright
