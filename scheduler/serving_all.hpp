// Which images may be computed by every rank for itself: those that the program gets on all ranks, and what they are
// made of.
#pragma once

#include <vector>

#include "tilewright/pipeline/pipeline.hpp"

namespace tilewright {

/// By image: whether it, or an image made of it, is fetched; what one operator makes together counts as one. Elsewhere
/// it never pays that every rank does the same.
[[nodiscard]] std::vector<bool> images_serving_all(const Pipeline& pipeline);
/// Whether any operator makes such images.
[[nodiscard]] bool serves_all(const Pipeline& pipeline);

}  // namespace tilewright
