// Fusion: operators that can share a pass over their inputs are made one.
#pragma once

#include "tilewright/pipeline/pipeline.hpp"

namespace tilewright {

/// The same outputs from fewer passes. Filters of one image with the same border become one operator with several
/// results, at the place of the first; operators without a neighbourhood join the last of those that make their inputs,
/// if their other inputs are there by then; filters and what joins them read one image alone. Images that nobody else
/// reads are not made any more. Every pixel is computed by the same operations as before.
[[nodiscard]] Pipeline fused(const Pipeline& recorded);

}  // namespace tilewright
