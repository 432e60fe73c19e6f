// How the ranks of a run lie on the nodes.
#pragma once

#include <string>
#include <vector>

#include "cores.hpp"
#include "tilewright/runtime/communicator.hpp"

namespace tilewright {

/// How the ranks lie on the nodes, as the root has worked it out for one rank.
struct NodeLayout {
  int nodes = 1;
  int ranks_per_node = 1;  ///< most on one node
  int ranks_here = 1;
  int cores_here = 1;                     ///< that some rank of this node may run on
  int cores_per_node = 1;                 ///< that its ranks may use together, quotas counted: of the poorest node
  int cores_per_rank = 1;                 ///< that a rank may use, quotas counted: of the poorest rank
  bool has_even_nodes = true;             ///< all have ranks_per_node
  std::vector<std::string> node_of_rank;  ///< host names; on the root only
  std::vector<int> node_index_of_rank;    ///< on all ranks: nodes are counted in the order of their names
};

/// Exchanges host names and core masks over the communicator. (MPI_Comm_split_type does half of it, but spins.)
/// Collective.
[[nodiscard]] NodeLayout node_layout(const Communicator& communicator, const CoreShare& share);

}  // namespace tilewright
