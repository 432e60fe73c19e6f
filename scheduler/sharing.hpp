// Transfers through memory that the ranks of a node share: whether they are offered, and what they cost.
#pragma once

#include <span>
#include <string>

#include "tilewright/model/machine_profile.hpp"
#include "tilewright/scheduler/planner.hpp"
#include "tilewright/transfers/schedule.hpp"

namespace tilewright {

/// Why no plan can move images so; empty if some can.
[[nodiscard]] std::string why_nothing_is_shared(const MachineProfile& profile, const SearchSpace& space);

/// Why an image cannot go to all ranks that were started that way.
inline constexpr const char* unshared_with_idle_ranks = "ranks that have no part in the plan share no memory with it";

/// Why those of so many ranks cannot.
[[nodiscard]] std::string why_not_shared(const MachineProfile& profile, const SearchSpace& space,
                                         const ProcessGrid& grid);

/// The algorithms that transfers of images have to choose from.
[[nodiscard]] std::span<const Algorithm> offered_algorithms(const MachineProfile& profile, const SearchSpace& space);

/// No model of messages has a part in it: the machine was measured doing this very thing
/// (Path::shared, Path::shared_gather).
struct SharingSeconds {
  double synchronisation = 0;
  double copies = 0;
  [[nodiscard]] double sum() const { return synchronisation + copies; }
};
[[nodiscard]] SharingSeconds sharing_seconds(const MachineProfile& profile, const TransferSpec& spec);

}  // namespace tilewright
