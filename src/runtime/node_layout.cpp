#include "node_layout.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace tilewright {
namespace {

/// What the root knows of a node.
struct Node {
  int ranks = 0;
  std::string mask;  ///< the cores of all of them
  int quota = std::numeric_limits<int>::max();

  [[nodiscard]] int cores() const { return static_cast<int>(std::count(mask.begin(), mask.end(), '1')); }
};

/// A part of a core, too, is a core to compute on.
int whole_cores(double cores) {
  return static_cast<int>(std::clamp<double>(cores, 1, std::numeric_limits<int>::max()));
}

/// "0 0 1 1".
std::string indices(const std::vector<std::string>& node_of_rank, const std::map<std::string, Node>& nodes) {
  std::vector<std::ptrdiff_t> all;
  for (const std::string& name : node_of_rank) all.push_back(std::distance(nodes.begin(), nodes.find(name)));
  return fmt::format("{}", fmt::join(all, " "));
}

}  // namespace

std::string node_name() {
  std::string name(256, '\0');
  if (gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  name.resize(name.find('\0'));
  return name;
}

NodeLayout node_layout(const Communicator& communicator, const CoreShare& share) {
  const std::string host = node_name();
  const std::vector<std::string> all = communicator.gather(
      fmt::format("{} {} {} {}", host, share.mask, whole_cores(share.quota), whole_cores(share.cores())));
  NodeLayout layout;
  std::map<std::string, Node> nodes;  // by host
  int cores_per_node = std::numeric_limits<int>::max();
  int cores_per_rank = cores_per_node;
  for (const std::string& text : all) {
    std::istringstream stream(text);
    std::string name, mask;
    int quota = 0, own = 0;
    stream >> name >> mask >> quota >> own;
    layout.node_of_rank.push_back(name);
    Node& node = nodes[name];
    ++node.ranks;
    node.mask = united(node.mask, mask);
    node.quota = std::min(node.quota, quota);
    cores_per_rank = std::min(cores_per_rank, own);
  }
  std::string table;
  int most = 1;
  int fewest = std::numeric_limits<int>::max();
  for (const auto& [name, node] : nodes) {
    most = std::max(most, node.ranks);
    fewest = std::min(fewest, node.ranks);
    cores_per_node = std::min({cores_per_node, node.cores(), node.quota});
    table += fmt::format("{} {} {}\n", name, node.ranks, node.cores());
  }
  std::istringstream stream(
      communicator.broadcast(fmt::format("{} {} {} {} {}\n{}\n{}", nodes.size(), most, fewest, cores_per_node,
                                         cores_per_rank, indices(layout.node_of_rank, nodes), table)));
  stream >> layout.nodes >> layout.ranks_per_node >> fewest >> layout.cores_per_node >> layout.cores_per_rank;
  layout.has_even_nodes = fewest == layout.ranks_per_node;
  for (int rank = 0; rank < communicator.ranks(); ++rank) stream >> layout.node_index_of_rank.emplace_back();
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
