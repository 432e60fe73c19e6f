#include "message_team.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "tilewright/calibrate/calibrate.hpp"
#include "tilewright/core/node_mapping.hpp"

namespace tilewright {
namespace {

/// Several ranks on each of several nodes.
bool has_teams(const Communicator& communicator) {
  return communicator.nodes() > 1 && communicator.ranks_per_node() > 1 && communicator.has_even_nodes();
}

std::vector<int> all_but_root(int ranks) {
  std::vector<int> others(static_cast<std::size_t>(ranks - 1));
  std::iota(others.begin(), others.end(), 1);
  return others;
}

double ration_of_root(const Communicator& communicator) {
  return communicator.of_root(communicator.ration_period_s());
}

int first_elsewhere(const Communicator& communicator) {
  const std::vector<std::string> hosts = communicator.gather(fingerprint_of(communicator).host);
  const auto other =
      std::find_if(hosts.begin(), hosts.end(), [&](const std::string& name) { return name != hosts.front(); });
  return communicator.of_root(other == hosts.end() ? 1 : static_cast<int>(other - hosts.begin()));
}

}  // namespace

MessageTeam team_between_nodes(const Communicator& communicator) {
  const int nodes = communicator.nodes();
  const double ration_s = ration_of_root(communicator);
  if (has_teams(communicator)) {
    return {communicator.numbered_as({1, nodes, {}, {}, {1}}), nodes, all_but_root(nodes), false, ration_s};
  }
  const int ranks = communicator.ranks();
  const bool each_has_a_node = ranks > 1 && nodes == ranks;
  return {communicator, ranks, each_has_a_node ? all_but_root(ranks) : std::vector<int>{first_elsewhere(communicator)},
          false, ration_s};
}

std::optional<MessageTeam> team_within_node(const Communicator& communicator) {
  if (!has_teams(communicator)) return std::nullopt;
  const int ranks = communicator.ranks_per_node();
  return MessageTeam{
      communicator.numbered_as({1, ranks, {}, {}, {ranks}}), ranks, {1}, true, ration_of_root(communicator)};
}

}  // namespace tilewright
