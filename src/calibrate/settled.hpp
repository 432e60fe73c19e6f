// When a cell needs no more samples.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "tilewright/model/machine_profile.hpp"

namespace tilewright {

/// The stop rule. A cell is settled when the interval that holds its median with 95 % reaches no further than 2 % from
/// it; or no further than 10 %, if it overlaps none of its rivals', between which the cell's time decides: a better one
/// would be chosen all the same. Fewer than 6 samples give no such interval.
///
/// Trees have no part in it. Which one wins is told by no two cells: it depends on sums of send and full times, whose
/// weights depend on ranks, grid and image. Two trees of P ranks take as long where full / send is (P - 2) / (log P -
/// 1) or so, and over all P those ratios leave no room for a clear choice: cells would have to be within 2 % all the
/// same, as those without rivals are.
[[nodiscard]] bool is_settled(std::span<const double> samples, const std::vector<std::span<const double>>& rivals);

/// The names of the cells of that launch that are not settled. Rivals are those that differ in their packing only. What
/// is left of messages that pass while ranks work is left out: it is a difference of times, of which it may be less
/// than any tolerance; so are the overheads of short messages, a small part of any plan that vary by a tenth. Samples
/// that were disturbed count as counted() has it.
[[nodiscard]] std::set<std::string> unsettled_cells(const std::vector<RawSample>& samples, int launch);

}  // namespace tilewright
