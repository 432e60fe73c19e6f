// Among whom messages are measured.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "tilewright/model/machine_profile.hpp"
#include "tilewright/runtime/communicator.hpp"

namespace tilewright {

/// The first ranks of a communicator; all of it is there for what is collective.
struct MessageTeam {
  const Communicator& communicator;
  int ranks = 1;
  std::vector<int> partners{1};  ///< of the root, for messages between two
  bool within_node = false;      ///< they are of one node, beside others
  /// The root's, as of Communicator: others may have another quota or none, and all have to measure the same.
  double ration_period_s = 0;

  [[nodiscard]] bool has_this_rank() const { return communicator.rank() < ranks; }
  /// Whether this rank is the root or one of its partners.
  [[nodiscard]] bool pairs_this_rank() const {
    const int rank = communicator.rank();
    return rank == 0 || std::find(partners.begin(), partners.end(), rank) != partners.end();
  }
  /// These cells, of such messages.
  [[nodiscard]] std::vector<PathCell> of_team(std::vector<PathCell> cells) const {
    for (PathCell& cell : cells) cell.within_node = within_node;
    return cells;
  }
};

/// Of several nodes with as many ranks each: one rank of each node, for between nodes is where messages are dear, and
/// each has its node's link to itself; all others are the root's partners. Else all ranks, and as the root's partner
/// the first one on another node, if there is one. Collective.
[[nodiscard]] MessageTeam team_between_nodes(const Communicator& communicator);

/// The ranks of the root's node, where others are measured as well; none where team_between_nodes() has them.
[[nodiscard]] std::optional<MessageTeam> team_within_node(const Communicator& communicator);

}  // namespace tilewright
