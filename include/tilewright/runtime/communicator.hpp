// The ranks of a run: MPI when started by mpiexec, else one process alone. Owns the start and the end of MPI.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tilewright/core/grid.hpp"

namespace tilewright {

/// How a rank waits for a message. Polite: test, yield, then sleep briefly, so that ranks which share a core get on.
/// Fast: test without pause. Resting: look rarely, for others' threads have its core.
enum class WaitPolicy : std::uint8_t { fast, polite, resting };
/// Synchronous sends (MPI_Issend) complete only once received; tests use them to show that nothing leans on buffering.
enum class SendMode : std::uint8_t { standard, synchronous };
/// Of its name. Throws ParameterError if there is none such.
[[nodiscard]] SendMode parse_send_mode(std::string_view name);

/// True if a launcher (mpiexec, srun) started this process as one of several ranks, or of one, through MPI.
[[nodiscard]] bool started_by_launcher();

/// The host name of the node that this process runs on.
[[nodiscard]] std::string node_name();

/// Movable; one a process. Not thread-safe.
class Communicator {
 public:
  /// One process alone; MPI is not touched.
  [[nodiscard]] static Communicator alone();
  /// Joins the launcher's ranks if there is one, else alone(). Collective. Throws RuntimeError when the launcher
  /// started several processes that do not find each other (each would believe to be rank 0). Sends as TILEWRIGHT_SEND
  /// says, if that is set.
  [[nodiscard]] static Communicator start(SendMode mode = SendMode::standard);

  Communicator(Communicator&&) noexcept;
  Communicator& operator=(Communicator&&) noexcept;
  /// Ends the run as finish() does, unless that has happened.
  ~Communicator();

  [[nodiscard]] int rank() const;
  [[nodiscard]] int ranks() const;
  [[nodiscard]] bool is_root() const { return rank() == 0; }
  /// Nodes of the run, and the most ranks that share one.
  [[nodiscard]] int nodes() const;
  [[nodiscard]] int ranks_per_node() const;
  /// Whether every node has ranks_per_node() ranks.
  [[nodiscard]] bool has_even_nodes() const;
  /// The same ranks with the numbers that the grid's mapping gives them, which the first ones of it have; these ranks
  /// themselves where it gives none. As long as this one lives. Throws ParameterError as started_ranks() does.
  [[nodiscard]] const Communicator& numbered_as(const ProcessGrid& grid) const;
  /// The same ranks in that order, which is the same on all of them and begins with the root. As long as this one
  /// lives.
  [[nodiscard]] const Communicator& in_order(const std::vector<int>& order) const;
  /// Their names, by rank; on the root only.
  [[nodiscard]] const std::vector<std::string>& node_of_rank() const;
  /// So many ranks, from the root on, can have memory in common with it: those on its node. 1: none.
  [[nodiscard]] int sharing_ranks() const;
  /// Cores that the ranks of a node may use together, and a rank by itself: of the poorest node and rank, affinity and
  /// control-group quota counted; at least 1.
  [[nodiscard]] int cores_per_node() const;
  [[nodiscard]] int cores_per_rank() const;
  /// Cores that this process may use: affinity and control-group quota counted.
  [[nodiscard]] double available_cores() const;
  /// Where a control group rations this process's time: how often it is granted anew, in seconds; else 0.
  [[nodiscard]] double ration_period_s() const;
  [[nodiscard]] WaitPolicy wait_policy() const;
  /// From now on this rank waits resting; or, again, as it does by itself. So do all numberings of it.
  void rest(bool rests) const;
  /// How it sends from now on; so do all numberings that are made of it later.
  void send_as(SendMode mode);

  /// Waits until all ranks have come here. Collective.
  void barrier() const;
  /// The root's text on every rank. Collective.
  [[nodiscard]] std::string broadcast(std::string text) const;
  /// The root's number, or its yes or no, on every rank. Collective.
  template <class T>
  requires std::is_arithmetic_v<T>
  [[nodiscard]] T of_root(T value) const {
    take_from_root(&value, sizeof(value));
    return value;
  }
  /// Every rank's text by rank, on the root; empty elsewhere. Collective.
  [[nodiscard]] std::vector<std::string> gather(const std::string& text) const;

  /// Numbers of every rank, of each as many, rank after rank; on the root; empty elsewhere. Collective.
  [[nodiscard]] std::vector<double> gather(std::span<const double> numbers) const;
  /// Whether all ranks give the same number; on every rank. Collective.
  [[nodiscard]] bool agree_on(std::uint64_t number) const;

  /// What this rank says, and the status of the run, if an exception ends it while the others go on: they do not wait
  /// for the program to tell.
  void set_last_words(std::string text, int status = 1);

  /// After an exception in something collective: returns if every rank comes here, for then all have met it and may go
  /// on alike; no message of before, which nobody may have received, is taken for a later one. If not all do within
  /// three seconds, they wait for what this rank will not do: it ends the run with its last words. Does nothing where
  /// no process manager tells. Collective.
  void meet_in_error();

  /// Whether an exception is on its way out of what began with start().
  [[nodiscard]] bool is_left_by_exception() const;

  /// Ends the run on this rank: returns once every rank has come here, and cannot hang (docs/design.md, "The end of a
  /// run"). MPI must not be used afterwards. Collective.
  void finish();

  /// The MPI side, for the runtime and the calibration only (defined in src/runtime).
  struct Implementation;
  [[nodiscard]] const Implementation& implementation() const { return *implementation_; }

 private:
  explicit Communicator(std::unique_ptr<Implementation> implementation);
  void take_from_root(void* value, int bytes) const;
  [[noreturn]] void end_with_last_words() const;
  void leave_messages_behind();
  std::unique_ptr<Implementation> implementation_;
};

/// While it lives, this rank waits resting (Communicator::rest()).
class Rest {
 public:
  explicit Rest(const Communicator& communicator);
  ~Rest();
  Rest(const Rest&) = delete;
  Rest& operator=(const Rest&) = delete;

 private:
  const Communicator& communicator_;
  bool before_;
};

/// While it lives: what this rank does when it ends the run because another has gone, which nobody survives. In another
/// thread, so it must not touch what this one works on, and soon done.
class LastAct {
 public:
  LastAct(const Communicator& communicator, std::function<void()> act);
  ~LastAct();
  LastAct(const LastAct&) = delete;
  LastAct& operator=(const LastAct&) = delete;

 private:
  std::function<void()> take_back_;
};

/// Ends the whole run at once with `status`: every rank is stopped. For a rank that failed; prints nothing itself.
[[noreturn]] void abort_run(int status);

}  // namespace tilewright
