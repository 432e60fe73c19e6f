// Point-to-point messages of rectangles, as the runtime sends them; the calibration times these very functions.
#pragma once

#include "tilewright/core/raster.hpp"
#include "tilewright/runtime/communicator.hpp"

namespace tilewright {

/// A rectangle in memory: `rows` rows of `row_bytes` bytes, `pitch_bytes` apart. Described to MPI by a derived
/// datatype that is committed once and cached; contiguous if the rows fill the pitch or there is one row.
struct Block {
  void* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t row_bytes = 0;
  std::int64_t pitch_bytes = 0;
};

/// The block of `area` in a view that stores it.
[[nodiscard]] Block block_of(const MutableView& view, const Rect& area);

/// Returns when the send is locally complete (or received, with synchronous sends).
void send_block(const Communicator& communicator, const Block& block, int receiver, int tag);
/// Returns when the data are stored.
void receive_block(const Communicator& communicator, const Block& block, int sender, int tag);

/// A receive and a send that complete together: the receive is posted first. Either may be absent (null).
struct Leg {
  Block block;
  int peer = 0;
};
void exchange_blocks(const Communicator& communicator, const Leg* receive, const Leg* send, int tag);

}  // namespace tilewright
