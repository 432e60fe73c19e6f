// The MPI side of Communicator.
#pragma once

#include <mpi.h>

#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>

#include "tilewright/runtime/communicator.hpp"

namespace tilewright {

/// Throws RuntimeError with MPI's own words if `code` is an error.
void check_mpi(int code, const char* what);

/// Committed datatypes of strided rectangles, by (rows, bytes a row, bytes from row to row).
class DatatypeCache {
 public:
  [[nodiscard]] MPI_Datatype strided(std::int64_t rows, std::int64_t row_bytes, std::int64_t pitch_bytes);

 private:
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, MPI_Datatype> types_;
};

class SharedMemory;

/// What is so however ranks are numbered.
struct FactsOfRun {
  MPI_Comm comm = MPI_COMM_NULL;  ///< null: one process alone, without MPI
  int ranks = 1;
  int nodes = 1;
  int ranks_per_node = 1;
  bool has_even_nodes = true;
  int cores_per_node = 1;
  int cores_per_rank = 1;
  double cores = 1;
  double ration_period_s = 0;
  WaitPolicy policy = WaitPolicy::fast;                         ///< unless this rank rests
  std::shared_ptr<bool> rests = std::make_shared<bool>(false);  ///< under all of its numbers
  SendMode mode = SendMode::standard;
};

struct Communicator::Implementation : FactsOfRun {
  int rank = 0;
  std::vector<std::string> node_of_rank;  ///< on the root
  std::vector<int> node_index_of_rank;    ///< on all ranks
  std::vector<int> started;               ///< by rank: the one of MPI; empty: the same
  mutable std::map<std::vector<int>, std::unique_ptr<Communicator>> renumbered;  ///< by the order of these ranks
  int sharing_ranks = 1;
  bool finished = false;
  int exceptions_at_start = 0;
  std::string last_words = "has left the run because of an exception";
  int last_status = 1;
  mutable DatatypeCache datatypes;
  mutable std::vector<std::shared_ptr<SharedMemory>> shared_memories;  ///< kept for the next who wants some

  /// What a run on real processes has besides MPI; simulated ranks have none. A shared pointer, for its type is known
  /// to communicator.cpp alone.
  struct LaunchedRun;
  std::shared_ptr<LaunchedRun> run;

  /// MPI's number of a rank.
  [[nodiscard]] int mpi_rank(int of_rank) const {
    return started.empty() ? of_rank : started[static_cast<std::size_t>(of_rank)];
  }
  /// By our ranks what is by MPI's, so many of each.
  template <class T>
  [[nodiscard]] std::vector<T> in_order(std::vector<T> by_mpi_rank, std::size_t of_each) const;
  /// Every rank's text on the root, no more bytes of all in one message of MPI's. Collective.
  [[nodiscard]] std::vector<std::string> gather(const std::string& text, std::size_t at_a_time) const;
  /// These ranks with other numbers.
  [[nodiscard]] std::unique_ptr<Implementation> renumbered_as(const std::vector<int>& order) const;
  [[nodiscard]] bool has_mpi() const { return comm != MPI_COMM_NULL; }
  [[nodiscard]] WaitPolicy wait_policy() const { return *rests ? WaitPolicy::resting : policy; }
  /// As check_mpi(), of a call that deals with other ranks: what is behind an error they may know better.
  void check(int code, const char* what) const;
  /// Completes the requests, politely or fast.
  void wait(std::span<MPI_Request> requests) const;
  /// Does what all ranks do together: `begin(MPI_Request*)` is MPI's non-blocking call, of that name.
  template <class Begin>
  void do_together(const char* name, Begin&& begin) const {
    MPI_Request request = MPI_REQUEST_NULL;
    check(begin(&request), name);
    wait({&request, 1});
  }
  /// With this communicator of MPI's, however ranks are numbered.
  void go_on_with(MPI_Comm fresh);
  /// All ranks have come to their end: nobody is to miss this one.
  void take_leave() const;
};

}  // namespace tilewright
