// Whether a plan can be executed here.
#pragma once

#include "tilewright/model/plan.hpp"
#include "tilewright/pipeline/pipeline.hpp"
#include "tilewright/runtime/communicator.hpp"

namespace tilewright {

/// Throws ParameterError, the same on every rank, if the ranks did not all record the plan's pipeline, there are too
/// few of them, the grid does not fit the images, or a step uses pixels that no step before it has brought. Collective.
void check_plan(const Plan& plan, const Pipeline& pipeline, const Communicator& communicator);

}  // namespace tilewright
