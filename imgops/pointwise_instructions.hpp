// The instructions of a pointwise program, and the loop that runs them, vectorised.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "pointwise_function.hpp"
#include "storing.hpp"

namespace tilewright {

/// Where the operand of an instruction comes from that is not in the registers; `first`: it is the first of the two.
enum class OperandForm : std::uint8_t { row, row_first, constant, constant_first };

/// What an instruction does, in one number, for one jump leads to it: to look up an instruction takes as long as much
/// of what it does.
struct PointwiseCode {
  enum : std::uint8_t {
    load,                  ///< the accumulator becomes the values of a row of T, which may come from memory
    load_again,            ///< the same of a row that is in a cache
    load_scaled,           ///< the same, times a constant
    load_u8,               ///< the same, converted
    load_u16,              ///< the same, converted
    load_f32,              ///< the same, converted; for T = double
    keep,                  ///< the values go to a row that the program itself will read
    store,                 ///< the values go to a row of results
    scale_and_add,         ///< the accumulator times one constant, rounded, plus another
    add_scaled,            ///< the accumulator plus a row that is in a cache, times a constant, rounded
    subtract_scaled,       ///< the accumulator less that
    subtract_from_scaled,  ///< that less the accumulator
    square_root,           ///< of the accumulator
    magnitude,             ///< of the accumulator
    compare,               ///< the accumulator with a constant
    first_of_two_operands  ///< from here on: code_of()
  };
};

/// The accumulator becomes the operation, one that has two operands, of itself and the other one.
constexpr std::uint8_t code_of(PointwiseOperation operation, OperandForm form) {
  constexpr int forms = 4;
  return static_cast<std::uint8_t>(PointwiseCode::first_of_two_operands + forms * static_cast<int>(operation) +
                                   static_cast<int>(form));
}

/// One step of a machine whose accumulator holds a block of consecutive values in vector registers.
template <class T>
struct PointwiseInstruction {
  std::uint8_t code = PointwiseCode::load;  ///< see there
  std::size_t row = 0;
  T constant = 0;          ///< or the level to compare with
  T added = 0;             ///< by scale_and_add
  T below = 0, above = 0;  ///< of a comparison
};

/// A row of values. The program's own rows begin anew with each block, and hold one.
struct PointwiseRow {
  std::byte* first = nullptr;
  std::int64_t pitch = 0;  ///< bytes to the next row of the image
  bool is_own = false;
};

/// So many bytes of values, at most, are worked on at a time: sixteen of the longest vectors.
inline constexpr std::size_t pointwise_block_bytes = 1024;

/// Runs the instructions over `height` rows of `values` values each. Results must not overlap anything else that is
/// read or written; nothing need be aligned, but rows of results that are to be streamed had better be. Every value is
/// computed by the same operations whatever its place and the vector level.
void run_instructions(std::span<const PointwiseInstruction<float>> instructions, std::span<PointwiseRow> rows,
                      std::int64_t values, std::int64_t height, Storing storing);
void run_instructions(std::span<const PointwiseInstruction<double>> instructions, std::span<PointwiseRow> rows,
                      std::int64_t values, std::int64_t height, Storing storing);

}  // namespace tilewright
