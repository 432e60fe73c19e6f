// The transfers of a plan.
#pragma once

#include "tilewright/model/plan.hpp"
#include "tilewright/transfers/schedule.hpp"

namespace tilewright {

/// What a step moves that moves an image, as it is priced, counted and executed. Throws InternalError for another step.
[[nodiscard]] TransferSpec transfer_of(const Plan& plan, const PlanStep& step);

}  // namespace tilewright
