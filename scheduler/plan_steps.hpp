// From a path through the transition graph to the steps of a plan, and what they need of memory.
#pragma once

#include "transition_costs.hpp"

namespace tilewright {

/// Fills in plan.images, plan.steps with their releases, and the totals that follow from them.
/// `plan` has its configuration set; `pricer` is configured alike.
void add_steps(Plan& plan, const Pipeline& pipeline, const std::vector<Transition>& path, TransitionPricer& pricer);

/// The same for a plan without costs.
void add_steps(Plan& plan, const Pipeline& pipeline, const std::vector<Transition>& path);

}  // namespace tilewright
