#include "tilewright/runtime/point_to_point.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "communicator_implementation.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

/// A block as MPI takes it.
struct Described {
  void* data = nullptr;
  int count = 0;
  MPI_Datatype type = MPI_BYTE;
};

Described describe(const Communicator::Implementation& mpi, const Block& block) {
  const std::int64_t bytes = block.rows * block.row_bytes;
  const bool contiguous = block.rows <= 1 || block.row_bytes == block.pitch_bytes;
  if (contiguous && bytes <= std::numeric_limits<int>::max()) return {block.data, static_cast<int>(bytes), MPI_BYTE};
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

/// Keeps MPI's types out of the public header.
struct PendingMessageAccess {
  static_assert(sizeof(MPI_Request) <= sizeof(std::uintptr_t));

  static PendingMessage made_of(MPI_Request request) {
    PendingMessage message;
    std::memcpy(&message.request_, &request, sizeof(request));
    message.is_under_way_ = true;
    return message;
  }
  static MPI_Request take(PendingMessage& message) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (std::exchange(message.is_under_way_, false)) std::memcpy(&request, &message.request_, sizeof(request));
    return request;
  }
};

PendingMessage begin_receive(const Communicator& communicator, const Leg& leg, int tag) {
  const Communicator::Implementation& mpi = mpi_of(communicator);
  const Described what = describe(mpi, leg.block);
  MPI_Request request = MPI_REQUEST_NULL;
  mpi.check(MPI_Irecv(what.data, what.count, what.type, leg.peer, tag, mpi.comm, &request), "MPI_Irecv");
  return PendingMessageAccess::made_of(request);
}

PendingMessage begin_send(const Communicator& communicator, const Leg& leg, int tag) {
  const Communicator::Implementation& mpi = mpi_of(communicator);
  const Described what = describe(mpi, leg.block);
  MPI_Request request = MPI_REQUEST_NULL;
  const auto send = mpi.mode == SendMode::synchronous ? MPI_Issend : MPI_Isend;
  mpi.check(send(what.data, what.count, what.type, leg.peer, tag, mpi.comm, &request), "MPI_Isend");
  return PendingMessageAccess::made_of(request);
}

void complete(const Communicator& communicator, std::span<PendingMessage> messages) {
  std::vector<MPI_Request> requests;
  for (PendingMessage& message : messages) requests.push_back(PendingMessageAccess::take(message));
  mpi_of(communicator).wait(requests);
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
