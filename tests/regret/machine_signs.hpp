// By what a change of the machine can be told that nobody tells its kernel.
#pragma once

#include <vector>

#include "tilewright/runtime/communicator.hpp"

namespace tilewright::regret {

/// A host moves a virtual machine's processors nearer to each other or farther apart, and strangers come to its last
/// cache and its memory and go, all within seconds.
struct MachineSigns {
  double round_trip_s = 0;        ///< of the empty message from rank 0 to rank 1 and back; 0 of one rank alone
  std::vector<double> gathers_s;  ///< through shared memory, of what the last cache holds and of more; none without it
};

/// Medians of some, in a fifth of a second. They matter on the root only. Collective.
[[nodiscard]] MachineSigns machine_signs(const Communicator& communicator);

/// Whether nothing has changed in between. Round trips near and far differ by a factor of 2 or more.
[[nodiscard]] bool tell_the_same(const MachineSigns& before, const MachineSigns& after);

}  // namespace tilewright::regret
