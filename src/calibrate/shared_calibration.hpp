// What a transfer through memory that ranks share costs.
#pragma once

#include "path_calibration.hpp"
#include "progress.hpp"
#include "sample_log.hpp"
#include "tilewright/runtime/communicator.hpp"

namespace tilewright {

/// Path::shared and Path::shared_gather of all ranks on the root's node, if there are several: they copy parts of an
/// image, contiguous ones and the paper's 100 blocks, all at the same time. A sample is what the slowest takes.
/// The root logs the samples. Collective. Takes about `effort.budget_s`, and a few samples of each cell at least; none
/// if there is no budget and the log has them.
void calibrate_sharing(const Communicator& communicator, const PathEffort& effort, SampleLog& log, Progress& progress);

}  // namespace tilewright
