// The part of a calibration in which operators are measured, on all ranks and with several threads.
#pragma once

#include "efforts.hpp"
#include "progress.hpp"
#include "sample_log.hpp"
#include "tilewright/runtime/communicator.hpp"

namespace tilewright {

/// In rounds, each over all cells: what disturbs the machine for some seconds then spoils few samples of many cells,
/// and not all of some. Where strangers share the processor it has fast minutes and slow ones, so that many short
/// rounds tell more than few long ones. Of the phase's time an interrupted calibration has used some. Collective.
void measure_operators_in_rounds(const Communicator& communicator, const EffortTraits& traits, double phase_s,
                                 double unused_s, const Fingerprint& fingerprint, SampleLog& log, Progress& progress);

}  // namespace tilewright
