// Operators that cost the same wherever a tile is cut.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tilewright/pipeline/pipeline.hpp"

namespace tilewright {

/// By image, the first one whose operator takes as long as its own on any tile, borders left aside; of a source,
/// itself. They are of one class, read images of the same shapes equally far around, and have the same work on tiles of
/// several extents, be they otherwise told apart by their coefficients.
[[nodiscard]] std::vector<std::size_t> alike_operators(const Pipeline& pipeline);

}  // namespace tilewright
