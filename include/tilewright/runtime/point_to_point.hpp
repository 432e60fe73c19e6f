// Point-to-point messages of rectangles, as the runtime sends them; the calibration times these very functions.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "tilewright/core/message.hpp"
#include "tilewright/core/raster.hpp"
#include "tilewright/runtime/communicator.hpp"

namespace tilewright {

/// A rectangle in memory: `rows` rows of `row_bytes` bytes, `pitch_bytes` apart; contiguous if the rows fill the pitch
/// or there is one row.
struct Block {
  void* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t row_bytes = 0;
  std::int64_t pitch_bytes = 0;
};

/// The block of `area` in a view that stores it.
[[nodiscard]] Block block_of(const MutableView& view, const Rect& area);

/// One side of a message: what is sent or received, the other rank, and how what is not contiguous is handed to MPI. A
/// derived datatype is committed once and cached. Of a blocked message both sides say so.
struct Leg {
  Block block;
  int peer = 0;
  Packing packing = Packing::datatype;
};

/// A message under way, or none. Its block is not to be touched until it is complete. Destroyed before that, because of
/// an error, it gives the message up: nothing comes into the block any more, unless its sender has stopped in the
/// middle of it.
class PendingMessage {
 public:
  struct State;  ///< MPI's requests, and what is packed

  PendingMessage();
  explicit PendingMessage(std::unique_ptr<State> state);
  PendingMessage(PendingMessage&& other) noexcept;
  PendingMessage& operator=(PendingMessage&& other) noexcept;
  ~PendingMessage();

  [[nodiscard]] bool is_under_way() const { return state_ != nullptr; }
  /// Ends being under way.
  [[nodiscard]] std::unique_ptr<State> take();

 private:
  static void give_up(std::unique_ptr<State> state) noexcept;

  std::unique_ptr<State> state_;
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
