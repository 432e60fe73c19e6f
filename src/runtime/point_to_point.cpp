#include "tilewright/runtime/point_to_point.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>

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

MPI_Request begin_receive(const Communicator::Implementation& mpi, const Leg& leg, int tag) {
  const Described what = describe(mpi, leg.block);
  MPI_Request request = MPI_REQUEST_NULL;
  mpi.check(MPI_Irecv(what.data, what.count, what.type, leg.peer, tag, mpi.comm, &request), "MPI_Irecv");
  return request;
}

MPI_Request begin_send(const Communicator::Implementation& mpi, const Leg& leg, int tag) {
  const Described what = describe(mpi, leg.block);
  MPI_Request request = MPI_REQUEST_NULL;
  const auto send = mpi.mode == SendMode::synchronous ? MPI_Issend : MPI_Isend;
  mpi.check(send(what.data, what.count, what.type, leg.peer, tag, mpi.comm, &request), "MPI_Isend");
  return request;
}

}  // namespace

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
  const Communicator::Implementation& mpi = communicator.implementation();
  if (!mpi.has_mpi()) throw InternalError("a message without MPI");
  std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  if (receive != nullptr) requests[0] = begin_receive(mpi, *receive, tag);
  if (send != nullptr) requests[1] = begin_send(mpi, *send, tag);
  mpi.wait(requests);
}

}  // namespace tilewright
