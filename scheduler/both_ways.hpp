// Whether a rank can receive while it sends.
#pragma once

#include "tilewright/model/machine_profile.hpp"

namespace tilewright {

/// Of what the root receives while it sends, the part that takes no time of the sending: 1 where wire and processor
/// carry both at once, 0 where it takes as long as both one after the other, or where nobody has measured it. From
/// E-BSP's patterns one-to-all, all-to-one and both at once. (TransitionTimes::both_ways)
[[nodiscard]] double both_ways(const MachineProfile& profile);

}  // namespace tilewright
