// An image's middle, which needs no border, and the strips around it, which do.
#pragma once

#include <vector>

#include "tilewright/core/geometry.hpp"

namespace tilewright {

/// `middle` and `strips` cover the image, without overlaps; none of the strips is empty.
struct Edges {
  Rect middle;  ///< what lies within the halo of its pixels is inside the image; empty if the image is small
  std::vector<Rect> strips;

  /// The most pixels that a strip has together with the halo around it.
  [[nodiscard]] std::int64_t largest_padded(const Halo& halo) const;
  /// The pixels of all strips together with the halos around them.
  [[nodiscard]] std::int64_t all_padded(const Halo& halo) const;
};

[[nodiscard]] Edges edges_of(const Extent& image, const Halo& halo);

}  // namespace tilewright
