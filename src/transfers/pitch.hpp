// How far apart in memory the rows lie that a transfer moves, in bytes.
#pragma once

#include <cstdint>

#include "tilewright/core/raster.hpp"
#include "tilewright/transfers/schedule.hpp"

namespace tilewright {

/// Of pixels without a halo: the whole image, or some on their way.
[[nodiscard]] inline std::int64_t pitch_bytes_of(const Rect& area, const TransferSpec& spec) {
  return raster_row_bytes(area, {}, spec.image.format);
}

/// Of a tile as a rank stores it, which may have gaps between its rows.
[[nodiscard]] inline std::int64_t pitch_bytes_of_tile(const Rect& tile, const TransferSpec& spec) {
  return raster_row_bytes(tile, spec.storage, spec.image.format);
}

}  // namespace tilewright
