// How deep the halos of tiles may be when these come to exist.
#pragma once

#include <functional>
#include <vector>

#include "halo_depths.hpp"

namespace tilewright {

/// Tiles with room for a halo, which is filled or left to an exchange.
struct TileDepth {
  int depth = 0;  ///< HaloDepths::of()
  bool filled = false;
};

/// Of the tiles of an image: the plain one first, which is preferred; then, by depth, those that are filled as far as
/// `can_be_filled` says, and those that are left to an exchange. With `deepest_only` the deepest that can be filled, if
/// one can.
[[nodiscard]] std::vector<TileDepth> tile_depths(const HaloDepths& depths, int image, bool deepest_only,
                                                 const std::function<bool(int)>& can_be_filled);

}  // namespace tilewright
