#include "message_team.hpp"

#include <algorithm>
#include <string>

#include "tilewright/calibrate/calibrate.hpp"
#include "tilewright/core/node_mapping.hpp"

namespace tilewright {
namespace {

bool has_teams(const Communicator& communicator) {
  return communicator.nodes() > 1 && communicator.ranks_per_node() > 1 && communicator.has_even_nodes();
}

int first_elsewhere(const Communicator& communicator) {
  const std::vector<std::string> hosts = communicator.gather(fingerprint_of(communicator).host);
  const auto other =
      std::find_if(hosts.begin(), hosts.end(), [&](const std::string& name) { return name != hosts.front(); });
  const auto partner = other == hosts.end() ? 1 : other - hosts.begin();
  return std::stoi(communicator.broadcast(std::to_string(partner)));
}

}  // namespace

MessageTeam team_between_nodes(const Communicator& communicator) {
  if (!has_teams(communicator)) return {communicator, communicator.ranks(), first_elsewhere(communicator)};
  const int nodes = communicator.nodes();
  return {communicator.numbered_as({1, nodes, {}, {}, {1}}), nodes};
}

std::optional<MessageTeam> team_within_node(const Communicator& communicator) {
  if (!has_teams(communicator)) return std::nullopt;
  const int ranks = communicator.ranks_per_node();
  return MessageTeam{communicator.numbered_as({1, ranks, {}, {}, {ranks}}), ranks, 1, true};
}

}  // namespace tilewright
