// The words of a search space, and what it allows.
#include <fmt/format.h>

#include <algorithm>

#include "node_use.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/scheduler/planner.hpp"

namespace tilewright {

HaloChoice parse_halo_choice(std::string_view text) {
  if (text == "shallow") return HaloChoice::shallow;
  if (text == "deep") return HaloChoice::deep;
  throw ParameterError(fmt::format("'{}' is no choice of halos: use shallow or deep", text));
}

Regrid parse_regrid(std::string_view text) {
  if (text == "never") return Regrid::never;
  if (text == "always") return Regrid::always;
  throw ParameterError(fmt::format("'{}' is no choice of regridding: use never or always", text));
}

TileSizes parse_tile_sizes(std::string_view text) {
  if (text == "even") return TileSizes::even;
  if (text == "by-speed") return TileSizes::by_speed;
  if (text == "less-on-root") return TileSizes::less_on_root;
  throw ParameterError(fmt::format("'{}' is no choice of tiles: use even, by-speed or less-on-root", text));
}

FileAccess parse_file_access(std::string_view text) {
  if (text == "root") return FileAccess::root;
  if (text == "parallel") return FileAccess::parallel;
  throw ParameterError(fmt::format("'{}' is no access to files: use root, parallel or auto", text));
}

Distribution parse_distribution(std::string_view text) {
  if (text == "scatter") return Distribution::scatter;
  if (text == "broadcast") return Distribution::broadcast;
  throw ParameterError(fmt::format("'{}' is no distribution: use scatter or broadcast", text));
}

bool may_use_grid(const SearchSpace& space, const ProcessGrid& grid) {
  const bool is_forced_grid = !space.grid || (space.grid->matches(grid) &&
                                              (!space.grid->mapping.is_given() || space.grid->mapping == grid.mapping));
  return space.ranks.value_or(grid.ranks()) == grid.ranks() && is_forced_grid && space.regrid != Regrid::always;
}

int threads_of_rank(const SearchSpace& space, const ProcessGrid& grid) {
  if (space.threads) return *space.threads;
  return std::max(1, std::min(space.cores_per_rank, space.cores_per_node / ranks_on_node(space, grid)));
}

}  // namespace tilewright
