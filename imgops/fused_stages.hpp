// What a pass consists of once the types of its inputs are known.
#pragma once

#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "pointwise_program.hpp"
#include "tilewright/pipeline/operator.hpp"

namespace tilewright {

/// Where an input of a member comes from.
struct FusedOrigin {
  bool is_member = false;
  std::size_t index = 0;  ///< of the member, else of the input of the whole
  bool operator==(const FusedOrigin&) const = default;
};

struct FusedMember {
  std::shared_ptr<const Operator> op;
  std::vector<FusedOrigin> inputs;
};

/// Members in an order in which each reads only inputs of the whole and results of members before it. The first
/// `joint` of them have a neighbourhood, read the same one input, and can be joined (Operator::joined_with); the others
/// have none.
struct FusedDescription {
  std::vector<FusedMember> members;
  std::size_t joint = 0;
  std::vector<std::size_t> results;  ///< members whose images are asked for, in rising order
};

/// Members without a neighbourhood that run together, as a program, or one alone.
struct FusedStage {
  std::vector<std::size_t> members;  ///< in a row
  std::vector<FusedOrigin> inputs;   ///< what they read of others, each once
  std::vector<std::size_t> stored;   ///< those whose images others read, or are asked for
  std::variant<std::monostate, PointwiseProgram<float>, PointwiseProgram<double>> program;

  [[nodiscard]] bool is_program() const { return program.index() != 0; }
  /// Calls action(program) if there is one.
  template <class Action>
  void with_program(const Action& action) const {
    if (const auto* single = std::get_if<PointwiseProgram<float>>(&program)) action(*single);
    if (const auto* twice = std::get_if<PointwiseProgram<double>>(&program)) action(*twice);
  }
};

/// Of the images that the members make of such inputs.
[[nodiscard]] std::vector<ImageShape> member_shapes(const FusedDescription& description,
                                                    std::span<const ImageShape> inputs);

/// Immutable. The description must outlive it.
class FusedStages {
 public:
  FusedStages(const FusedDescription& description, std::span<const ImageShape> inputs);

  [[nodiscard]] const std::vector<FusedStage>& all() const { return stages_; }
  /// Of the inputs of the whole.
  [[nodiscard]] const std::vector<ImageShape>& inputs() const { return inputs_; }
  /// Of each member's image.
  [[nodiscard]] const std::vector<ImageShape>& shapes() const { return shapes_; }
  /// Of what a member reads.
  [[nodiscard]] std::vector<ImageShape> input_shapes(std::size_t member) const;
  /// What a member of a program does.
  [[nodiscard]] PointwiseFunction function_of(std::size_t member) const;
  /// Which result a member's image is; none if nobody asked for it.
  [[nodiscard]] std::optional<std::size_t> result_of(std::size_t member) const { return result_of_[member]; }
  /// Whether a stage after that one reads a member's image.
  [[nodiscard]] bool is_read_after(std::size_t member, std::size_t stage) const {
    return last_reader_[member] && *last_reader_[member] > stage;
  }
  /// The buffer for the pieces of a member that is no result but stored, or joint.
  [[nodiscard]] std::size_t buffer_of(std::size_t member) const { return buffer_of_[member]; }
  [[nodiscard]] std::size_t buffers() const { return buffers_; }
  /// Of a pixel of the widest member, for members of several types take turns in a buffer.
  [[nodiscard]] std::int64_t bytes_a_pixel() const { return bytes_a_pixel_; }

 private:
  [[nodiscard]] PixelType type_of(const FusedOrigin& origin) const;
  [[nodiscard]] bool can_be_programmed(std::size_t member) const;
  void form_stages();
  void find_readers();
  void complete(FusedStage& stage, std::size_t index) const;
  template <class T>
  [[nodiscard]] PointwiseProgram<T> program_of(const FusedStage& stage) const;
  void assign_buffers();

  const FusedDescription& description_;
  std::vector<ImageShape> inputs_;
  std::vector<ImageShape> shapes_;
  std::vector<std::optional<std::size_t>> result_of_;
  std::vector<FusedStage> stages_;
  std::vector<std::optional<std::size_t>> last_reader_;  ///< of each member: the last stage, not its own
  std::vector<std::size_t> buffer_of_;
  std::size_t buffers_ = 0;
  std::int64_t bytes_a_pixel_ = 0;
};

}  // namespace tilewright
