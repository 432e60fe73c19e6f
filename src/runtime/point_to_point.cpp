#include "tilewright/runtime/point_to_point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "communicator_implementation.hpp"
#include "packing.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

/// A block as MPI takes it.
struct Described {
  void* data = nullptr;
  int count = 0;
  MPI_Datatype type = MPI_BYTE;
};

bool is_contiguous(const Block& block) {
  return block.rows <= 1 || block.row_bytes == block.pitch_bytes;
}

Described describe(const Communicator::Implementation& mpi, const Block& block) {
  const std::int64_t bytes = block.rows * block.row_bytes;
  if (is_contiguous(block) && bytes <= std::numeric_limits<int>::max()) return {block.data, static_cast<int>(bytes), MPI_BYTE};
  if (block.row_bytes > std::numeric_limits<int>::max() || block.rows > std::numeric_limits<int>::max()) {
    throw ParameterError(
        fmt::format("a block of {} rows of {} bytes is too large for one message", block.rows, block.row_bytes));
  }
  return {block.data, 1, mpi.datatypes.strided(block.rows, block.row_bytes, block.pitch_bytes)};
}

const Communicator::Implementation& mpi_of(const Communicator& communicator) {
  const Communicator::Implementation& mpi = communicator.implementation();
  if (!mpi.has_mpi()) throw InternalError("a message without MPI");
  return mpi;
}

}  // namespace

/// What lies between the block and MPI: for `packing` by hand a buffer, in the pieces in which it travels.
struct PendingMessage::State {
  struct Piece {
    Block block;                  ///< of the user's memory
    std::byte* packed = nullptr;  ///< null: MPI reads or writes the block itself
    MPI_Request request = MPI_REQUEST_NULL;
  };
  std::vector<Piece> pieces;
  std::unique_ptr<std::byte[]> buffer;
  bool is_received = false;
};

PendingMessage::PendingMessage() = default;
PendingMessage::PendingMessage(std::unique_ptr<State> state) : state_(std::move(state)) {}
PendingMessage::PendingMessage(PendingMessage&&) noexcept = default;
PendingMessage& PendingMessage::operator=(PendingMessage&&) noexcept = default;
PendingMessage::~PendingMessage() = default;

std::unique_ptr<PendingMessage::State> PendingMessage::take() {
  return std::move(state_);
}

namespace {

using State = PendingMessage::State;

/// How much of a blocked message is packed before it leaves: about what the first cache holds, and long enough to be
/// worth a message.
constexpr std::int64_t piece_bytes = 32 * 1024;

std::int64_t rows_of_piece(const Leg& leg) {
  if (leg.packing != Packing::blocked) return std::max<std::int64_t>(1, leg.block.rows);
  return std::max<std::int64_t>(1, piece_bytes / std::max<std::int64_t>(1, leg.block.row_bytes));
}

/// Nothing begun yet.
std::unique_ptr<State> state_of(const Leg& leg, bool is_received) {
  const Block& block = leg.block;
  auto state = std::make_unique<State>();
  state->is_received = is_received;
  const bool by_hand = leg.packing != Packing::datatype && !is_contiguous(block);
  if (by_hand) state->buffer.reset(new std::byte[static_cast<std::size_t>(block.rows * block.row_bytes)]);
  const std::int64_t step = rows_of_piece(leg);
  std::int64_t row = 0;
  do {
    const std::int64_t rows = std::min(step, block.rows - row);
    std::byte* first = static_cast<std::byte*>(block.data) + row * block.pitch_bytes;
    std::byte* packed = by_hand ? state->buffer.get() + row * block.row_bytes : nullptr;
    state->pieces.push_back({{first, rows, block.row_bytes, block.pitch_bytes}, packed});
    row += step;
  } while (row < block.rows);
  return state;
}

/// What MPI is to send or receive of a piece.
Described describe(const Communicator::Implementation& mpi, const State::Piece& piece) {
  const Block& block = piece.block;
  if (piece.packed == nullptr) return describe(mpi, block);
  return describe(mpi, Block{piece.packed, block.rows, block.row_bytes, block.row_bytes});
}

}  // namespace

PendingMessage begin_receive(const Communicator& communicator, const Leg& leg, int tag) {
  const Communicator::Implementation& mpi = mpi_of(communicator);
  std::unique_ptr<State> state = state_of(leg, true);
  for (State::Piece& piece : state->pieces) {
    const Described what = describe(mpi, piece);
    mpi.check(MPI_Irecv(what.data, what.count, what.type, leg.peer, tag, mpi.comm, &piece.request), "MPI_Irecv");
  }
  return PendingMessage(std::move(state));
}

PendingMessage begin_send(const Communicator& communicator, const Leg& leg, int tag) {
  const Communicator::Implementation& mpi = mpi_of(communicator);
  const auto send = mpi.mode == SendMode::synchronous ? MPI_Issend : MPI_Isend;
  std::unique_ptr<State> state = state_of(leg, false);
  for (State::Piece& piece : state->pieces) {
    if (piece.packed != nullptr) pack(piece.block, piece.packed);
    const Described what = describe(mpi, piece);
    mpi.check(send(what.data, what.count, what.type, leg.peer, tag, mpi.comm, &piece.request), "MPI_Isend");
  }
  return PendingMessage(std::move(state));
}

void complete(const Communicator& communicator, std::span<PendingMessage> messages) {
  const Communicator::Implementation& mpi = mpi_of(communicator);
  std::vector<std::unique_ptr<State>> states;
  std::vector<MPI_Request> requests;  // of all but what is unpacked piece by piece while the rest is on its way
  for (PendingMessage& message : messages) {
    if (message.is_under_way()) states.push_back(message.take());
  }
  for (const auto& state : states) {
    const bool by_piece = state->is_received && state->buffer && state->pieces.size() > 1;
    for (State::Piece& piece : state->pieces) {
      if (!by_piece) {
        requests.push_back(piece.request);
        continue;
      }
      mpi.wait({&piece.request, 1});
      unpack(piece.packed, piece.block);
    }
  }
  mpi.wait(requests);
  for (const auto& state : states) {
    if (state->is_received && state->buffer && state->pieces.size() == 1) {
      unpack(state->pieces.front().packed, state->pieces.front().block);
    }
  }
}

Block block_of(const MutableView& view, const Rect& area) {
  const auto pixel = static_cast<std::int64_t>(view.format().bytes());
  return {view.bytes_at(area.x0, area.y0), area.height(), area.width() * pixel, view.stored().width() * pixel};
}

void send_block(const Communicator& communicator, const Block& block, int receiver, int tag) {
  const Leg send{block, receiver};
  exchange_blocks(communicator, nullptr, &send, tag);
}

void receive_block(const Communicator& communicator, const Block& block, int sender, int tag) {
  const Leg receive{block, sender};
  exchange_blocks(communicator, &receive, nullptr, tag);
}

void exchange_blocks(const Communicator& communicator, const Leg* receive, const Leg* send, int tag) {
  std::array<PendingMessage, 2> messages;
  if (receive != nullptr) messages[0] = begin_receive(communicator, *receive, tag);
  if (send != nullptr) messages[1] = begin_send(communicator, *send, tag);
  complete(communicator, messages);
}

}  // namespace tilewright
