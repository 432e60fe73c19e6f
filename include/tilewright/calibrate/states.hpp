// A machine in the states in which a calibration has met it.
#pragma once

#include <vector>

#include "tilewright/model/machine_profile.hpp"
#include "tilewright/runtime/communicator.hpp"

namespace tilewright {

/// The state that a profile tells of: what the empty message, contiguous, takes there and back in it, in seconds; 0 if
/// it does not say, for it has no such message, or too few round trips of it, or was imported.
[[nodiscard]] double state_of(const MachineProfile& profile);

/// The profile as it is, which tells of the state that prevailed in its calibration; and, where its processors were
/// farther apart or nearer together for so long that most messages were measured then as well, the same machine in that
/// state, from the samples of its calibration. A virtual machine's are moved about by its host, for seconds or minutes.
/// Of one node: where processors are rationed, empty messages take unlike times in one state. Of a profile that was
/// refreshed itself alone, for it tells of the state that it met then. Pure.
[[nodiscard]] std::vector<MachineProfile> profiles_of_states(const MachineProfile& profile,
                                                             const std::vector<RawSample>& samples);

/// Of those profiles the one whose state is nearest to that.
[[nodiscard]] const MachineProfile& nearest_state(const std::vector<MachineProfile>& states, double state_s);

/// The state that the machine is in, as state_of() has it; on the root. Collective over 2 ranks or more; throws
/// ParameterError for less.
[[nodiscard]] double present_state(const Communicator& communicator);

}  // namespace tilewright
