// The transfers of small runs, in which a calibration times what ranks of a node move as plans do.
#pragma once

#include <cstdint>

#include "tilewright/transfers/schedule.hpp"

namespace tilewright {

struct SmallRun {
  std::int64_t tile_bytes = 0;              ///< what each rank has of the image; an empty one is of a single byte
  int ranks = 2;                            ///< all of a node
  bool cuts_rows = false;                   ///< side by side, not in strips
  Algorithm algorithm = Algorithm::shared;  ///< of the scatter; results are gathered through the memory
  Packing packing = Packing::datatype;      ///< of a scatter by messages
};

/// Of a square image of floats, as bytes. As in most images no line is of two tiles. Scattered tiles have a border all
/// around, as what filters work on, so that there are gaps between their rows: they are copied one by one, and a
/// message to them is not contiguous where it arrives, which takes half as long again, or twice as long. Results have
/// no border.
[[nodiscard]] TransferSpec transfer_of(const SmallRun& run, TransferKind kind);

}  // namespace tilewright
