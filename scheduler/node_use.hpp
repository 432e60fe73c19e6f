// How the ranks of a grid use nodes: which mappings are tried, and what follows from one.
#pragma once

#include <vector>

#include "tilewright/core/grid.hpp"
#include "tilewright/model/machine_profile.hpp"
#include "tilewright/scheduler/planner.hpp"

namespace tilewright {

/// Ranks that a node has before the next one gets any.
[[nodiscard]] int ranks_per_node(const SearchSpace& space, const ProcessGrid& grid);
/// Ranks of the grid on the node that has most of them.
[[nodiscard]] int ranks_on_node(const SearchSpace& space, const ProcessGrid& grid);
/// Nodes that have ranks of the grid.
[[nodiscard]] int nodes_used(const SearchSpace& space, const ProcessGrid& grid);
/// As SearchSpace::sharing_ranks, of the ranks as the grid has them on nodes.
[[nodiscard]] int sharing_ranks(const SearchSpace& space, const ProcessGrid& grid);

/// Whether no node of the plan needs more than nodes have.
[[nodiscard]] bool fits(const Plan& plan, const SearchSpace& space);

/// Whether the search looks at mappings: nodes have several ranks each, the profile tells messages within a node from
/// those between nodes, and nodes are equally fast.
[[nodiscard]] bool offers_mappings(const MachineProfile& profile, const SearchSpace& space);

/// Of the mappings of a grid, all up to 128 ranks; of more, all ranks of a node or one, and blocks with the shortest
/// sides. Fewer nodes first, then the order of ranks before blocks. What is on one node is there with all of its ranks:
/// to have fewer of them on it would take more nodes. Ranks in their order that are no blocks (block_on_node()) are as
/// they were started, and so are their costs.
[[nodiscard]] std::vector<NodeMapping> mappings_of(const ProcessGrid& grid, const SearchSpace& space);

/// Throws ParameterError if the forced grid's mapping wants more than the nodes have.
void check_mapping(const SearchSpace& space);

}  // namespace tilewright
