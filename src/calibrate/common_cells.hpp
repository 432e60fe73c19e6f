// Cells that the root asks for, on all ranks.
#pragma once

#include <vector>

#include "tilewright/model/cells.hpp"
#include "tilewright/runtime/communicator.hpp"

namespace tilewright {

/// The root's, on every rank, without their times. Collective.
[[nodiscard]] std::vector<PathCell> common_cells(const Communicator& communicator, const std::vector<PathCell>& cells);

}  // namespace tilewright
