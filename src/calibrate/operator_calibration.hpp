// Measures the sequential cost of a unit of work of every operator.
#pragma once

#include <vector>

#include "progress.hpp"
#include "sample_log.hpp"
#include "tilewright/imgops/benchmarks.hpp"
#include "tilewright/model/machine_profile.hpp"

namespace tilewright {

/// How much of each benchmark is measured.
struct OperatorEffort {
  std::vector<std::int64_t> sides;  ///< of square tiles, in pixels, ascending
  int samples = 1;                  ///< of a cell, at most
  double budget_s = 0;
};

/// On one rank alone. Every key and type gets one cell at least; others are left out if the budget does not allow them.
[[nodiscard]] std::vector<OperatorCell> calibrate_operators(const std::vector<OperatorBenchmark>& benchmarks,
                                                            const OperatorEffort& effort, SampleLog& log,
                                                            Progress& progress);

}  // namespace tilewright
