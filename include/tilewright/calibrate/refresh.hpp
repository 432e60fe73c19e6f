// Follows a machine whose speed changes, without calibrating it anew.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tilewright/calibrate/sentinels.hpp"
#include "tilewright/model/machine_profile.hpp"
#include "tilewright/runtime/communicator.hpp"

namespace tilewright {

/// How long the command's refresh measures operators; messages take about as long at most.
inline constexpr double refresh_budget_s = 6;

/// What a refresh has measured.
struct MeasuredRefresh {
  Refresh refresh;
  /// Each some times; then: by their cells alone, whatever an earlier refresh had found.
  std::vector<Sentinel> operators;
  std::size_t messages = 0;  ///< that were measured again, copies through shared memory and exchanges among them
};

/// The operators that a refresh measures again: some twenty of one rank and one thread on tiles of 256 to 1024 pixels,
/// as different as the profile's are, on floats, which is what filters make of any image.
[[nodiscard]] std::vector<OperatorCell> operators_to_refresh(const MachineProfile& profile);

/// The messages: contiguous ones and the paper's with both ends in blocks, on all paths, of about the sizes of
/// MessageFactors.
[[nodiscard]] std::vector<PathCell> messages_to_refresh(const MachineProfile& profile);

/// The exchanges of pairs, of the same sizes, contiguous and in blocks; none on several nodes, where they take longer
/// or shorter with the messages that they consist of.
[[nodiscard]] std::vector<PathCell> exchanges_to_refresh(const MachineProfile& profile);

/// The scatters of small runs, cold and warm, of about the sizes of SharingFactors; gathers are measured with them.
[[nodiscard]] std::vector<PathCell> scatters_to_refresh(const MachineProfile& profile);

/// The factors of what such messages take now over what they took, each the median of those of the sizes nearest.
[[nodiscard]] MessageFactors message_factors(const MachineProfile& profile, const std::vector<PathCell>& now);

/// The same of exchanges, each that of the size nearest; none without any.
[[nodiscard]] std::optional<MessageFactors> exchange_factors(const MachineProfile& profile,
                                                             const std::vector<PathCell>& now);

/// The same of transfers in small runs, each that of the size nearest.
[[nodiscard]] SharingFactors sharing_factors(const MachineProfile& profile, const std::vector<PathCell>& now);

/// Measures operators again and again for `budget_s` on the root while the other ranks wait: the factor is the median
/// of what they take now over what their cells say. Then copies through shared memory, exchanges and messages, if there
/// are as many ranks and nodes as there were: those to fewer partners are others. On the root; empty elsewhere.
/// Collective. `profile` is the root's. Throws ParameterError on every rank if it is of another processor, or has none
/// of these operators.
[[nodiscard]] MeasuredRefresh measure_refresh(const Communicator& communicator, const MachineProfile& profile,
                                              double budget_s);

}  // namespace tilewright
