// Measures the paths of all layouts and sizes, in passes over all cells.
#pragma once

#include <vector>

#include "progress.hpp"
#include "sample_log.hpp"
#include "tilewright/model/machine_profile.hpp"
#include "tilewright/runtime/communicator.hpp"

namespace tilewright {

/// The root and its partner both call it; the root gets the cells and the rest is for it. Every cell is measured at
/// least once, whatever the budget. A disturbance is spread over all cells, because each pass visits every one of them.
[[nodiscard]] std::vector<PathCell> calibrate_paths(const Communicator& communicator, int partner,
                                                    const std::vector<std::int64_t>& sizes, int passes, double budget_s,
                                                    SampleLog& log, Progress& progress);

}  // namespace tilewright
