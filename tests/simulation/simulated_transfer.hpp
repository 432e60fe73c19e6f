// One transfer on the simulated ranks: run, timed, counted, and every received pixel looked at.
#pragma once

#include "fault.hpp"
#include "sent_messages.hpp"
#include "tilewright/runtime/communicator.hpp"
#include "tilewright/transfers/schedule.hpp"

namespace tilewright::simulation {

struct Outcome {
  double seconds = 0;  ///< from the common start until the last rank had its pixels, simulated
  SentMessages sent;   ///< of all ranks
};

/// Collective. Throws RuntimeError, on the root, if a pixel is wrong, or if what any rank sent is not what the schedule
/// says. The outcome is the root's.
[[nodiscard]] Outcome simulate(const Schedule& schedule, Fault fault, const Communicator& communicator);

}  // namespace tilewright::simulation
