// A profile for the simulator SimGrid.
#pragma once

#include <string>

#include "tilewright/model/machine_profile.hpp"

namespace tilewright {

/// The properties smpi/os, smpi/or and smpi/ois of a SimGrid platform: what a processor spends on sending, receiving
/// and starting to send, beside the network. Each as "size:constant:slope;..." with sizes in bytes and times in
/// seconds, one piece for each two neighbours of the profile's row of contiguous messages, as path_seconds() has it:
/// T(overhead) for sending, or T(send) where the profile has no other, and T(recv). Throws ParameterError for a profile
/// without messages.
[[nodiscard]] std::string write_simgrid(const MachineProfile& profile);

}  // namespace tilewright
