// The ranks and process grids that a path through the transition graph is priced for.
#pragma once

#include <optional>

#include "tilewright/core/grid.hpp"
#include "transition.hpp"

namespace tilewright {

/// One point of the search besides the placements.
struct Configuration {
  int ranks = 1;
  ProcessGrid grid = {};
  std::optional<ProcessGrid> second = {};  ///< if images may change between two grids
  bool in_turn = false;                    ///< the root feeds ranks in turn, and collects from them meanwhile

  /// That of Transition::grid.
  [[nodiscard]] const ProcessGrid& grid_of(const Transition& transition) const {
    return transition.grid == 0 ? grid : *second;
  }
  [[nodiscard]] const ProcessGrid& other_grid(const Transition& transition) const {
    return transition.grid == 0 ? *second : grid;
  }
  bool operator==(const Configuration&) const = default;
};

}  // namespace tilewright
