#include "tile_depths.hpp"

namespace tilewright {

std::vector<TileDepth> tile_depths(const HaloDepths& depths, int image, bool deepest_only,
                                   const std::function<bool(int)>& can_be_filled) {
  std::vector<TileDepth> all;
  const int end = static_cast<int>(depths.of(image).size());
  for (int depth = depths.first_filled(image).value_or(end); depth < end && can_be_filled(depth); ++depth) {
    all.push_back({depth, true});
  }
  if (deepest_only && !all.empty()) return {all.back()};
  all.insert(all.begin(), TileDepth{});
  for (int depth = 1; depth < end && depths.is_exchanged(image); ++depth) all.push_back({depth, false});
  return all;
}

}  // namespace tilewright
