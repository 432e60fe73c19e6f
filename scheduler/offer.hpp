// What a search may choose from.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tilewright/core/message.hpp"

namespace tilewright {

/// What transitions there are to choose from.
struct Offer {
  std::span<const Algorithm> algorithms = all_trees;  ///< of transfers of images
  std::vector<bool> in_parts = {};                    ///< by image: ranks can read their tiles of it; empty: of none
  std::vector<bool> out_parts = {};                   ///< by output: ranks can write their tiles to it; empty: to none
  bool keeps_in_place = false;                        ///< images to be kept may stay on the tiles
  bool waits = true;                                  ///< exchanges may be waited for
  bool overlaps = false;                              ///< or pass while tiles are computed
  bool everywhere = true;                             ///< what all ranks get may be computed by each of them

  /// Whether ranks can read their tiles of that image.
  [[nodiscard]] bool reads_in_parts(int image) const {
    return !in_parts.empty() && in_parts[static_cast<std::size_t>(image)];
  }
  /// Whether ranks can write their tiles to that output.
  [[nodiscard]] bool writes_in_parts(int output) const {
    return !out_parts.empty() && out_parts[static_cast<std::size_t>(output)];
  }
};

}  // namespace tilewright
