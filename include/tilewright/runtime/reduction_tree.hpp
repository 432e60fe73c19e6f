// Merges the partial results of a reduction on the root, and hands the merged one to all ranks.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "tilewright/core/message.hpp"
#include "tilewright/runtime/communicator.hpp"

namespace tilewright {

/// Gathers equally long partial results of ranks [0, ranks) as a row of bytes by the schedule that was priced; the root
/// gets them by rank, other ranks nothing. Collective over these ranks.
[[nodiscard]] std::vector<std::byte> gather_partials(std::span<const std::byte> partial, int ranks, Algorithm algorithm,
                                                     const Communicator& communicator);

/// The root's bytes on every rank in [0, ranks). Collective over these ranks.
void broadcast_bytes(std::span<std::byte> bytes, int ranks, Algorithm algorithm, const Communicator& communicator);

}  // namespace tilewright
