// Whom the root exchanges messages with.
#pragma once

#include "tilewright/runtime/communicator.hpp"

namespace tilewright {

/// The first rank on another node than the root, for between nodes is where messages are dear; rank 1 if there is one
/// node only. Collective.
[[nodiscard]] int partner_of_root(const Communicator& communicator);

}  // namespace tilewright
