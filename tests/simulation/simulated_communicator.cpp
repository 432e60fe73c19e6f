// The ranks of a simulated run: start, waiting and end as SimGrid has them, in place of src/runtime/communicator.cpp.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <numeric>
#include <simgrid/s4u/Engine.hpp>
#include <utility>

#include "communicator_implementation.hpp"

namespace tilewright {
namespace {

constexpr int status_of_a_deadlock = 3;

/// SimGrid itself would end with status 0. All ranks live in this one process, so its end is the end of them all.
[[noreturn]] void end_deadlocked() {
  std::fflush(stdout);
  fmt::print(stderr, "error: deadlock: ranks wait for messages that will never come\n");
  std::fflush(stderr);
  _exit(status_of_a_deadlock);
}

}  // namespace

void Communicator::Implementation::check(int code, const char* what) const {
  check_mpi(code, what);
}

/// Blocks: a rank that tested and slept would make time pass for ever, and hide a deadlock.
void Communicator::Implementation::wait(std::span<MPI_Request> requests) const {
  check_mpi(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
}

Communicator Communicator::start(SendMode mode) {
  check_mpi(MPI_Init(nullptr, nullptr), "MPI_Init");
  auto made = std::make_unique<Implementation>();
  made->comm = MPI_COMM_WORLD;
  MPI_Comm_rank(made->comm, &made->rank);
  MPI_Comm_size(made->comm, &made->ranks);
  made->nodes = made->ranks;
  made->node_index_of_rank.resize(static_cast<std::size_t>(made->ranks));
  std::iota(made->node_index_of_rank.begin(), made->node_index_of_rank.end(), 0);
  made->mode = mode;
  if (made->rank == 0) simgrid::s4u::Engine::on_deadlock_cb(end_deadlocked);
  return Communicator(std::move(made));
}

Communicator::~Communicator() {
  if (implementation_) finish();
}

void Communicator::finish() {
  if (std::exchange(implementation_->finished, true)) return;
  MPI_Finalize();
}

void abort_run(int status) {
  std::fflush(nullptr);
  _exit(status);
}

}  // namespace tilewright
