#include "tilewright/core/edges.hpp"

#include <algorithm>

namespace tilewright {

Edges edges_of(const Extent& image, const Halo& halo) {
  const std::int64_t left = std::min(halo.x, image.width);
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
