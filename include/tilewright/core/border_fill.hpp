// Fills the pixels of a tile's halo that lie outside the image.
#pragma once

#include "tilewright/core/border.hpp"
#include "tilewright/core/raster.hpp"

namespace tilewright {

/// What a constant border of `value` holds in pixels of that type: rounded to nearest, clamped, NaN as 0 in integers.
[[nodiscard]] double border_constant(PixelType type, double value);

/// Fills what of padded(view.area(), halo) lies outside the image, from pixels that the view stores.
/// The part of the halo inside the image must be there already. Where a wrap border would need pixels that lie on the
/// other side of the image and outside this tile, a cyclic exchange has to have brought them; they are left alone.
/// Columns first, then rows over the full width, so the corners follow. `value` is that of a constant border,
/// see border_constant().
void fill_border(const MutableView& view, const Extent& image, const Halo& halo, Border border, double value);

}  // namespace tilewright
