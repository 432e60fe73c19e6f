// What other cost models would choose.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "transition_costs.hpp"

namespace tilewright {

/// A plan that could be had.
struct Contender {
  Configuration configuration;
  std::vector<Transition> path;
};

/// Says which of the models that the profile has the measurements for find the first contender the fastest, and which
/// one each of the others prefers. Empty with one contender. Models that count no messages at all are not asked.
[[nodiscard]] std::string second_opinions(const Pipeline& pipeline, const MachineProfile& profile,
                                          const CostModel& model, const SearchSpace& space,
                                          const std::vector<Contender>& contenders,
                                          const std::shared_ptr<KnownSchedules>& schedules);

}  // namespace tilewright
