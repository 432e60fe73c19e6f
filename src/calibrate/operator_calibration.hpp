// Measures the sequential cost of a unit of work of every operator.
#pragma once

#include <vector>

#include "disturbance.hpp"
#include "progress.hpp"
#include "tilewright/imgops/benchmarks.hpp"
#include "tilewright/model/machine_profile.hpp"

namespace tilewright {

/// How much of each benchmark is measured.
struct OperatorEffort {
  std::vector<std::int64_t> sides;  ///< of square tiles, in pixels, ascending
  int samples = 1;                  ///< of a cell, at most
  double budget_s = 0;
  bool every_kind = true;   ///< every key and type gets one cell at least, whatever the budget
  int ranks = 1;            ///< that measure at the same time
  int threads = 1;          ///< of each, that share the work
  BenchmarkTeam team = {};  ///< of these; without a folder, each works on files of its own
  Switches switches = Switches::own;
};

/// One sample: what a unit of work took, in seconds.
struct OperatorSample {
  double processor_s = 0;  ///< of this thread, not of others that help it
  double elapsed_s = 0;    ///< on the clock, waiting counted
  bool disturbed = false;
  bool operator==(const OperatorSample&) const = default;
};

/// The samples of one cell; the cell's own time is not set.
struct OperatorSeries {
  OperatorCell cell;
  bool waits_for_files = false;  ///< its time is not the processor's alone
  std::vector<OperatorSample> samples;
  bool of_all_ranks = false;  ///< of what waits for files: the slowest rank's counts, not the root's
  bool operator==(const OperatorSeries&) const = default;
};

/// What one rank has measured.
struct OperatorMeasurement {
  std::vector<OperatorSeries> series;
  OperatorSample computing = {};        ///< all of it in sum, in seconds; what waits for files does not count
  OperatorSample computing_alone = {};  ///< the same of what this rank did while the others waited; not in `computing`
  /// How many times longer a computation takes than a processor that works on nothing else would need. At 20 % of a
  /// core 5; with two ranks on one core 2; never less than 1.
  [[nodiscard]] double slowdown() const;
  /// The same while the other ranks wait: less where they would be in the way. 1 if it was not measured.
  [[nodiscard]] double slowdown_alone() const;
  /// What this rank has measured while the others waited counts as that from now on.
  [[nodiscard]] OperatorMeasurement alone() &&;
  /// The cells of another measurement on this rank; samples of a cell that is here already come behind its own.
  void add(const OperatorMeasurement& other);
  bool operator==(const OperatorMeasurement&) const = default;
};

/// Measures on this rank. Cells are left out if the budget does not allow them. Processor time is what counts, because
/// a process with a share of a core gets it in slices: a short sample falls into one and seems as fast as the whole
/// core, or spans the gap between two. Several threads are measured on the clock.
[[nodiscard]] OperatorMeasurement calibrate_operators(const std::vector<OperatorBenchmark>& benchmarks,
                                                      const OperatorEffort& effort, Progress& progress);

}  // namespace tilewright
