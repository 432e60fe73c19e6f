// What of a search space cannot be honoured, said before anything is searched.
#pragma once

#include "tilewright/scheduler/planner.hpp"

namespace tilewright {

/// Throws ParameterError if the space is empty, or forces what the pipeline, the profile or its other parts rule out.
void check_space(const Pipeline& pipeline, const MachineProfile& profile, const SearchSpace& space);

}  // namespace tilewright
