#include "wishes.hpp"

#include <fmt/format.h>

#include "node_use.hpp"
#include "tilewright/model/node_curve.hpp"

namespace tilewright {

double node_hours_of(const Configuration& configuration, double seconds, const SearchSpace& space) {
  return node_hours(nodes_used(space, configuration.grid), seconds);
}

CostOfSeconds cost_of_seconds(const SearchSpace& space) {
  if (space.wishes.objective == Objective::time) return nullptr;
  return [](int nodes, double seconds) { return node_hours(nodes, seconds); };
}

bool takes_too_many_node_hours(const Candidate& candidate, const SearchSpace& space) {
  const auto& most = space.wishes.most_node_hours;
  return most && candidate.is_possible() &&
         node_hours_of(candidate.configuration, candidate.least_seconds, space) > *most;
}

bool refuse_beyond_budget(Search& search, std::size_t index, const SearchSpace& space) {
  const Candidate& candidate = search[index];
  if (!takes_too_many_node_hours(candidate, space)) return false;
  search.refuse(index,
                fmt::format("takes {}{:.3g} node-hours, but {:.3g} may be spent", candidate.path ? "" : "at least ",
                            node_hours_of(candidate.configuration, candidate.least_seconds, space),
                            *space.wishes.most_node_hours));
  return true;
}

bool are_comparable(const Candidate& a, const Candidate& b, const SearchSpace& space) {
  return space.wishes.objective == Objective::time ||
         nodes_used(space, a.configuration.grid) == nodes_used(space, b.configuration.grid);
}

}  // namespace tilewright
