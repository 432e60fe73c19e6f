// Exchanges that pass while tiles are computed: whether they are offered, and how much of them can be hidden.
#pragma once

#include <optional>

#include "tilewright/model/machine_profile.hpp"
#include "tilewright/scheduler/planner.hpp"
#include "tilewright/transfers/schedule.hpp"

namespace tilewright {

/// Whether plans have the choice: where it is forced, or the machine was measured doing so (Path::exposed,
/// Path::exposed_swap).
[[nodiscard]] bool offers_overlap(const MachineProfile& profile, const SearchSpace& space);

/// Of what the exchange takes by itself, 0 to 1, that costs a rank nothing while it computes, as measured with the same
/// neighbours, two or one, or with the others where they alone were measured; 0 where none were. The rest is what the
/// processor does for it.
[[nodiscard]] double hidden_part(const MachineProfile& profile, const TransferSpec& exchange);
/// The cell, without its time, that what is left of the exchange is read off (CostModel::wanted_cells()); none where
/// none was measured.
[[nodiscard]] std::optional<PathCell> wanted_of_hidden(const MachineProfile& profile, const TransferSpec& exchange);

}  // namespace tilewright
