// What a prediction takes from beyond the sizes that were measured.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "transition_costs.hpp"

namespace tilewright {

/// One line for the messages of a plan and for each operator key that are larger, or smaller, than anything that the
/// profile has measured; tiles by a factor of two, for a pixel's cost hardly changes there. The plan consists of these
/// transitions in that configuration.
[[nodiscard]] std::vector<std::string> extrapolations(const Pipeline& pipeline, const MachineProfile& profile,
                                                      const CostModel& model, const SearchSpace& space,
                                                      const Configuration& configuration,
                                                      const std::vector<Transition>& path,
                                                      std::shared_ptr<KnownSchedules> schedules);

}  // namespace tilewright
