// How much the caches of a node hold, beside what strangers have in them.
#pragma once

#include "path_calibration.hpp"
#include "progress.hpp"
#include "sample_log.hpp"
#include "tilewright/runtime/communicator.hpp"

namespace tilewright {

/// Of ranks that all share memory: Path::passing of sizes from what caches of single cores hold to what is too much for
/// any, each rank's share again and again. A sample is what the slowest rank takes for one time. None of
/// one rank, of several nodes, or if the log has them. The root logs the samples. Takes half a second, whatever the
/// budget. Collective.
void calibrate_passing(const Communicator& communicator, const PathEffort& effort, SampleLog& log, Progress& progress);

}  // namespace tilewright
