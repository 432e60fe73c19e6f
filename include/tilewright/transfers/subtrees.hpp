// A spanning binomial tree by its subtrees, of which few differ: what its exact price is made of, without its schedule.
#pragma once

#include <optional>
#include <vector>

#include "tilewright/transfers/schedule.hpp"

namespace tilewright {

/// Of several ranks, by its two halves, whose first ranks have one message between them: `form`, all that the half
/// which is handed over holds. In a scatter and a broadcast it comes before all messages within the halves, in a gather
/// after.
struct Subtree {
  MessageForm form;
  int kept = -1;   ///< which subtree the half is that stays with the holder; -1: a single rank
  int given = -1;  ///< and the other one
  bool operator==(const Subtree&) const = default;
};

/// Each one once, after its halves; the last one is all of the tree. Empty: there is one rank. None for a transfer that
/// is no binomial tree, and where subtrees differ in more than their sizes: on unequal tiles, where a halo comes along,
/// and where the grid's mapping is given.
[[nodiscard]] std::optional<std::vector<Subtree>> subtrees_of(const TransferSpec& spec);

}  // namespace tilewright
