// The fastest path of a configuration that fits into the memory of its nodes, where the fastest one of all does not.
//
// What a plan needs is known when it is made. What a path needs at least is told by the states that it leads through,
// so the fastest of those paths is tried on which nobody holds more than a node has. What still does not fit because
// the root needs its most at another time than the others need theirs leaves two parts: paths on which the root needs
// less, and paths on which the others do. Parts are tried in the order of their fastest paths, so the first one that
// fits is the fastest; unless a plan needs more than its states tell, or too many were tried, and then the plan is not
// proven.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "node_use.hpp"
#include "path_memory.hpp"
#include "search.hpp"
#include "tilewright/core/units.hpp"

namespace tilewright {

class Search::FittingPath {
 public:
  FittingPath(Search& search, Candidate& candidate, const NodeBytesOf& node_bytes_of, std::int64_t least_bytes)
      : search_(search),
        candidate_(candidate),
        graph_(search.graph_for_memory(candidate)),
        node_bytes_of_(node_bytes_of),
        limit_(search.space_.node_memory),
        least_bytes_(least_bytes),
        finder_(*search.finders_.front()),
        memory_(search.pipeline_, graph_, search.pricer_of(candidate), search.offer_) {}

  /// None if none fits of those that are tried.
  std::optional<ShortestPath> find() {
    if (const auto path = fastest()) return as_of_candidate(*path);
    const auto path = least_hungry();
    return path && fits(*path) ? std::optional(as_of_candidate(*path)) : std::nullopt;
  }

  /// Of all plans that were tried.
  [[nodiscard]] std::int64_t least_bytes() const { return least_bytes_; }

 private:
  /// The paths on which nobody holds more than that, as far as states tell.
  struct Part {
    RankBytes most;
    ShortestPath fastest;
    RankBytes peak;  ///< on the fastest one
  };

  std::optional<ShortestPath> fastest() {
    constexpr int most_tried = 32;
    add_part({limit_, limit_});
    for (int tried = 0; !parts_.empty(); ++tried) {
      const auto next = std::min_element(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) {
        return a.fastest.seconds < b.fastest.seconds;
      });
      const Part part = *next;
      parts_.erase(next);
      if (tried == most_tried) {
        search_.leave_out(LeftOut::memories, part.fastest.seconds);
        return std::nullopt;
      }
      if (fits(part.fastest)) return part.fastest;
      if (node_bytes_at(part.peak) <= limit_) search_.leave_out(LeftOut::memories, part.fastest.seconds);
      add_part({part.peak.root - 1, part.most.rank});
      add_part({part.most.root, part.peak.rank - 1});
    }
    return std::nullopt;
  }

  void add_part(const RankBytes& most) {
    const Permission is_little_enough = [&](PathMemory::Vertex from, PathMemory::Vertex to, int transition) {
      const RankBytes held = memory_.held(from, to, transition);
      return held.root <= most.root && held.rank <= most.rank && node_bytes_at(held) <= limit_;
    };
    std::optional<ShortestPath> path;
    do {
      path = finder_.path(graph_, via_, infinity, is_little_enough).shortest;
    } while (path && memory_.count_messages(path->transitions));
    if (!path) return;
    if (path->cut) search_.leave_out(LeftOut::labels, candidate_.least_seconds);
    parts_.push_back({most, *path, memory_.peak(*path)});
  }

  /// The path of which the fullest node needs least, as far as states tell.
  std::optional<ShortestPath> least_hungry() {
    const auto bytes = [&](PathMemory::Vertex from, PathMemory::Vertex to, int transition) {
      return memory_.is_possible(transition) ? static_cast<double>(node_bytes_at(memory_.held(from, to, transition)))
                                             : infinity;
    };
    std::optional<ShortestPath> path;
    do {
      path = least_peak_path(graph_, bytes, via_);
    } while (path && memory_.count_messages(path->transitions));
    if (path) path->seconds = seconds_along(path->transitions);
    return path;
  }

  [[nodiscard]] double seconds_along(const std::vector<int>& transitions) {
    Timeline now;
    for (const int i : transitions) {
      const Transition& transition = graph_.transitions[static_cast<std::size_t>(i)];
      now = after(now, finder_.pricer().times(transition, finder_.pricer().price(transition).seconds));
    }
    return now.end();
  }

  [[nodiscard]] bool fits(const ShortestPath& path) {
    candidate_.path = as_of_candidate(path);
    const std::int64_t bytes = node_bytes_of_(candidate_);
    least_bytes_ = std::min(least_bytes_, bytes);
    return bytes <= limit_;
  }

  /// The same transitions in the candidate's graph.
  [[nodiscard]] ShortestPath as_of_candidate(const ShortestPath& path) const {
    const std::vector<Transition>& known = search_.graph_of(candidate_).transitions;
    std::vector<int> transitions;
    for (const int i : path.transitions) {
      const Transition& made = graph_.transitions[static_cast<std::size_t>(i)];
      if (made.kind == Transition::Kind::none) continue;
      transitions.push_back(static_cast<int>(std::find(known.begin(), known.end(), made) - known.begin()));
    }
    return {path.seconds, std::move(transitions), path.cut};
  }

  [[nodiscard]] std::int64_t node_bytes_at(const RankBytes& held) const {
    const ProcessGrid& grid = candidate_.configuration.grid;
    return node_bytes(held.root, held.rank, finder_.pricer().holders(), ranks_per_node(search_.space_, grid));
  }

  static constexpr double infinity = std::numeric_limits<double>::infinity();

  Search& search_;
  Candidate& candidate_;
  const TransitionGraph& graph_;
  const Via via_ = search_.needed_kinds(candidate_);
  const NodeBytesOf& node_bytes_of_;
  std::int64_t limit_;
  std::int64_t least_bytes_;
  PathFinder& finder_;  ///< in the candidate's configuration
  PathMemory memory_;
  std::vector<Part> parts_;
};

/// Forgetful, unless that is too large; with its states.
const TransitionGraph& Search::graph_for_memory(const Candidate& candidate) {
  const int grids = graph_of(candidate).grids;
  if (const auto known = graphs_for_memory_.find(grids); known != graphs_for_memory_.end()) return known->second;
  const Offer offer = grids == 1 ? offer_ : offer_of_two_grids(offer_, space_);
  auto graph = make_forgetful_graph(pipeline_, space_.max_states, space_.halo, offer, graph_of(candidate));
  if (!graph && grids == 1) graph = make_transition_graph(pipeline_, space_.max_states, space_.halo, offer, true);
  if (!graph) graph = make_regridding_graph(pipeline_, space_.max_states, offer, true);
  return graphs_for_memory_.emplace(grids, *std::move(graph)).first->second;
}

void Search::give_less_memory(std::size_t index, std::int64_t bytes, const NodeBytesOf& node_bytes_of) {
  Candidate& candidate = candidates_[index];
  std::int64_t least = bytes;
  if (candidate.configuration.ranks > 1) {  // one rank alone has one path
    FittingPath fitting(*this, candidate, node_bytes_of, bytes);
    if (auto path = fitting.find()) return set_path(candidate, *finders_.front(), *std::move(path));
    least = fitting.least_bytes();
  }
  candidate.least_node_bytes = least;
  const int on_node = ranks_on_node(space_, candidate.configuration.grid);
  refuse(index, fmt::format("needs at least {}{}, but a node has {}", format_bytes(least),
                            on_node == 1 ? "" : fmt::format(" on a node with {} ranks", on_node),
                            format_bytes(space_.node_memory)));
}

}  // namespace tilewright
