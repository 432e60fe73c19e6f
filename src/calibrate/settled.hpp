// When a cell needs no more samples.
#pragma once

#include <span>
#include <vector>

namespace tilewright {

/// The stop rule. A cell is settled when the interval that holds its median with 95 % reaches no further than 2 % from
/// it; or no further than 10 %, if it overlaps none of its rivals', between which the cell's time decides: a better one
/// would be chosen all the same. Fewer than 6 samples give no such interval.
[[nodiscard]] bool is_settled(std::span<const double> samples, const std::vector<std::span<const double>>& rivals);

}  // namespace tilewright
