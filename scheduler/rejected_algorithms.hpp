// Why a plan's transfers are not made in another way.
#pragma once

#include "tilewright/model/plan.hpp"
#include "transition_costs.hpp"

namespace tilewright {

/// Adds to every transfer that has a choice the algorithms that it does not use, with what they would take and the
/// largest part of that. The pricer is turned to the plan's configuration.
void add_rejected_algorithms(Plan& plan, const MachineProfile& profile, const SearchSpace& space,
                             TransitionPricer& pricer);

/// The same of the files that it reads and writes: through the root, or each rank its tile.
void add_rejected_files(Plan& plan, const Pipeline& pipeline, const MachineProfile& profile, const SearchSpace& space,
                        TransitionPricer& pricer);

}  // namespace tilewright
