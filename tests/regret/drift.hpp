// What a plan would be predicted to take if its operators were calibrated now: what is left of an error then is the
// prediction's, not the machine's.
#pragma once

#include "tilewright/model/machine_profile.hpp"
#include "tilewright/model/plan.hpp"
#include "tilewright/pipeline/pipeline.hpp"

namespace tilewright::regret {

/// Measures the cells of the profile that are nearest to what the plan's operators and reductions do, by this rank
/// alone for about `budget_s`, and prices those steps by how much longer they take now; other steps keep their prices.
/// NaN without any such cell.
[[nodiscard]] double predicted_now_s(const Plan& plan, const Pipeline& pipeline, const MachineProfile& profile,
                                     double budget_s);

}  // namespace tilewright::regret
