// Several operators in one pass over their inputs; what they hand to each other stays in a near cache.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tilewright/pipeline/operator.hpp"

namespace tilewright {

/// Members in an order in which each reads only inputs of the whole and results of members before it. The first
/// `joint` of them have a neighbourhood, read the same one input, and can be joined (Operator::joined_with); the others
/// have none.
class FusedOperator final : public Operator {
 public:
  /// Where an input of a member comes from.
  struct Origin {
    bool is_member = false;
    std::size_t index = 0;  ///< of the member, else of the input of the whole
  };
  struct Member {
    std::shared_ptr<const Operator> op;
    std::vector<Origin> inputs;
  };
  struct Description {
    std::vector<Member> members;
    std::size_t joint = 0;
    std::vector<std::size_t> results;  ///< members whose images are asked for, in rising order
  };
  explicit FusedOperator(Description description);

  [[nodiscard]] std::string describe() const override;
  [[nodiscard]] std::string summary() const override;
  [[nodiscard]] std::size_t results() const override { return description_.results.size(); }
  [[nodiscard]] ImageShape shape(std::span<const ImageShape> inputs) const override { return shapes(inputs).front(); }
  [[nodiscard]] std::vector<ImageShape> shapes(std::span<const ImageShape> inputs) const override;
  [[nodiscard]] Halo halo() const override;
  [[nodiscard]] Border border() const override;
  [[nodiscard]] double border_value() const override;
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

  [[nodiscard]] std::vector<ImageShape> member_shapes(std::span<const ImageShape> inputs) const;
  [[nodiscard]] std::vector<ImageShape> input_shapes(const Member& member, std::span<const ImageShape> inputs,
                                                     std::span<const ImageShape> members) const;
  /// Which input the joint members read.
  [[nodiscard]] std::size_t filtered_input() const { return description_.members.front().inputs.front().index; }
  [[nodiscard]] std::int64_t piece_pixels(std::span<const ImageShape> inputs, std::int64_t width) const;
  void assign_buffers();

  Description description_;
  std::shared_ptr<const JointOperator> jet_;           ///< null without joint members
  std::vector<std::optional<std::size_t>> result_of_;  ///< of each member: which result it is
  std::vector<std::size_t> buffer_of_;                 ///< of each that is none: which buffer holds its pieces
  std::size_t buffers_ = 0;
};

}  // namespace tilewright
