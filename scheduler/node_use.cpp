#include "node_use.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/core/error.hpp"
#include "tilewright/core/node_mapping.hpp"
#include "tilewright/scheduler/objective.hpp"

namespace tilewright {
namespace {

/// Of more ranks than these, not all mappings are tried: planning would take several times as long.
constexpr int most_ranks_in_all_ways = 128;

/// Blocks of as many ranks that fill the grid, and are something else than the order of ranks.
std::vector<NodeMapping> blocks_of(const ProcessGrid& grid, int ranks) {
  std::vector<NodeMapping> blocks;
  for (int columns = 1; columns < ranks; ++columns) {
    const NodeMapping mapping{ranks, columns};
    if (fills(grid, mapping) && with_mapping(grid, mapping).mapping.is_in_blocks()) blocks.push_back(mapping);
  }
  return blocks;
}

/// Columns and rows of the block that the fewest borders cross.
int sides(const NodeMapping& block) {
  return block.columns + block.ranks / block.columns;
}

/// All of them, or, of many ranks, the one with the shortest sides.
void add_blocks(std::vector<NodeMapping>& mappings, const ProcessGrid& grid, int ranks) {
  const std::vector<NodeMapping> blocks = blocks_of(grid, ranks);
  if (blocks.empty()) return;
  if (grid.ranks() <= most_ranks_in_all_ways) {
    mappings.insert(mappings.end(), blocks.begin(), blocks.end());
    return;
  }
  mappings.push_back(*std::min_element(blocks.begin(), blocks.end(),
                                       [](const NodeMapping& a, const NodeMapping& b) { return sides(a) < sides(b); }));
}

/// Whether so many ranks a node are tried, where more were started.
bool is_tried(const ProcessGrid& grid, int ranks, const SearchSpace& space) {
  const bool fills_nodes = space.ranks_per_node % ranks == 0 && grid.ranks() % ranks == 0 && grid.ranks() > ranks;
  const bool is_large = space.ranks_per_node * space.mappable_nodes > most_ranks_in_all_ways;
  return fills_nodes && (ranks == 1 || !is_large);
}

}  // namespace

int ranks_per_node(const SearchSpace& space, const ProcessGrid& grid) {
  return grid.mapping.is_given() ? grid.mapping.ranks : space.ranks_per_node;
}

int ranks_on_node(const SearchSpace& space, const ProcessGrid& grid) {
  return std::min(ranks_per_node(space, grid), grid.ranks());
}

int nodes_used(const SearchSpace& space, const ProcessGrid& grid) {
  return nodes_of(grid.ranks(), ranks_per_node(space, grid));
}

int sharing_ranks(const SearchSpace& space, const ProcessGrid& grid) {
  return grid.mapping.is_given() ? std::min(space.sharing_ranks, grid.mapping.ranks) : space.sharing_ranks;
}

bool fits(const Plan& plan, const SearchSpace& space) {
  return space.node_memory <= 0 || node_bytes(plan) <= space.node_memory;
}

bool offers_mappings(const MachineProfile& profile, const SearchSpace& space) {
  if (space.mappable_nodes < 1 || space.ranks_per_node < 2 || !space.rank_speeds.empty()) return false;
  return !profile.paths().empty() && profile.paths().back().within_node;
}

std::vector<NodeMapping> mappings_of(const ProcessGrid& grid, const SearchSpace& space) {
  if (grid.ranks() == 1) return {{}};
  std::vector<NodeMapping> mappings;
  for (int ranks = space.ranks_per_node; ranks > 0; --ranks) {
    const bool is_full = ranks == space.ranks_per_node;
    if (!is_full && !is_tried(grid, ranks, space)) continue;
    if (nodes_of(grid.ranks(), ranks) > space.mappable_nodes) continue;
    if (block_on_node(with_mapping(grid, {ranks}))) {
      mappings.push_back({ranks});
    } else if (is_full) {
      mappings.push_back({});
    }
    if (grid.ranks() > ranks) add_blocks(mappings, grid, ranks);
  }
  return mappings;
}

void check_mapping(const SearchSpace& space) {
  if (!space.grid) return;
  const ProcessGrid grid{std::max(1, space.grid->x), std::max(1, space.grid->y), {}, {}, space.grid->mapping};
  const std::string reason = why_not_mapped(space, grid);
  if (reason.empty()) return;
  throw ParameterError(
      fmt::format("the forced grid {} {}: start more, or force another", to_string(*space.grid), reason));
}

std::string why_not_mapped(const SearchSpace& space, const ProcessGrid& grid) {
  if (!grid.mapping.is_given()) return {};
  const int on_node = ranks_on_node(space, grid);
  if (on_node <= space.ranks_per_node && nodes_of(grid) <= std::max(1, space.mappable_nodes)) return {};
  const std::string there = space.mappable_nodes == 0
                                ? "nodes have different numbers of ranks"
                                : fmt::format("{} x {} were started", space.mappable_nodes, space.ranks_per_node);
  return fmt::format("takes {} x {} (nodes x ranks on each), but {}", nodes_of(grid), on_node, there);
}

}  // namespace tilewright
