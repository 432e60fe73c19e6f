// Which machine profile a session plans with.
#pragma once

#include <optional>

#include "tilewright/model/machine_profile.hpp"
#include "tilewright/runtime/communicator.hpp"
#include "tilewright/session/options.hpp"

namespace tilewright {

/// The profile for a dry run: the one named, else this host's, else the only one there is. Throws ParameterError that
/// lists the machines otherwise, RuntimeError if there is no database.
[[nodiscard]] MachineProfile profile_for_dry_run(const SessionOptions& options);

/// The profile for a run, on the root; none elsewhere, and none for one rank alone that was never calibrated. The one
/// named, else this host's; if there is none that knows messages, a parallel run calibrates quickly, says so and keeps
/// the result. Collective; throws the same on every rank.
[[nodiscard]] std::optional<MachineProfile> profile_for_run(const SessionOptions& options,
                                                            const Communicator& communicator);

/// This profile with the operators' costs of options.operators_from, if that is set.
[[nodiscard]] MachineProfile with_chosen_operators(const MachineProfile& profile, const SessionOptions& options);

}  // namespace tilewright
