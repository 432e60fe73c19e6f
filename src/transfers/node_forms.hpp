// Which messages of a transfer stay within a node, and which share a node's link, where the grid's mapping tells.
#pragma once

#include <vector>

#include "tilewright/transfers/classified_schedule.hpp"
#include "tilewright/transfers/outline.hpp"

namespace tilewright {

/// The forms of a round's messages, which are on their way together. `forms` lends its memory: there are many rounds.
[[nodiscard]] std::vector<MessageForm> forms_on_nodes(const Schedule& schedule, const Round& round,
                                                      std::vector<MessageForm> forms = {});

/// Two ranks that exchange borders, of which the first one is left of the second or above it, and how their messages
/// pass.
struct Neighbours {
  int first = 0;
  int second = 1;
  bool within_node = false;
  int on_link = 1;
};
/// Two on different nodes, if there are any; where nodes have no blocks of the grid, the first two, and their link
/// alone.
[[nodiscard]] Neighbours neighbours_of(const TransferSpec& exchange, bool along_x);

/// The outline of what is no exchange, as the grid's mapping has it.
[[nodiscard]] TransferOutline on_nodes(TransferOutline outline);

}  // namespace tilewright
