// What messages cost when all ranks take part.
#pragma once

#include <vector>

#include "path_calibration.hpp"
#include "progress.hpp"
#include "sample_log.hpp"
#include "tilewright/model/machine_profile.hpp"

namespace tilewright {

/// Of a team of 2 ranks or more: Path::barrier and each of all_patterns with contiguous messages of
/// `effort.block_message_sizes` bytes; Path::swap of contiguous and strided messages, as in an exchange on a 1x2 or a
/// 2x2 grid. Of 3 or more, for of fewer none has two neighbours: Path::shift of the same, as on a 1xP grid.
/// Path::exposed and Path::collected of contiguous messages in pieces. A sample is what the slowest rank takes; half of
/// it for shifts and swaps, which have two steps. The root logs the samples. Collective, of all ranks of the
/// communicator. Takes about `effort.budget_s` for all, and a few samples of each cell at least; none if the log has
/// them and there is no budget, or all are settled. Of a team within a node, swaps and shifts alone.
void calibrate_patterns(const MessageTeam& team, const PathEffort& effort, SampleLog& log, Progress& progress);

/// The swaps or shifts of all ranks with their times, on the root; empty elsewhere. Some samples of each, in `passes`
/// at most, and those in the time that there is. `cells` are the root's. Collective.
[[nodiscard]] std::vector<PathCell> measure_exchanges(const Communicator& communicator, std::vector<PathCell> cells,
                                                      int passes, double budget_s);

}  // namespace tilewright
