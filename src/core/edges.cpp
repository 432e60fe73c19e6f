#include "tilewright/core/edges.hpp"

#include <algorithm>

namespace tilewright {
namespace {

/// Columns of any type fill lines of the cache: results of a middle that begins there can be stored past the caches.
constexpr std::int64_t columns_of_lines = 64;

std::int64_t left_strip(std::int64_t width, std::int64_t halo) {
  const std::int64_t aligned = (halo + columns_of_lines - 1) / columns_of_lines * columns_of_lines;
  return aligned + halo < width ? aligned : std::min(halo, width);
}

/// What is left of `area` around its part `middle`: rows above and below, columns between them.
Edges around(const Rect& middle, const Rect& area) {
  Edges edges{middle, {}};
  for (const Rect& strip :
       {Rect{area.x0, area.y0, area.x1, middle.y0}, Rect{area.x0, middle.y1, area.x1, area.y1},
        Rect{area.x0, middle.y0, middle.x0, middle.y1}, Rect{middle.x1, middle.y0, area.x1, middle.y1}}) {
    if (!strip.empty()) edges.strips.push_back(strip);
  }
  return edges;
}

}  // namespace

Edges edges_of(const Extent& image, const Halo& halo) {
  const std::int64_t left = left_strip(image.width, halo.x);
  const std::int64_t right = std::max(left, image.width - halo.x);
  const std::int64_t top = std::min(halo.y, image.height);
  const std::int64_t bottom = std::max(top, image.height - halo.y);
  return around({left, top, right, bottom}, rect_of(image));
}

Edges edges_of_tile(const Rect& tile, const Rect& area, const Halo& halo, const Extent& image) {
  Rect middle = tile;
  if (tile.x0 > 0) middle.x0 += left_strip(tile.width(), halo.x);
  if (tile.y0 > 0) middle.y0 += halo.y;
  if (tile.x1 < image.width) middle.x1 -= halo.x;
  if (tile.y1 < image.height) middle.y1 -= halo.y;
  if (middle.empty()) return {{}, {area}};
  return around(middle, area);
}

Edges edges_of(std::span<const ImageShape> inputs, const Halo& halo) {
  const Extent image = inputs.front().extent;
  const bool any_is_large = std::any_of(inputs.begin(), inputs.end(),
                                        [](const ImageShape& input) { return input.bytes() >= cut_from_bytes; });
  return any_is_large ? edges_of(image, halo) : Edges{{}, {rect_of(image)}};
}

}  // namespace tilewright
