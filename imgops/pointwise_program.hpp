// Several pointwise functions at once: what they hand to each other stays in registers.
#pragma once

#include <optional>
#include <vector>

#include "pointwise_instructions.hpp"
#include "tilewright/core/raster.hpp"

namespace tilewright {

/// Where an operand of a pointwise step comes from.
struct PointwiseOperand {
  bool is_step = false;
  std::size_t index = 0;  ///< of the step, else of the input
};

struct PointwiseStep {
  PointwiseFunction function;
  std::vector<PointwiseOperand> operands;  ///< one, or two without a constant
  std::optional<std::size_t> result = {};  ///< which output receives its values
};

/// Computes in T, float or double. Immutable.
template <class T>
class PointwiseProgram {
 public:
  /// `inputs`: their types, each of which T represents. Each step reads inputs and steps before it.
  PointwiseProgram(std::vector<PixelType> inputs, const std::vector<PointwiseStep>& steps);

  /// All views store `area`; outputs are of type T and overlap nothing else. Everything has as many channels. The
  /// caller finishes the streaming.
  void run(std::span<const ConstView> inputs, std::span<const MutableView> outputs, const Rect& area,
           Storing storing) const;

  /// Instructions that go over a block, the last one stored.
  [[nodiscard]] std::size_t length() const { return instructions_.size(); }
  /// Working memory of run(), in bytes.
  [[nodiscard]] std::int64_t scratch_bytes() const {
    return static_cast<std::int64_t>(own_rows_ * pointwise_block_bytes);
  }

 private:
  class Compiler;

  std::size_t inputs_;
  std::size_t outputs_ = 0;
  std::size_t own_rows_ = 0;
  std::vector<PointwiseInstruction<T>> instructions_;  ///< rows: inputs, outputs, own ones
};

/// What compute() of a pointwise operator is where its output is of a floating-point type.
void compute_function(const PointwiseFunction& function, std::span<const ConstView> inputs, const MutableView& output,
                      int threads);

}  // namespace tilewright
