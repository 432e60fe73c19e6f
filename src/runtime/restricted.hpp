// The same part of several views.
#pragma once

#include <span>
#include <vector>

#include "tilewright/core/geometry.hpp"

namespace tilewright {

/// Each view with `area` for its own area.
template <class View>
[[nodiscard]] std::vector<View> restricted(std::span<const View> views, const Rect& area) {
  std::vector<View> parts;
  for (const View& view : views) parts.push_back(view.restricted(area));
  return parts;
}

}  // namespace tilewright
