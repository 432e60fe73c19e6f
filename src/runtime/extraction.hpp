// A tile with its halo, cut out of a whole image that this rank has.
#pragma once

#include "tilewright/core/raster.hpp"

namespace tilewright {

/// The pixels of `tile` and of the halo around it: inside the image its own, outside those of the other side, as after
/// a cyclic exchange. Other borders overwrite the latter. Works for any halo.
[[nodiscard]] Raster extract_tile(const ConstView& whole, const Rect& tile, const Halo& halo);

}  // namespace tilewright
