// Strided rows into a buffer and back: what Packing::manual and Packing::blocked do by hand.
#pragma once

#include <cstddef>

#include "tilewright/runtime/point_to_point.hpp"

namespace tilewright {

/// The rows of `block`, one after another, to or from `packed`, which has room for all of them.
void pack(const Block& block, std::byte* packed);
void unpack(const std::byte* packed, const Block& block);

}  // namespace tilewright
