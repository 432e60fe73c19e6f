// Plans as all ranks know them, and what their steps take.
#pragma once

#include <vector>

#include "tilewright/model/plan.hpp"
#include "tilewright/runtime/communicator.hpp"
#include "tilewright/runtime/executor.hpp"

namespace tilewright::regret {

/// The root's. Collective.
[[nodiscard]] std::vector<Plan> on_all_ranks(const std::vector<Plan>& plans, const Communicator& communicator);

/// The plan, with what its steps took one by one in a run after so many of the same, of which the results live until
/// the next one is done. Collective.
[[nodiscard]] Plan run_in_steps(const ExecutablePlan& executable, int warm_up);

}  // namespace tilewright::regret
