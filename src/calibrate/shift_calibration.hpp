// What a step of the border exchange costs when all ranks take part.
#pragma once

#include <vector>

#include "path_calibration.hpp"
#include "progress.hpp"
#include "sample_log.hpp"
#include "tilewright/model/machine_profile.hpp"
#include "tilewright/runtime/communicator.hpp"

namespace tilewright {

/// Path::shift of contiguous and strided messages, in the pattern of an exchange on a 1xP grid: all send to the next
/// rank, then all to the one before. A sample is half of what the slowest rank takes for both. Cells on the root, which
/// logs the samples; none of fewer than 3 ranks, of which none has two neighbours. Collective. Takes about
/// `effort.budget_s` for all, and two samples of each cell at least.
[[nodiscard]] std::vector<PathCell> calibrate_shifts(const Communicator& communicator, const PathEffort& effort,
                                                     SampleLog& log, Progress& progress);

}  // namespace tilewright
