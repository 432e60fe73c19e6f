#include "forced_work.hpp"

namespace tilewright {
namespace {

bool wants_ways_to_tiles(const SearchSpace& space) {
  return space.grid || space.tree || space.distribution || space.halo == HaloChoice::deep ||
         space.files == FileAccess::parallel;
}

}  // namespace

bool wants_all_on_tiles(const SearchSpace& space) {
  return (space.ranks && !space.or_one_rank) || wants_ways_to_tiles(space);
}

std::string why_not_everywhere(const SearchSpace& space) {
  if (!space.everywhere) return "to compute on all ranks is forbidden";
  return wants_all_on_tiles(space) ? "the forced decision asks for work on tiles" : "";
}

bool wants_ranks_only(const SearchSpace& space) {
  const bool wants_form =
      space.tiles || space.in_turn.value_or(false) || space.overlap.value_or(false) || space.regrid == Regrid::always;
  return space.ranks.value_or(1) > 1 && !wants_ways_to_tiles(space) && !wants_form;
}

}  // namespace tilewright
