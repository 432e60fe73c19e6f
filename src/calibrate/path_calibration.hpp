// Measures the paths of all layouts and sizes, in passes over all cells.
#pragma once

#include <vector>

#include "progress.hpp"
#include "sample_log.hpp"
#include "tilewright/model/machine_profile.hpp"
#include "tilewright/runtime/communicator.hpp"

namespace tilewright {

/// What is measured, and how long.
struct PathEffort {
  std::vector<std::int64_t> sizes;                ///< of P-3PC's messages, in values of 4 bytes
  std::vector<std::int64_t> block_message_sizes;  ///< of messages that tell what blocks cost, in bytes: powers of two
  int passes = 1;
  double budget_s = 0;        ///< for P-3PC's
  double block_budget_s = 0;  ///< for the others
};

/// The root and its partner both call it; the root gets the cells and the rest is for it. Every cell is measured at
/// least once, whatever the budget.
[[nodiscard]] std::vector<PathCell> calibrate_paths(const Communicator& communicator, int partner,
                                                    const PathEffort& effort, SampleLog& log, Progress& progress);

}  // namespace tilewright
