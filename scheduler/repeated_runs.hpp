// Runs of one plan by ranks of a node that follow each other, as their profile counts them.
#pragma once

#include "tilewright/model/machine_profile.hpp"
#include "tilewright/model/plan.hpp"
#include "tilewright/pipeline/pipeline.hpp"
#include "tilewright/scheduler/cost_model.hpp"

namespace tilewright {

/// Runs of a plan that has been predicted, with what the model says of the scatters that small runs have timed as
/// wholes: it prices the messages that the profile has.
[[nodiscard]] RepeatedRun repeated_run(const Plan& plan, const Pipeline& pipeline, const MachineProfile& profile,
                                       const CostModel& model);

}  // namespace tilewright
