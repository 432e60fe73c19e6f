// The messages of the benchmark: how many values are sent, and how they lie in memory. Those of P-3PC's Fig. 8, and
// those that tell what other blocks cost.
#pragma once

#include <cstdint>
#include <vector>

#include "tilewright/core/message.hpp"
#include "tilewright/model/machine_profile.hpp"

namespace tilewright {

/// How the values of one end of a message lie: `rows` rows of `row_bytes` bytes, `pitch_bytes` apart.
struct MessageShape {
  std::int64_t rows = 0;
  std::int64_t row_bytes = 0;
  std::int64_t pitch_bytes = 0;

  [[nodiscard]] constexpr std::int64_t bytes() const { return rows * row_bytes; }
  /// From the first byte to the end of the last row's pitch: the memory that it needs.
  [[nodiscard]] constexpr std::int64_t extent_bytes() const { return rows * pitch_bytes; }
  bool operator==(const MessageShape&) const = default;
};

/// How many of `values` values a message of that layout really carries, at both of its ends: all if both are
/// contiguous; else those that 100 equal blocks can hold, 1000 of 1024, and all of less than 100 (blocks of one value).
[[nodiscard]] std::int64_t values_sent(Layout layout, std::int64_t values);

/// The cells of a row: the paper's blocks of each of `sizes` values, as many as are really sent, and the empty message;
/// ascending.
[[nodiscard]] std::vector<PathCell> row_cells(Path path, Layout layout, const std::vector<std::int64_t>& sizes,
                                              Packing packing = Packing::datatype);

/// How the cell's message lies at its two ends.
[[nodiscard]] MessageShape sender_shape(const PathCell& cell);
[[nodiscard]] MessageShape receiver_shape(const PathCell& cell);

/// The blocks from which StrideCosts interpolates, of messages of `bytes` bytes, or as many as their blocks can hold:
/// lengths from a value to 4096, each `growth` times the one before and one value more (lengths that are copied in one
/// instruction, or a whole number of lines, tell nothing of others); and with each the strides of two block lengths, of
/// 300 bytes in messages from 16 KiB on, about as far as processors read ahead, of 604, where each block has lines of
/// its own that nothing reads ahead, and of 12,028, where it has a page of its own. Time grows with the number of
/// blocks and with the bytes, so a few lengths tell all. Left out are blocks that would span more than 16 MiB, for no
/// image has them; and with a growth of more than 4 the strides of 300 and of 12,028 bytes.
[[nodiscard]] std::vector<BlockShape> measured_blocks(std::int64_t bytes, std::int64_t growth);

/// One row; or blocks that are two block lengths apart, empty ones for an empty message, so that it too costs what
/// describing the blocks costs. `sent` is what values_sent() says.
[[nodiscard]] MessageShape contiguous_shape(std::int64_t sent);
[[nodiscard]] MessageShape strided_shape(std::int64_t sent);

}  // namespace tilewright
