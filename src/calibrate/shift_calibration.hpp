// What a step of the border exchange costs when all ranks take part.
#pragma once

#include <cstdint>
#include <vector>

#include "progress.hpp"
#include "sample_log.hpp"
#include "tilewright/model/machine_profile.hpp"
#include "tilewright/runtime/communicator.hpp"

namespace tilewright {

/// Path::shift of contiguous and strided messages of `sizes` values of 4 bytes each, in the pattern of an exchange on a
/// 1xP grid: all send to the next rank, then all to the one before. A sample is half of what the slowest rank takes for
/// both. Cells on the root, which logs the samples; none of fewer than 3 ranks, of which none has two neighbours.
/// Collective. Takes about `budget_s`, and three samples of each cell at least.
[[nodiscard]] std::vector<PathCell> calibrate_shifts(const Communicator& communicator,
                                                     const std::vector<std::int64_t>& sizes, int samples,
                                                     double budget_s, SampleLog& log, Progress& progress);

}  // namespace tilewright
