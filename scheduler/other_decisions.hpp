// What a plan would take if it had decided otherwise on its own grid.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tilewright/scheduler/planner.hpp"

namespace tilewright {

/// The best plan of a space on the grid of the plan in question; none if there is none, or if it does not fit.
using PlanOnGrid = std::function<std::optional<Plan>(const SearchSpace&)>;

/// Each of the plan's decisions beside grid and algorithms that could have been another one and is not forced: whether
/// exchanges pass while tiles are computed, how deep halos are, how images come to the tiles, and how messages are
/// packed; with what it would take the other way, and the kind of step that makes the most of the difference. In words;
/// empty if there is nothing to tell.
[[nodiscard]] std::string other_decisions(const Plan& plan, const SearchSpace& space, const PlanOnGrid& plan_on_grid);

}  // namespace tilewright
