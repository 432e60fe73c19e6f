#include "configurations.hpp"

#include <fmt/format.h>

#include "forced_work.hpp"
#include "node_use.hpp"
#include "tile_speeds.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/core/node_mapping.hpp"

namespace tilewright {
namespace {

/// Of the same columns and rows: even tiles first, then as large as ranks are fast.
std::vector<ProcessGrid> cuts_of(const ProcessGrid& grid, const SearchSpace& space) {
  if (space.grid && space.grid->has_shares()) {
    return {with_shares(grid, space.grid->column_shares, space.grid->row_shares)};
  }
  const ProcessGrid by_speed = space.rank_speeds.empty() ? grid : shared_by_speed(grid, space.rank_speeds);
  if (space.tiles == TileSizes::less_on_root) return {};
  if (space.tiles == TileSizes::even || by_speed.is_even()) return {grid};
  if (space.tiles == TileSizes::by_speed) return {by_speed};
  return {grid, by_speed};
}

/// Of more ranks, the root has little to do for its tile anyway.
constexpr int most_ranks_fed_in_turn = 32;

/// Row strips whose ranks are fed in turn: as they are otherwise, with half of the root's part, and with none of it,
/// for a root that only communicates; nothing if that is not to be tried.
std::vector<ProcessGrid> cuts_fed_in_turn(const ProcessGrid& grid, const SearchSpace& space) {
  constexpr int fewest_ranks = 3;  // with two, nobody has his tile before another one
  const bool can_be = grid.x == 1 && grid.ranks() >= fewest_ranks && grid.ranks() <= most_ranks_fed_in_turn;
  if (!can_be || !space.in_turn.value_or(true)) return {};
  std::vector<ProcessGrid> cuts = cuts_of(grid, space);
  const bool may_have_less = !space.tiles || space.tiles == TileSizes::less_on_root;
  if (!may_have_less || (space.grid && space.grid->has_shares())) return cuts;
  for (const double part : {0.5, 0.0}) {
    if (auto less = with_less_on_root(grid, space.rank_speeds, part)) cuts.push_back(*std::move(less));
  }
  return cuts;
}

/// That of images that are on the tiles of a grid.
Configuration configuration_of_sources(const ProcessGrid& grid, const SearchSpace& space) {
  if (grid.ranks() <= space.max_ranks && may_use_grid(space, grid)) return {grid.ranks(), grid};
  throw ParameterError(
      fmt::format("an image is on the tiles of {}, but another grid is forced, or fewer ranks were "
                  "started: bring it to the root first",
                  to_string(grid)));
}

/// On as many nodes as are asked for, as the forced grid has them.
std::vector<ProcessGrid> grids_to_try(int ranks, const SearchSpace& space, bool maps) {
  const int fewest_nodes = space.grid || space.ranks ? 1 : nodes_of(space.min_ranks, space.ranks_per_node);
  std::vector<ProcessGrid> found;
  for (const ProcessGrid& grid : grids_of(ranks)) {
    const bool is_forced = space.grid && space.grid->mapping.is_given();
    std::vector<NodeMapping> mappings{NodeMapping{}};
    if (maps) mappings = mappings_of(grid, space);
    if (is_forced) mappings = {space.grid->mapping};
    for (const NodeMapping& mapping : mappings) {
      if (!fills(grid, mapping) || (space.grid && !space.grid->matches(grid))) continue;
      const ProcessGrid mapped = with_mapping(grid, mapping);
      if (nodes_used(space, mapped) >= fewest_nodes) found.push_back(mapped);
    }
  }
  return found;
}

}  // namespace

std::vector<Configuration> configurations(const Pipeline& pipeline, const MachineProfile& profile,
                                          const SearchSpace& space) {
  if (const auto grid = grid_of_sources(pipeline)) return {configuration_of_sources(*grid, space)};
  const bool maps = offers_mappings(profile, space);
  std::vector<Configuration> all;
  const int first = space.ranks.value_or(space.grid || maps ? 1 : space.min_ranks);
  const int last = space.ranks.value_or(space.max_ranks);
  if (space.or_one_rank && first > 1) all.push_back({1, {}});
  for (int ranks = first; ranks <= last; ++ranks) {
    const std::vector<ProcessGrid> grids = grids_to_try(ranks, space, maps);
    for (const ProcessGrid& grid : grids) {
      if (space.in_turn.value_or(false)) break;
      for (const ProcessGrid& cut : cuts_of(grid, space)) all.push_back({ranks, cut});
    }
    for (const ProcessGrid& grid : grids) {
      if (grid.mapping.is_in_blocks()) continue;
      for (const ProcessGrid& cut : cuts_fed_in_turn(grid, space)) all.push_back({ranks, cut, {}, true});
    }
  }
  const bool is_less_forced = space.tiles == TileSizes::less_on_root;
  if (all.empty() && (is_less_forced || space.in_turn.value_or(false))) {
    throw ParameterError(
        fmt::format("{} is forced, which takes row strips of 3 to {} ranks: start more ranks, or force no other grid",
                    is_less_forced ? "less on the root" : "feeding ranks in turn", most_ranks_fed_in_turn));
  }
  if (all.empty() && !space.grid) {
    throw ParameterError(
        fmt::format("no grid of {} ranks can be laid out on {} x {} ranks: force another number of ranks", last,
                    space.mappable_nodes, space.ranks_per_node));
  }
  if (all.empty()) {
    throw ParameterError(
        fmt::format("no grid of {} ranks has the forced form {}: force another grid or number of ranks",
                    space.ranks ? std::to_string(last) : fmt::format("1 to {}", last), to_string(*space.grid)));
  }
  return all;
}

}  // namespace tilewright
