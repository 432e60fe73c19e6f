// Follows a machine whose speed changes, without calibrating it anew.
#pragma once

#include <vector>

#include "tilewright/calibrate/sentinels.hpp"
#include "tilewright/model/machine_profile.hpp"
#include "tilewright/runtime/communicator.hpp"

namespace tilewright {

/// How long the command's refresh measures.
inline constexpr double refresh_budget_s = 6;

/// What a refresh has measured.
struct MeasuredRefresh {
  Refresh refresh;
  /// Each some times; then: by their cells alone, whatever an earlier refresh had found.
  std::vector<Sentinel> operators;
};

/// The operators that a refresh measures again: some twenty of one rank and one thread on tiles of 256 to 1024 pixels,
/// as different as the profile's are, on floats, which is what filters make of any image.
[[nodiscard]] std::vector<OperatorCell> operators_to_refresh(const MachineProfile& profile);

/// Measures them again and again for `budget_s` on the root while the other ranks wait: the factor is the median of
/// what they take now over what their cells say. On the root; empty elsewhere. Collective. `profile` is the root's.
/// Throws ParameterError on every rank if it is of another processor, or has none of these operators.
[[nodiscard]] MeasuredRefresh measure_refresh(const Communicator& communicator, const MachineProfile& profile,
                                              double budget_s);

}  // namespace tilewright
