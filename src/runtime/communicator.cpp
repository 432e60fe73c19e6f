#include "tilewright/runtime/communicator.hpp"

#include <fmt/format.h>
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

#include "arrivals.hpp"
#include "communicator_implementation.hpp"
#include "cores.hpp"
#include "heap.hpp"
#include "launcher.hpp"
#include "lifeline.hpp"
#include "node_layout.hpp"
#include "pmi.hpp"
#include "start_watch.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/runtime/shared_memory.hpp"
#include "waiting.hpp"
#include "witness.hpp"

namespace tilewright {
namespace {

using namespace std::chrono_literals;

/// So long a rank with an error waits for the others to come with the same.
constexpr auto patience_with_others = 3000ms;

SendMode send_mode_of_environment(SendMode otherwise) {
  const char* text = std::getenv("TILEWRIGHT_SEND");
  if (text == nullptr || *text == '\0') return otherwise;
  return parse_send_mode(text);
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

struct Communicator::Implementation::LaunchedRun {
  double share =
      1;  ///< of the node's quota, in cores, that this rank has to itself; more than 1 where nothing limits it
  Arrivals arrivals;
  Witness witness;
  std::unique_ptr<Lifeline> lifeline;
};

void Communicator::Implementation::check(int code, const char* what) const {
  if (code != MPI_SUCCESS && run && run->lifeline) run->lifeline->let_others_tell();
  check_mpi(code, what);
}

void Communicator::Implementation::wait(std::span<MPI_Request> requests) const {
  Patience patience(wait_policy(), run->share, run->arrivals);
  while (true) {
    int done = 0;
    check(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE), "MPI_Testall");
    if (done != 0) return;
    patience.pause();
  }
}

void Communicator::Implementation::go_on_with(MPI_Comm fresh) {
  comm = fresh;
  for (const auto& [order, other] : renumbered) other->implementation_->go_on_with(fresh);
}

void Communicator::Implementation::take_leave() const {
  if (run->lifeline) run->lifeline->leave();
  run->witness.dismiss();
}

/// Collective.
static MPI_Comm duplicate_of_world(const Communicator::Implementation& mpi) {
  MPI_Comm duplicate = MPI_COMM_NULL;
  mpi.do_together("MPI_Comm_idup",
                  [&](MPI_Request* request) { return MPI_Comm_idup(MPI_COMM_WORLD, &duplicate, request); });
  MPI_Comm_set_errhandler(duplicate, MPI_ERRORS_RETURN);
  return duplicate;
}

Communicator Communicator::alone() {
  auto implementation = std::make_unique<Implementation>();
  const CoreShare share = share_of_this_process();
  implementation->cores = share.cores();
  implementation->ration_period_s = share.period_s;
  implementation->cores_per_node = implementation->cores_per_rank =
      std::max(1, static_cast<int>(implementation->cores));
  implementation->node_of_rank = {node_name()};
  implementation->node_index_of_rank = {0};
  return Communicator(std::move(implementation));
}

Communicator Communicator::start(SendMode mode) {
  prepare_heap();
  mode = send_mode_of_environment(mode);
  if (!started_by_launcher()) return alone();

  auto run = std::make_shared<Implementation::LaunchedRun>();  // first of all, the witness
  const StartWatch watch;                                      // until the lifeline watches
  int is_begun = 0;
  MPI_Initialized(&is_begun);
  if (is_begun != 0)
    throw ParameterError("MPI has begun before: a process has one Session, from its beginning to its end");
  int provided = 0;
  check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
  auto made = std::make_unique<Implementation>();
  made->run = std::move(run);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  prctl(PR_SET_TIMERSLACK, 1000UL);   // a sleep of 20 us should not take 70
  made->policy = WaitPolicy::polite;  // until it is known who else is here
  made->comm = duplicate_of_world(*made);
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
  made->ration_period_s = share.period_s;
  made->mode = mode;
  made->exceptions_at_start = std::uncaught_exceptions();

  Communicator communicator(std::move(made));
  NodeLayout layout = node_layout(communicator, share);
  Implementation& mpi = *communicator.implementation_;
  mpi.nodes = layout.nodes;
  mpi.ranks_per_node = layout.ranks_per_node;
  mpi.cores_per_node = layout.cores_per_node;
  mpi.cores_per_rank = layout.cores_per_rank;
  mpi.has_even_nodes = layout.has_even_nodes;
  mpi.node_of_rank = layout.node_of_rank;
  mpi.node_index_of_rank = layout.node_index_of_rank;
  const bool room = layout.ranks_here <= layout.cores_here && layout.ranks_here <= share.quota;
  mpi.run->share = share.quota / layout.ranks_here;
  // Ranks on one node reach each other through shared memory, of which the kernel knows nothing.
  if (layout.ranks_here == 1) mpi.run->arrivals = Arrivals::of_this_process();
  mpi.policy = room ? WaitPolicy::fast : WaitPolicy::polite;
  if (layout.ranks_per_node > 1) mpi.sharing_ranks = count_sharing_ranks(communicator);
  mpi.run->lifeline = std::make_unique<Lifeline>(communicator, std::move(layout.node_of_rank));
  return communicator;
}

Communicator::~Communicator() {
  if (!implementation_ || implementation_->finished || !implementation_->has_mpi()) return;
  if (!is_left_by_exception()) {
    finish();
    return;
  }
  // An exception is on its way out of the session. If all ranks met it, all come here, and the run ends in order; if
  // not, the others must not wait for this one.
  const auto wire = PmiWire::find();
  if (wire && wire->barrier([&] { progress(implementation_->comm); }, patience_with_others) &&
      wire->barrier([] {}, patience_with_others)) {
    implementation_->take_leave();
    wire->finalize();
    implementation_->finished = true;
    return;
  }
  end_with_last_words();
}

void Communicator::meet_in_error() {
  if (!implementation_->has_mpi() || implementation_->finished) return;
  const auto wire = PmiWire::find();
  if (!wire) return;
  if (wire->barrier([&] { progress(implementation_->comm); }, patience_with_others)) {
    leave_messages_behind();
    return;
  }
  end_with_last_words();
}

/// Ranks may have been at different places when they met the error. MPI never matches a message of one communicator
/// with a receive of another; MPI_COMM_WORLD has had nothing but this from all ranks, in this order. The former one is
/// not freed, for MPI might give its number to the next while such messages still wait.
void Communicator::leave_messages_behind() {
  implementation_->go_on_with(duplicate_of_world(*implementation_));
}

void Communicator::end_with_last_words() const {
  fmt::print(stderr, "tilewright: error: rank {}: {}\n", implementation_->rank, implementation_->last_words);
  std::fflush(nullptr);
  abort_run(implementation_->last_status);
}

void Communicator::set_last_words(std::string text, int status) {
  implementation_->last_status = status;
  implementation_->last_words = std::move(text);
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

LastAct::LastAct(const Communicator& communicator, std::function<void()> act) {
  const auto& run = communicator.implementation().run;
  if (run && run->lifeline) take_back_ = run->lifeline->before_the_end(std::move(act));
}

LastAct::~LastAct() {
  if (take_back_) take_back_();
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
