// Measures the sequential cost of a unit of work of every operator.
#pragma once

#include <vector>

#include "progress.hpp"
#include "tilewright/imgops/benchmarks.hpp"
#include "tilewright/model/machine_profile.hpp"

namespace tilewright {

/// How much of each benchmark is measured.
struct OperatorEffort {
  std::vector<std::int64_t> sides;  ///< of square tiles, in pixels, ascending
  int samples = 1;                  ///< of a cell, at most
  double budget_s = 0;
  bool every_kind = true;  ///< every key and type gets one cell at least, whatever the budget
};

/// One sample: what a unit of work took, in seconds.
struct OperatorSample {
  double processor_s = 0;  ///< of this thread
  double elapsed_s = 0;    ///< on the clock, waiting counted
  bool operator==(const OperatorSample&) const = default;
};

/// The samples of one cell; the cell's own time is not set.
struct OperatorSeries {
  OperatorCell cell;
  bool waits_for_files = false;  ///< its time is not the processor's alone
  std::vector<OperatorSample> samples;
  bool operator==(const OperatorSeries&) const = default;
};

/// What one rank has measured.
struct OperatorMeasurement {
  std::vector<OperatorSeries> series;
  /// Elapsed over processor time of all that was run: how many times longer a computation takes than a processor that
  /// works on nothing else would need. At 20 % of a core 5; with two ranks on one core 2.
  double slowdown = 1;
  bool operator==(const OperatorMeasurement&) const = default;
};

/// Measures on this rank. Cells are left out if the budget does not allow them. Processor time is what counts, because
/// a process with a share of a core gets it in slices: a short sample falls into one and seems as fast as the whole
/// core, or spans the gap between two.
[[nodiscard]] OperatorMeasurement calibrate_operators(const std::vector<OperatorBenchmark>& benchmarks,
                                                      const OperatorEffort& effort, Progress& progress);

}  // namespace tilewright
