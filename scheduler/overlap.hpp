// Exchanges that pass while tiles are computed: whether they are offered, and how much of them can be hidden.
#pragma once

#include "tilewright/model/machine_profile.hpp"
#include "tilewright/scheduler/planner.hpp"
#include "tilewright/transfers/schedule.hpp"

namespace tilewright {

/// Whether plans have the choice: where it is forced, or the machine was measured doing so (Path::exposed).
[[nodiscard]] bool offers_overlap(const MachineProfile& profile, const SearchSpace& space);

/// Of what the exchange takes by itself, 0 to 1, that costs a rank nothing while it computes; 0 where that was not
/// measured. The rest is what the processor does for it.
[[nodiscard]] double hidden_part(const MachineProfile& profile, const TransferSpec& exchange);

}  // namespace tilewright
