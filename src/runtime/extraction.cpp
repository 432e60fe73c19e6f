#include "extraction.hpp"

#include <algorithm>
#include <cstring>

#include "tilewright/core/border.hpp"

namespace tilewright {

Raster extract_tile(const ConstView& whole, const Rect& tile, const Halo& halo) {
  Raster raster(tile, halo, whole.format());
  const MutableView target = raster.view();
  const Rect image = whole.area();
  const Rect stored = target.stored();
  const std::int64_t inside_begin = std::max(stored.x0, image.x0);
  const std::int64_t inside_end = std::min(stored.x1, image.x1);
  const auto pixel = whole.format().bytes();
  const auto copy_pixel = [&](std::int64_t x, std::int64_t y, std::int64_t row) {
    std::memcpy(target.bytes_at(x, y), whole.bytes_at(*border_index(x, image.width(), Border::wrap), row), pixel);
  };
  for (std::int64_t y = stored.y0; y < stored.y1; ++y) {
    const std::int64_t row = *border_index(y, image.height(), Border::wrap);
    std::memcpy(target.bytes_at(inside_begin, y), whole.bytes_at(inside_begin, row),
                pixel * static_cast<std::size_t>(inside_end - inside_begin));
    for (std::int64_t x = stored.x0; x < inside_begin; ++x) copy_pixel(x, y, row);
    for (std::int64_t x = inside_end; x < stored.x1; ++x) copy_pixel(x, y, row);
  }
  return raster;
}

}  // namespace tilewright
