// The configurations that were not chosen, as far as people want to see them.
#pragma once

#include <cstddef>
#include <vector>

#include "tilewright/model/plan.hpp"

namespace tilewright {

/// Alternatives by predicted time or lower bound, those without either last; the plan's order where they are alike.
[[nodiscard]] std::vector<Alternative> best_first(const std::vector<Alternative>& alternatives);

}  // namespace tilewright
