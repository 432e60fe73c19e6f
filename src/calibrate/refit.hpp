// The profile that raw samples give.
#pragma once

#include <string>
#include <vector>

#include "launch_samples.hpp"
#include "tilewright/model/machine_profile.hpp"

namespace tilewright {

/// A cell for each that has samples, in one launch or several. Launches are the unit of replication: within one,
/// samples are alike for reasons that the next run does not share (where its memory lies, which cores it got). So each
/// launch gives a time, the median of them is the cell's, and the spread is that within launches or that between them,
/// whichever is larger. A full path without the empty message of its launch and layout, within a node if it is, is left
/// out. Of messages between two ranks samples count as in_state() has it, of the state that prevailed in their launch,
/// and those of a cell that has none of it as they would be in it (StateRatios); samples that were disturbed as
/// counted() has it. Messages between nodes tell each other (kriged()), if the fingerprint has several nodes.
/// `state_s`: as of LaunchStates. Pure.
[[nodiscard]] MachineProfile fitted_profile(const std::string& name, const Fingerprint& fingerprint,
                                            const LaunchSamples& samples, double state_s);
[[nodiscard]] inline MachineProfile fitted_profile(const std::string& name, const Fingerprint& fingerprint,
                                                   const std::vector<RawSample>& samples) {
  return fitted_profile(name, fingerprint, LaunchSamples(samples), 0);
}

}  // namespace tilewright
