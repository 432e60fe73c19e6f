// Which ranks of a grid share a node.
#pragma once

#include <optional>
#include <vector>

#include "tilewright/core/grid.hpp"

namespace tilewright {

/// The node of a rank, counted from the root's; the grid's mapping is given.
[[nodiscard]] int node_of(const ProcessGrid& grid, int rank);
/// Columns and rows of a grid that lie on one node.
struct NodeBlock {
  int columns = 1;
  int rows = 1;
};
/// What each node has, but for the last one, which may have fewer rows; the grid's mapping is given. None where ranks
/// in their order are no blocks: where neither a node's ranks fill rows, nor rows nodes.
[[nodiscard]] std::optional<NodeBlock> block_on_node(const ProcessGrid& grid);
/// Nodes that so many ranks fill, one after another.
[[nodiscard]] int nodes_of(int ranks, int ranks_per_node);
/// Nodes that have ranks of the grid, whose mapping is given.
[[nodiscard]] int nodes_of(const ProcessGrid& grid);
/// Whether blocks of that mapping fill the grid; the order of ranks always does.
[[nodiscard]] bool fills(const ProcessGrid& grid, const NodeMapping& mapping);
/// The mapping as the grid allows it: in blocks only where they differ from the order of ranks. Throws ParameterError
/// if the blocks do not fill the grid.
[[nodiscard]] ProcessGrid with_mapping(ProcessGrid grid, const NodeMapping& mapping);
/// By rank of the grid, then of those that it leaves idle: which of the started ranks it is; `node_of_started` has the
/// node of each, in any numbering. The root stays the root. Throws ParameterError where nodes have too few ranks.
[[nodiscard]] std::vector<int> started_ranks(const ProcessGrid& grid, const std::vector<int>& node_of_started);

}  // namespace tilewright
