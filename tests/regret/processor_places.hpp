// Where a host has the processors of a virtual machine, as a message tells.
#pragma once

#include "tilewright/runtime/communicator.hpp"

namespace tilewright::regret {

/// What the empty message takes from rank 0 to rank 1 and back, the median of many: a host moves processors nearer to
/// each other or farther apart within seconds, which the kernel is not told. 0 of one rank alone. The same on all
/// ranks. Collective.
[[nodiscard]] double round_trip_s(const Communicator& communicator);

/// Whether processors have stayed where they were, by such round trips: near and far they differ by a factor of 2 or
/// more, and while they stay by a few per cent.
[[nodiscard]] bool have_stayed(double before_s, double after_s);

}  // namespace tilewright::regret
