// What forced decisions ask of where operators work.
#pragma once

#include <string>

#include "tilewright/scheduler/planner.hpp"

namespace tilewright {

/// Whether all operators have to work on tiles: on the root they would honour what is forced in name only.
[[nodiscard]] bool wants_all_on_tiles(const SearchSpace& space);
/// What forbids that ranks compute whole images for themselves; empty if nothing does.
[[nodiscard]] std::string why_not_everywhere(const SearchSpace& space);

/// Whether nothing but the number of ranks is forced that asks for work on tiles, and that is several. A free plan on
/// as many ranks, better than one rank alone, then honours it, too.
[[nodiscard]] bool wants_ranks_only(const SearchSpace& space);

}  // namespace tilewright
