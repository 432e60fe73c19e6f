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

}  // namespace

Edges edges_of(const Extent& image, const Halo& halo) {
  const std::int64_t left = left_strip(image.width, halo.x);
  const std::int64_t right = std::max(left, image.width - halo.x);
  const std::int64_t top = std::min(halo.y, image.height);
  const std::int64_t bottom = std::max(top, image.height - halo.y);
  Edges edges{{left, top, right, bottom}, {}};
  for (const Rect& strip : {Rect{0, 0, image.width, top}, Rect{0, bottom, image.width, image.height},
                            Rect{0, top, left, bottom}, Rect{right, top, image.width, bottom}}) {
    if (!strip.empty()) edges.strips.push_back(strip);
  }
  return edges;
}

Edges edges_of(std::span<const ImageShape> inputs, const Halo& halo) {
  const Extent image = inputs.front().extent;
  const bool any_is_large = std::any_of(inputs.begin(), inputs.end(),
                                        [](const ImageShape& input) { return input.bytes() >= cut_from_bytes; });
  return any_is_large ? edges_of(image, halo) : Edges{{}, {rect_of(image)}};
}

}  // namespace tilewright
