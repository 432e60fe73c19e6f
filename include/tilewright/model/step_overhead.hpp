// What a step of a plan takes besides its work.
#pragma once

#include "tilewright/model/machine_profile.hpp"

namespace tilewright {

/// The cell in which a profile keeps it, as an operator's cost: its unit is a step that has nothing to do. The runtime
/// finds the images of a step, makes room for its results and lets go of what is not needed any more, some 0.3 us in
/// all, which count where tiles are small.
[[nodiscard]] OperatorCell step_overhead_cell();

/// Seconds; 0 where it was not measured.
[[nodiscard]] double step_overhead_s(const MachineProfile& profile);

}  // namespace tilewright
