// The transfers of small runs, in which a calibration times what ranks of a node move as plans do.
#pragma once

#include "tilewright/model/cells.hpp"
#include "tilewright/transfers/schedule.hpp"

namespace tilewright {

/// The scatter that a cell of small runs names, or the gather through the memory of the results that are made of it, by
/// so many ranks. Of a square image of floats, as bytes: its rows are cut (nn), or lie together in strips (cc), and as
/// in most images no line is of two tiles. Scattered tiles have a border all around, as what filters work on, so that
/// there are gaps between their rows: they are copied one by one, and a message to them is not contiguous where it
/// arrives, which takes half as long again, or twice as long. Results have no border. An empty tile is of a single
/// byte.
[[nodiscard]] TransferSpec transfer_of_small_run(const PathCell& cell, TransferKind kind, int ranks);

}  // namespace tilewright
