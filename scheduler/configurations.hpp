// Which grids, cut how, a search tries.
#pragma once

#include <vector>

#include "search.hpp"

namespace tilewright {

/// In the order of the rule for ties: fewer ranks first, then fewer columns, then even tiles; last those that are fed
/// in turn. Where sources are on the tiles of a grid, that one alone. Throws ParameterError if what is forced leaves
/// none.
[[nodiscard]] std::vector<Configuration> configurations(const Pipeline& pipeline, const MachineProfile& profile,
                                                        const SearchSpace& space);

}  // namespace tilewright
