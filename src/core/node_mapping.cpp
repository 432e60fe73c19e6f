#include "tilewright/core/node_mapping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>

#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

/// Where a rank is among the blocks of nodes.
struct SeatOnNode {
  int node = 0;
  int seat = 0;
};

SeatOnNode seat_of(const ProcessGrid& grid, int rank) {
  const NodeMapping& mapping = grid.mapping;
  if (!mapping.is_in_blocks()) return {rank / mapping.ranks, rank % mapping.ranks};
  const int rows = mapping.ranks / mapping.columns;
  const int column = grid.column(rank);
  const int row = grid.row(rank);
  return {row / rows * (grid.x / mapping.columns) + column / mapping.columns,
          row % rows * mapping.columns + column % mapping.columns};
}

/// The ranks of each node, nodes in the order of their first ranks.
std::vector<std::vector<int>> ranks_by_node(const std::vector<int>& node_of_started) {
  std::vector<std::vector<int>> nodes;
  std::map<int, std::size_t> places;
  for (std::size_t rank = 0; rank < node_of_started.size(); ++rank) {
    const auto [place, is_new] = places.try_emplace(node_of_started[rank], nodes.size());
    if (is_new) nodes.emplace_back();
    nodes[place->second].push_back(static_cast<int>(rank));
  }
  return nodes;
}

}  // namespace

bool fills(const ProcessGrid& grid, const NodeMapping& mapping) {
  if (!mapping.is_in_blocks()) return true;
  return mapping.ranks % mapping.columns == 0 && grid.x % mapping.columns == 0 &&
         grid.y % (mapping.ranks / mapping.columns) == 0;
}

ProcessGrid with_mapping(ProcessGrid grid, const NodeMapping& mapping) {
  grid.mapping = mapping;
  if (!mapping.is_in_blocks()) return grid;
  const int rows = mapping.ranks / mapping.columns;
  if (!fills(grid, mapping)) {
    throw ParameterError(
        fmt::format("blocks of {}x{} ranks a node do not fill a grid of {}x{}: give divisors of its sides",
                    mapping.columns, rows, grid.x, grid.y));
  }
  const bool is_in_order = rows == 1 || mapping.columns == grid.x;
  if (is_in_order) grid.mapping.columns = 0;
  return grid;
}

int node_of(const ProcessGrid& grid, int rank) {
  return seat_of(grid, rank).node;
}

std::optional<NodeBlock> block_on_node(const ProcessGrid& grid) {
  const NodeMapping& mapping = grid.mapping;
  if (mapping.is_in_blocks()) return NodeBlock{mapping.columns, mapping.ranks / mapping.columns};
  if (grid.ranks() <= mapping.ranks) return NodeBlock{grid.x, grid.y};
  if (mapping.ranks % grid.x == 0) return NodeBlock{grid.x, mapping.ranks / grid.x};
  return grid.x % mapping.ranks == 0 ? std::optional(NodeBlock{mapping.ranks, 1}) : std::nullopt;
}

int nodes_of(int ranks, int ranks_per_node) {
  return (ranks + ranks_per_node - 1) / ranks_per_node;
}

int nodes_of(const ProcessGrid& grid) {
  return nodes_of(grid.ranks(), grid.mapping.ranks);
}

std::vector<int> started_ranks(const ProcessGrid& grid, const std::vector<int>& node_of_started) {
  std::vector<int> order;
  std::vector<bool> is_taken(node_of_started.size(), false);
  std::vector<std::vector<int>> nodes = ranks_by_node(node_of_started);
  if (grid.mapping.is_given()) {
    std::erase_if(nodes, [&](const std::vector<int>& ranks) {
      const bool is_of_root = ranks.front() == 0;
      return !is_of_root && static_cast<int>(ranks.size()) < std::min(grid.mapping.ranks, grid.ranks());
    });
  }
  for (int rank = 0; grid.mapping.is_given() && rank < grid.ranks(); ++rank) {
    const auto [node, seat] = seat_of(grid, rank);
    const bool is_there =
        node < static_cast<int>(nodes.size()) && seat < static_cast<int>(nodes[static_cast<std::size_t>(node)].size());
    if (!is_there) {
      throw ParameterError(
          fmt::format("the grid {} takes {} nodes with {} ranks each, which were not started: start as many, or plan "
                      "for those that are there",
                      to_string(grid), nodes_of(grid), std::min(grid.mapping.ranks, grid.ranks())));
    }
    order.push_back(nodes[static_cast<std::size_t>(node)][static_cast<std::size_t>(seat)]);
    is_taken[static_cast<std::size_t>(order.back())] = true;
  }
  for (std::size_t rank = 0; rank < is_taken.size(); ++rank) {
    if (!is_taken[rank]) order.push_back(static_cast<int>(rank));
  }
  return order;
}

}  // namespace tilewright
