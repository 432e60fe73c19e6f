// The words of a search space, and what it allows.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "node_use.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/scheduler/planner.hpp"

namespace tilewright {

namespace {

/// Throws ParameterError for another name: it is no `otherwise`.
template <class Choice>
Choice parse(std::string_view text, std::initializer_list<std::pair<std::string_view, Choice>> names,
             std::string_view otherwise) {
  for (const auto& [name, choice] : names) {
    if (text == name) return choice;
  }
  throw ParameterError(fmt::format("'{}' is no {}", text, otherwise));
}

}  // namespace

HaloChoice parse_halo_choice(std::string_view text) {
  return parse<HaloChoice>(text, {{"shallow", HaloChoice::shallow}, {"deep", HaloChoice::deep}},
                           "choice of halos: use shallow or deep");
}

Regrid parse_regrid(std::string_view text) {
  return parse<Regrid>(text, {{"never", Regrid::never}, {"always", Regrid::always}},
                       "choice of regridding: use never or always");
}

TileSizes parse_tile_sizes(std::string_view text) {
  return parse<TileSizes>(
      text, {{"even", TileSizes::even}, {"by-speed", TileSizes::by_speed}, {"less-on-root", TileSizes::less_on_root}},
      "choice of tiles: use even, by-speed or less-on-root");
}

FileAccess parse_file_access(std::string_view text) {
  return parse<FileAccess>(text, {{"root", FileAccess::root}, {"parallel", FileAccess::parallel}},
                           "access to files: use root, parallel or auto");
}

Distribution parse_distribution(std::string_view text) {
  return parse<Distribution>(text, {{"scatter", Distribution::scatter}, {"broadcast", Distribution::broadcast}},
                             "distribution: use scatter or broadcast");
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
