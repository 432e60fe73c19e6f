// Which of two plans is the simpler one.
#pragma once

#include <compare>

#include "tilewright/model/plan.hpp"

namespace tilewright {

/// Of plans that take equally long, as far as the profile can tell, the least wins: compared member by member, in this
/// order.
struct Complexity {
  int changes_of_grid = 0;
  int ranks = 1;
  int strided_transfers = 0;  ///< with messages that are not contiguous at one end or both
  int transfers = 0;
  int columns = 1;  ///< of the grid
  bool is_uneven = false;
  auto operator<=>(const Complexity&) const = default;
};
[[nodiscard]] Complexity complexity_of(const Plan& plan);

}  // namespace tilewright
