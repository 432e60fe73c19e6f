// Shortest paths by prices, of which as few are worked out as it takes.
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "transition_costs.hpp"
#include "transition_graph.hpp"

namespace tilewright {

/// Refers to all that it is given but the schedules. The path that is found does not depend on what was looked for
/// before, only the time that it takes does.
class PathFinder {
 public:
  PathFinder(const Pipeline& pipeline, const MachineProfile& profile, const CostModel& model, const SearchSpace& space,
             std::shared_ptr<KnownSchedules> schedules);

  [[nodiscard]] TransitionPricer& pricer() { return pricer_; }
  /// Those that it knows.
  [[nodiscard]] const std::shared_ptr<KnownSchedules>& schedules() const { return schedules_; }

  /// A path of more than `enough` seconds may be one of lower bounds.
  struct PricedPath {
    std::optional<ShortestPath> shortest;
    bool is_exact = true;
  };
  /// In the configuration of the pricer.
  [[nodiscard]] PricedPath path(const TransitionGraph& graph, const Via& via,
                                double enough = std::numeric_limits<double>::infinity(),
                                const Permission& may_be_made = {});

 private:
  /// The transitions of the last path that was found with all freedom in the graph, via those kinds.
  [[nodiscard]] std::vector<int>& last_path(const TransitionGraph& graph, const Via& via) {
    return last_paths_[{&graph, via}];
  }
  std::optional<ShortestPath> path_in_turn(const TransitionGraph& graph, const Via& via, const Permission& may_be_made);

  std::shared_ptr<KnownSchedules> schedules_;
  TransitionPricer pricer_;
  std::map<std::pair<const TransitionGraph*, Via>, std::vector<int>> last_paths_;
};

}  // namespace tilewright
