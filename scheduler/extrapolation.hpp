// What a prediction takes from beyond what was measured.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "transition_costs.hpp"

namespace tilewright {

/// One line for each operator key whose taps, or tiles, are beyond anything that the profile has measured; for more
/// ranks than were calibrated; and for messages that are longer than those of the rows that price them, or whose blocks
/// are shorter, longer or farther apart. Tiles and blocks by a factor of two, for their costs hardly change there. The
/// plan consists of these transitions in that configuration.
[[nodiscard]] std::vector<std::string> extrapolations(const Pipeline& pipeline, const MachineProfile& profile,
                                                      const CostModel& model, const SearchSpace& space,
                                                      const Configuration& configuration,
                                                      const std::vector<Transition>& path,
                                                      std::shared_ptr<KnownSchedules> schedules);

}  // namespace tilewright
