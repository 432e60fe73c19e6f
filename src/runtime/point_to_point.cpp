#include "tilewright/runtime/point_to_point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <utility>
#include <vector>

#include "communicator_implementation.hpp"
#include "packing.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/core/raster.hpp"

namespace tilewright {
namespace {

/// Of what is packed by hand, of any size, MPI gets so much at once: it counts in int.
constexpr std::int64_t largest_piece_bytes = std::int64_t{1} << 30;
/// So long a rank that has met an error lets in what was on its way to it.
constexpr std::chrono::milliseconds patience_with_cancelled{100};

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
  if (is_contiguous(block) && bytes <= std::numeric_limits<int>::max())
    return {block.data, static_cast<int>(bytes), MPI_BYTE};
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

/// What lies between the block and MPI.
struct PendingMessage::State {
  struct Piece {
    std::int64_t first = 0;  ///< byte of the message
    std::int64_t bytes = 0;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  Block block;
  /// For rows packed by hand; empty where MPI reads or writes the block itself. A raster: the next tile will lie where
  /// it has lain, which caches still hold.
  Raster buffer;
  std::vector<Piece> pieces;
  bool is_received = false;
};

PendingMessage::PendingMessage() = default;
PendingMessage::PendingMessage(std::unique_ptr<State> state) : state_(std::move(state)) {}
PendingMessage::PendingMessage(PendingMessage&&) noexcept = default;

PendingMessage& PendingMessage::operator=(PendingMessage&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

PendingMessage::~PendingMessage() {
  if (state_) give_up(std::move(state_));
}

std::unique_ptr<PendingMessage::State> PendingMessage::take() {
  return std::move(state_);
}

/// What is received is cancelled, and one that is on its way already is let in: nothing may come into memory that is
/// somebody else's by then. Sends cannot be cancelled; they keep what was packed for them.
void PendingMessage::give_up(std::unique_ptr<State> state) noexcept {
  const auto until = std::chrono::steady_clock::now() + patience_with_cancelled;
  bool is_over = true;
  for (State::Piece& piece : state->pieces) {
    if (piece.request == MPI_REQUEST_NULL) continue;
    if (state->is_received) MPI_Cancel(&piece.request);
    int done = 0;
    do {
      if (MPI_Test(&piece.request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) break;
    } while (done == 0 && state->is_received && std::chrono::steady_clock::now() < until);
    if (done != 0) continue;
    MPI_Request_free(&piece.request);
    is_over = false;
  }
  if (!is_over) (void)new Raster(std::move(state->buffer));  // for good
}

namespace {

using State = PendingMessage::State;

/// Of a message of so many bytes; both ends take it alike.
std::int64_t bytes_of_piece(Packing packing, std::int64_t bytes) {
  if (packing == Packing::blocked) return piece_bytes;
  return packing == Packing::manual ? largest_piece_bytes : std::max<std::int64_t>(1, bytes);
}

/// Nothing begun yet.
std::unique_ptr<State> state_of(const Leg& leg, bool is_received) {
  auto state = std::make_unique<State>();
  state->block = leg.block;
  state->is_received = is_received;
  const std::int64_t bytes = leg.block.rows * leg.block.row_bytes;
  if (leg.packing != Packing::datatype && bytes > 0 && !is_contiguous(leg.block)) {
    state->buffer = Raster(Rect{0, 0, bytes, 1}, {}, {PixelType::u8, 1});
  }
  const std::int64_t step = bytes_of_piece(leg.packing, bytes);
  for (std::int64_t first = 0; first == 0 || first < bytes; first += step) {
    state->pieces.push_back({first, std::min(step, bytes - first)});
  }
  return state;
}

std::byte* packed(State& state, std::int64_t byte) {
  return state.buffer.view().bytes_at(byte, 0);
}

/// What MPI is to send or receive of a piece.
Described describe(const Communicator::Implementation& mpi, State& state, const State::Piece& piece) {
  if (state.buffer.empty() && state.pieces.size() == 1) return describe(mpi, state.block);
  std::byte* const begin =
      state.buffer.empty() ? static_cast<std::byte*>(state.block.data) + piece.first : packed(state, piece.first);
  return describe(mpi, Block{begin, 1, piece.bytes, piece.bytes});
}

/// Unpacks the rows from `row` on that are complete with byte `end` of the message; returns the next one.
std::int64_t unpack_rows(State& state, std::int64_t row, std::int64_t end) {
  const Block& block = state.block;
  const std::int64_t last = end / block.row_bytes;
  auto* target = static_cast<std::byte*>(block.data) + row * block.pitch_bytes;
  unpack(packed(state, row * block.row_bytes), {target, last - row, block.row_bytes, block.pitch_bytes});
  return last;
}

/// Packs the rows from `row` on that begin before byte `end`; returns the next one.
std::int64_t pack_rows(State& state, std::int64_t row, std::int64_t end) {
  const Block& block = state.block;
  const std::int64_t last = (end + block.row_bytes - 1) / block.row_bytes;
  auto* source = static_cast<std::byte*>(block.data) + row * block.pitch_bytes;
  pack({source, last - row, block.row_bytes, block.pitch_bytes}, packed(state, row * block.row_bytes));
  return last;
}

}  // namespace

PendingMessage begin_receive(const Communicator& communicator, const Leg& leg, int tag) {
  const Communicator::Implementation& mpi = mpi_of(communicator);
  std::unique_ptr<State> state = state_of(leg, true);
  for (State::Piece& piece : state->pieces) {
    const Described what = describe(mpi, *state, piece);
    mpi.check(MPI_Irecv(what.data, what.count, what.type, mpi.mpi_rank(leg.peer), tag, mpi.comm, &piece.request),
              "MPI_Irecv");
  }
  return PendingMessage(std::move(state));
}

PendingMessage begin_send(const Communicator& communicator, const Leg& leg, int tag) {
  const Communicator::Implementation& mpi = mpi_of(communicator);
  const auto send = mpi.mode == SendMode::synchronous ? MPI_Issend : MPI_Isend;
  std::unique_ptr<State> state = state_of(leg, false);
  std::int64_t row = 0;
  for (State::Piece& piece : state->pieces) {
    if (!state->buffer.empty()) row = pack_rows(*state, row, piece.first + piece.bytes);
    const Described what = describe(mpi, *state, piece);
    mpi.check(send(what.data, what.count, what.type, mpi.mpi_rank(leg.peer), tag, mpi.comm, &piece.request),
              "MPI_Isend");
  }
  return PendingMessage(std::move(state));
}

void complete(const Communicator& communicator, std::span<PendingMessage> messages) {
  const Communicator::Implementation& mpi = mpi_of(communicator);
  std::vector<std::unique_ptr<State>> states;
  std::vector<MPI_Request> requests;  // of what needs no unpacking
  for (PendingMessage& message : messages) {
    if (message.is_under_way()) states.push_back(message.take());
  }
  for (const auto& state : states) {
    if (state->is_received && !state->buffer.empty()) continue;
    for (const State::Piece& piece : state->pieces) requests.push_back(piece.request);
  }
  for (const auto& state : states) {
    if (!state->is_received || state->buffer.empty()) continue;
    std::int64_t row = 0;
    for (State::Piece& piece : state->pieces) {  // the next pieces are on their way meanwhile
      mpi.wait({&piece.request, 1});
      row = unpack_rows(*state, row, piece.first + piece.bytes);
    }
  }
  mpi.wait(requests);
}

Block block_of(const MutableView& view, const Rect& area) {
  const auto pixel = static_cast<std::int64_t>(view.format().bytes());
  return {view.bytes_at(area.x0, area.y0), area.height(), area.width() * pixel, view.row_bytes()};
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
