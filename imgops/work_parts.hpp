// Works of which only a part is done, or in two ways.
#pragma once

#include <cstddef>
#include <vector>

#include "tilewright/pipeline/operator.hpp"

namespace tilewright {

/// That part of a work.
[[nodiscard]] Work part_of(Work work, double part);

/// Of a pass with `results`, fewer of which are `stored` in memory while the others are handed on: each way in
/// proportion.
[[nodiscard]] std::vector<Work> stored_in_part(const std::vector<Work>& to_memory, const std::vector<Work>& handed_on,
                                               std::size_t stored, std::size_t results);

/// How large a piece counts as in the price of what is done to it while it is in a near cache. Pixels.
[[nodiscard]] double priced_piece(const Extent& largest_piece, const Extent& tile);

}  // namespace tilewright
