#include "path_finder.hpp"

#include <algorithm>

namespace tilewright {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

PathFinder::PathFinder(const Pipeline& pipeline, const MachineProfile& profile, const CostModel& model,
                       const SearchSpace& space, std::shared_ptr<KnownSchedules> schedules)
    : schedules_(std::move(schedules)), pricer_(pipeline, profile, model, space, schedules_) {}

/// The last candidate's path is mostly a good one of the next, and the one found by bounds is one by prices: what they
/// take, no other one needs to exceed, and most placements can be left aside.
PathFinder::PricedPath PathFinder::path(const TransitionGraph& graph, const Via& via, double enough,
                                        const Permission& may_be_made) {
  if (pricer_.is_in_turn()) return {path_in_turn(graph, via, may_be_made)};
  std::vector<double> seconds;
  std::vector<bool> is_exact;
  for (const Transition& transition : graph.transitions) {
    seconds.push_back(pricer_.least_seconds(transition));
    is_exact.push_back(!has_messages(transition));
  }
  std::vector<int> known = may_be_made ? std::vector<int>() : last_path(graph, via);
  while (true) {
    const double at_most = known.empty() ? infinity : seconds_along(known, seconds);
    auto found = shortest_path(graph, seconds, via, may_be_made, at_most);
    if (!found) return {};
    known = found->transitions;
    if (!may_be_made) last_path(graph, via) = known;
    const auto is_priced = [&](int step) { return is_exact[static_cast<std::size_t>(step)]; };
    if (std::ranges::all_of(known, is_priced)) return {std::move(found)};
    if (found->seconds > enough) return {std::move(found), false};
    for (const int step : known) {
      if (is_priced(step)) continue;
      const auto i = static_cast<std::size_t>(step);
      seconds[i] = pricer_.price(graph.transitions[i]).seconds;
      is_exact[i] = true;
    }
  }
}

/// All transitions are priced at once: to set labels takes longer.
std::optional<ShortestPath> PathFinder::path_in_turn(const TransitionGraph& graph, const Via& via,
                                                     const Permission& may_be_made) {
  std::vector<TransitionTimes> times;
  for (const Transition& transition : graph.transitions) {
    const bool is_possible = pricer_.least_seconds(transition, infinity) < infinity;
    times.push_back(pricer_.times(transition, is_possible ? pricer_.price(transition).seconds : infinity));
  }
  return earliest_path(graph, times, via, may_be_made);
}

}  // namespace tilewright
