#include "node_layout.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace tilewright {

NodeLayout node_layout(const Communicator& communicator, const CoreShare& share) {
  char host[256] = "";
  gethostname(host, sizeof(host) - 1);
  const std::vector<std::string> all = communicator.gather(fmt::format("{} {}", host, share.mask));
  NodeLayout layout;
  std::map<std::string, std::pair<int, std::string>> nodes;  // by host: ranks, and the cores of all of them
  for (const std::string& text : all) {
    const std::size_t space = text.find(' ');
    layout.node_of_rank.push_back(text.substr(0, space));
    auto& [ranks, mask] = nodes[text.substr(0, space)];
    ++ranks;
    mask = united(mask, text.substr(space + 1));
  }
  std::string table;
  int most = 1;
  for (const auto& [name, node] : nodes) {
    most = std::max(most, node.first);
    table += fmt::format("{} {} {}\n", name, node.first, std::count(node.second.begin(), node.second.end(), '1'));
  }
  std::istringstream stream(communicator.broadcast(fmt::format("{} {}\n{}", nodes.size(), most, table)));
  stream >> layout.nodes >> layout.ranks_per_node;
  std::string name;
  int ranks = 0, cores = 0;
  while (stream >> name >> ranks >> cores) {
    if (name != host) continue;
    layout.ranks_here = ranks;
    layout.cores_here = cores;
  }
  return layout;
}

}  // namespace tilewright
