// What a rank can receive while it does something else.
#pragma once

#include "tilewright/model/machine_profile.hpp"

namespace tilewright {

/// Of what the root receives while it sends, the part that takes no time of the sending: 1 where wire and processor
/// carry both at once, 0 where it takes as long as both one after the other, or where nobody has measured it. From
/// E-BSP's patterns one-to-all, all-to-one and both at once. (TransitionTimes::both_ways)
[[nodiscard]] double both_ways(const MachineProfile& profile);

/// Of messages of that size which come in while the root computes, the part that takes no time of the computing: the
/// system takes them in, as far as it has room for them. 0 where nobody has measured it. From Path::collected beside
/// all-to-one. (TransitionTimes::meanwhile)
[[nodiscard]] double received_while_computing(const MachineProfile& profile, double bytes);

}  // namespace tilewright
