// An image's middle, which needs no border, and the strips around it, which do.
#pragma once

#include <span>
#include <vector>

#include "tilewright/core/geometry.hpp"
#include "tilewright/core/pixel.hpp"

namespace tilewright {

/// `middle` and `strips` cover the image, without overlaps; none of the strips is empty.
struct Edges {
  Rect middle;  ///< what lies within the halo of its pixels is inside the image; empty if the image is small
  std::vector<Rect> strips;
};

/// The middle of an image that is wide enough begins at a multiple of 64 columns.
[[nodiscard]] Edges edges_of(const Extent& image, const Halo& halo);

/// An image of so many bytes, without room for a border, is read where it lies but for its edges; smaller ones are
/// copied as a whole, for a kernel starts anew on each strip. Measured with derivatives of sigma 1 and 3, alone and
/// five together: edges take 1.1 to 2.8 times as long as a copy at 1 MiB and less, 0.8 to 1.3 at 2, 0.3 to 1.2 at 4,
/// and 0.5 to 1.0 at 8.
inline constexpr std::int64_t cut_from_bytes = std::int64_t{4} << 20;

/// The same for an operator with that halo on inputs that have no room for it. If all of them are small, there is but
/// one strip, the image.
[[nodiscard]] Edges edges_of(std::span<const ImageShape> inputs, const Halo& halo);

/// Of `area`, a tile that may have grown: the middle is what lies within `tile` and has the halo of its pixels there,
/// or beyond the image.
[[nodiscard]] Edges edges_of_tile(const Rect& tile, const Rect& area, const Halo& halo, const Extent& image);

}  // namespace tilewright
