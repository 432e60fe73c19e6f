// Point-to-point messages of rectangles, as the runtime sends them; the calibration times these very functions.
#pragma once

#include <cstdint>
#include <span>

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

/// One side of a message: what is sent or received, and the other rank.
struct Leg {
  Block block;
  int peer = 0;
};

/// A message under way, or none. Its block is not to be touched until it is complete.
class PendingMessage {
 public:
  PendingMessage() = default;
  [[nodiscard]] bool is_under_way() const { return is_under_way_; }

 private:
  friend struct PendingMessageAccess;
  std::uintptr_t request_ = 0;  ///< MPI's
  bool is_under_way_ = false;
};

/// Both throw ParameterError if MPI cannot count the block, and RuntimeError in MPI's words.
[[nodiscard]] PendingMessage begin_receive(const Communicator& communicator, const Leg& leg, int tag);
[[nodiscard]] PendingMessage begin_send(const Communicator& communicator, const Leg& leg, int tag);
/// Returns when what was to be received is stored and what was to be sent is locally complete (or received, with
/// synchronous sends).
void complete(const Communicator& communicator, std::span<PendingMessage> messages);

void send_block(const Communicator& communicator, const Block& block, int receiver, int tag);
void receive_block(const Communicator& communicator, const Block& block, int sender, int tag);
/// A receive and a send that complete together: the receive is posted first. Either may be absent (null).
void exchange_blocks(const Communicator& communicator, const Leg* receive, const Leg* send, int tag);

}  // namespace tilewright
