// What messages cost in the simulation, measured there.
#pragma once

#include <cstdint>
#include <vector>

#include "tilewright/model/machine_profile.hpp"
#include "tilewright/runtime/communicator.hpp"

namespace tilewright::simulation {

/// P-3PC's Fig. 8 between ranks 0 and 1 in simulated time, for messages of `sizes` values of four bytes. Contiguous
/// data only, for SimGrid charges nothing for the layout of memory. Collective; the profile is rank 0's.
[[nodiscard]] MachineProfile measure_profile(const Communicator& communicator, const std::vector<std::int64_t>& sizes);

}  // namespace tilewright::simulation
