#include "tilewright/runtime/communicator.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <string_view>
#include <thread>

#include "communicator_implementation.hpp"
#include "cores.hpp"
#include "launcher.hpp"
#include "node_layout.hpp"
#include "pmi.hpp"
#include "start_watch.hpp"
#include "tilewright/core/error.hpp"
#include "waiting.hpp"

namespace tilewright {
namespace {

using namespace std::chrono_literals;

SendMode send_mode_of_environment(SendMode otherwise) {
  const char* text = std::getenv("TILEWRIGHT_SEND");
  if (text == nullptr || *text == '\0') return otherwise;
  const std::string_view mode = text;
  if (mode == "standard") return SendMode::standard;
  if (mode == "synchronous") return SendMode::synchronous;
  throw ParameterError(fmt::format("TILEWRIGHT_SEND={}: use standard or synchronous", mode));
}

/// Makes MPI move on; the calls it makes on behalf of other ranks are the point, not the result.
void progress(MPI_Comm comm) {
  int flag = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, MPI_STATUS_IGNORE);
}

/// Without PMI's wire, after a barrier: polling, then MPI's own end, which may not take for ever.
void finalize_guarded(MPI_Comm comm) {
  const auto until = std::chrono::steady_clock::now() + 300ms;
  while (std::chrono::steady_clock::now() < until) {
    progress(comm);
    std::this_thread::sleep_for(1ms);
  }
  std::thread([] {
    std::this_thread::sleep_for(5s);
    std::fflush(nullptr);
    _exit(0);
  }).detach();
  MPI_Finalize();
}

}  // namespace

void check_mpi(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw RuntimeError(fmt::format("{}: {}", what, std::string_view(text, static_cast<std::size_t>(length))));
}

MPI_Datatype DatatypeCache::strided(std::int64_t rows, std::int64_t row_bytes, std::int64_t pitch_bytes) {
  const auto [position, is_new] = types_.try_emplace({rows, row_bytes, pitch_bytes}, MPI_DATATYPE_NULL);
  if (is_new) {
    MPI_Datatype row = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(static_cast<int>(row_bytes), MPI_BYTE, &row);
    check_mpi(
        MPI_Type_create_hvector(static_cast<int>(rows), 1, static_cast<MPI_Aint>(pitch_bytes), row, &position->second),
        "MPI_Type_create_hvector");
    MPI_Type_free(&row);
    check_mpi(MPI_Type_commit(&position->second), "MPI_Type_commit");
  }
  return position->second;
}

void Communicator::Implementation::check(int code, const char* what) const {
  if (code != MPI_SUCCESS && lifeline) lifeline->let_others_tell();
  check_mpi(code, what);
}

void Communicator::Implementation::wait(std::span<MPI_Request> requests) const {
  Patience patience(policy, share, arrivals);
  while (true) {
    int done = 0;
    check(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE), "MPI_Testall");
    if (done != 0) return;
    patience.pause();
  }
}

void Communicator::Implementation::take_leave() {
  if (lifeline) lifeline->leave();
  if (witness) witness->dismiss();
}

Communicator::Communicator(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
Communicator::Communicator(Communicator&&) noexcept = default;
Communicator& Communicator::operator=(Communicator&&) noexcept = default;

Communicator Communicator::alone() {
  auto implementation = std::make_unique<Implementation>();
  implementation->cores = share_of_this_process().cores();
  return Communicator(std::move(implementation));
}

/// Images come and go, most of them of one size. Memory that is given back to the kernel has to be cleared by it when it
/// is taken again, which costs as much as a simple operator on it.
static void keep_freed_memory() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_TOP_PAD, 16 << 20);
}

Communicator Communicator::start(SendMode mode) {
  keep_freed_memory();
  mode = send_mode_of_environment(mode);
  if (!started_by_launcher()) return alone();

  auto witness = std::make_unique<Witness>();
  {
    const StartWatch watch;
    int provided = 0;
    check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
  }
  auto made = std::make_unique<Implementation>();
  made->witness = std::move(witness);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  prctl(PR_SET_TIMERSLACK, 1000UL);   // a sleep of 20 us should not take 70
  made->policy = WaitPolicy::polite;  // until it is known who else is here
  MPI_Request duplicated = MPI_REQUEST_NULL;
  check_mpi(MPI_Comm_idup(MPI_COMM_WORLD, &made->comm, &duplicated), "MPI_Comm_idup");
  made->wait({&duplicated, 1});
  MPI_Comm_set_errhandler(made->comm, MPI_ERRORS_RETURN);
  MPI_Comm_rank(made->comm, &made->rank);
  MPI_Comm_size(made->comm, &made->ranks);
  if (made->ranks == 1 && should_have_company()) {
    throw RuntimeError(
        "this process was started as one of several ranks, but MPI sees it alone, so that each would take itself for "
        "rank "
        "0: start it with the mpiexec of MPICH (mpiexec.mpich)");
  }
  const CoreShare share = share_of_this_process();
  made->cores = share.cores();
  made->mode = mode;
  made->exceptions_at_start = std::uncaught_exceptions();

  Communicator communicator(std::move(made));
  NodeLayout layout = node_layout(communicator, share);
  Implementation& mpi = *communicator.implementation_;
  mpi.nodes = layout.nodes;
  mpi.ranks_per_node = layout.ranks_per_node;
  const bool room = layout.ranks_here <= layout.cores_here && layout.ranks_here <= share.quota;
  mpi.share = share.quota / layout.ranks_here;
  // Ranks on one node reach each other through shared memory, of which the kernel knows nothing.
  if (layout.ranks_here == 1) mpi.arrivals = Arrivals::of_this_process();
  mpi.policy = room ? WaitPolicy::fast : WaitPolicy::polite;
  mpi.lifeline = std::make_unique<Lifeline>(communicator, std::move(layout.node_of_rank));
  return communicator;
}

