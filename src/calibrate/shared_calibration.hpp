// What transfers between ranks that share memory cost, in small runs.
#pragma once

#include "path_calibration.hpp"
#include "progress.hpp"
#include "sample_log.hpp"
#include "tilewright/runtime/communicator.hpp"

namespace tilewright {

/// Path::shared and Path::shared_gather of all ranks on the root's node, if there are several: parts of a square image,
/// strips (Layout::cc) or columns (Layout::nn), all at the same time, as in runs that follow each other. Where all
/// ranks are on one node, warm ones and rested strips as well, and strips scattered by messages in all three ways
/// (Warm). A sample is what the slowest takes. The root logs the samples. Collective. Takes about `effort.budget_s`,
/// and a few samples of each cell at least; none if there is no budget and the log has them.
void calibrate_sharing(const Communicator& communicator, const PathEffort& effort, SampleLog& log, Progress& progress);

/// The same for these scatters and the gathers of the same tiles, now: on the root, empty elsewhere and where no ranks
/// share memory. Takes about `budget_s`, and a few samples of each at least. `scatters` are the root's. Collective.
[[nodiscard]] std::vector<PathCell> measure_sharing(const Communicator& communicator, std::vector<PathCell> scatters,
                                                    int passes, double budget_s);

}  // namespace tilewright
