// Which paths a transition graph holds.
#pragma once

#include <cstdint>

#include "halo_depths.hpp"

namespace tilewright {

/// Where operators and reductions may work.
enum class Freedom : std::uint8_t {
  all,
  stay_tiled,  ///< once an image is tiled, operators and reductions work on tiles
  uniform,     ///< besides, the root or the tiles are chosen once, while no computed image lives
};

struct GraphLimits {
  Freedom freedom = Freedom::all;
  int generations = most_generations;  ///< of readers that may live on one halo
  bool deepest_only = false;           ///< of the depths of halo
  int grids = 1;                       ///< that tiles may be of
  bool everywhere = true;              ///< what all ranks get may be computed by each of them, with all freedom
  bool forgets = false;                ///< images may leave places that they are in
  bool keeps_states = false;           ///< TransitionGraph::states
};

}  // namespace tilewright