Communicator::~Communicator() {
  if (!implementation_ || implementation_->finished || !implementation_->has_mpi()) return;
  if (std::uncaught_exceptions() <= implementation_->exceptions_at_start) {
    finish();
    return;
  }
  // An exception is on its way out of the session. If all ranks met it, all come here, and the run ends in order; if
  // not, the others must not wait for this one.
  const auto wire = PmiWire::find();
  if (wire && wire->barrier([&] { progress(implementation_->comm); }, 3000ms) && wire->barrier([] {}, 3000ms)) {
    implementation_->take_leave();
    wire->finalize();
    implementation_->finished = true;
    return;
  }
  fmt::print(stderr, "tilewright: error: rank {} has left the run because of an exception\n", implementation_->rank);
  std::fflush(nullptr);
  abort_run(1);
}

int Communicator::rank() const {
  return implementation_->rank;
}
int Communicator::ranks() const {
  return implementation_->ranks;
}
int Communicator::nodes() const {
  return implementation_->nodes;
}
int Communicator::ranks_per_node() const {
  return implementation_->ranks_per_node;
}
double Communicator::available_cores() const {
  return implementation_->cores;
}
WaitPolicy Communicator::wait_policy() const {
  return implementation_->policy;
}

void Communicator::barrier() const {
  if (!implementation_->has_mpi()) return;
  MPI_Request request = MPI_REQUEST_NULL;
  implementation_->check(MPI_Ibarrier(implementation_->comm, &request), "MPI_Ibarrier");
  implementation_->wait({&request, 1});
}

std::string Communicator::broadcast(std::string text) const {
  if (!implementation_->has_mpi()) return text;
  auto size = static_cast<std::int64_t>(text.size());
  MPI_Request request = MPI_REQUEST_NULL;
  implementation_->check(MPI_Ibcast(&size, 1, MPI_INT64_T, 0, implementation_->comm, &request), "MPI_Ibcast");
  implementation_->wait({&request, 1});
  text.resize(static_cast<std::size_t>(size));
  implementation_->check(MPI_Ibcast(text.data(), static_cast<int>(size), MPI_CHAR, 0, implementation_->comm, &request),
                         "MPI_Ibcast");
  implementation_->wait({&request, 1});
  return text;
}

std::vector<std::string> Communicator::gather(const std::string& text) const {
  if (!implementation_->has_mpi()) return {text};
  const auto ranks = static_cast<std::size_t>(implementation_->ranks);
  const int size = static_cast<int>(text.size());
  std::vector<int> sizes(ranks, 0);
  MPI_Request request = MPI_REQUEST_NULL;
  implementation_->check(MPI_Igather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, implementation_->comm, &request),
                         "MPI_Igather");
  implementation_->wait({&request, 1});
  std::vector<int> begins(ranks, 0);
  for (std::size_t i = 1; i < ranks; ++i) begins[i] = begins[i - 1] + sizes[i - 1];
  std::string all(static_cast<std::size_t>(begins.back() + sizes.back()), '\0');
  implementation_->check(MPI_Igatherv(text.data(), size, MPI_CHAR, all.data(), sizes.data(), begins.data(), MPI_CHAR, 0,
                                      implementation_->comm, &request),
                         "MPI_Igatherv");
  implementation_->wait({&request, 1});
  std::vector<std::string> texts;
  if (!is_root()) return texts;
  for (std::size_t i = 0; i < ranks; ++i) {
    texts.push_back(all.substr(static_cast<std::size_t>(begins[i]), static_cast<std::size_t>(sizes[i])));
  }
  return texts;
}

void Communicator::finish() {
  if (implementation_->finished) return;
  implementation_->finished = true;
  if (!implementation_->has_mpi()) return;
  std::fflush(nullptr);
  const auto wire = PmiWire::find();
  if (!wire) {
    barrier();
    implementation_->take_leave();
    finalize_guarded(implementation_->comm);
    return;
  }
  // A rank comes here when all that it had to receive has arrived. It keeps MPI moving until all have come, so what
  // others wait for gets out; then nothing is under way any more, and nobody needs MPI_Finalize, which may hang. The
  // second barrier keeps everybody's connections open until the last has left MPI.
  const bool together =
      wire->barrier([&] { progress(implementation_->comm); }, std::nullopt) && wire->barrier([] {}, std::nullopt);
  if (!together) {
    fmt::print(stderr, "tilewright: error: rank {}: the process manager has gone\n", implementation_->rank);
    _exit(1);
  }
  implementation_->take_leave();
  wire->finalize();
}

/// The launcher relays what ranks print, and drops the rest when it is told to stop: waits until it has read all.
static void let_output_out() {
  std::fflush(nullptr);
  for (int turn = 0; turn < 200; ++turn) {
    int waiting_out = 0, waiting_error = 0;
    if (ioctl(STDOUT_FILENO, FIONREAD, &waiting_out) != 0) waiting_out = 0;
    if (ioctl(STDERR_FILENO, FIONREAD, &waiting_error) != 0) waiting_error = 0;
    if (waiting_out == 0 && waiting_error == 0) return;
    std::this_thread::sleep_for(1ms);
  }
}

void abort_run(int status) {
  let_output_out();
  if (const auto wire = PmiWire::find()) {
    wire->abort(status);
    std::this_thread::sleep_for(10s);  // the process manager ends this process
    _exit(status);
  }
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (initialized != 0) MPI_Abort(MPI_COMM_WORLD, status);
  _exit(status);
}

}  // namespace tilewright
