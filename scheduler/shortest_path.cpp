#include <algorithm>
#include <array>
#include <limits>

#include "transition_graph.hpp"

namespace tilewright {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// How a vertex is reached best.
struct Arrival {
  double seconds = infinity;
  TransitionGraph::Vertex from = 0;
  int transition = -1;
  bool had_passed = false;  // the kind asked for, before this transition
};

/// By vertex: the best arrival of those that have not passed a transition of the kind asked for, and of those that
/// have.
using Arrivals = std::vector<std::array<Arrival, 2>>;

ShortestPath path_to_goal(const TransitionGraph& graph, const Arrivals& arrivals) {
  const Arrival* arrival = &arrivals[graph.goal][1];
  ShortestPath path{arrival->seconds, {}};
  while (arrival->transition >= 0) {
    path.transitions.push_back(arrival->transition);
    arrival = &arrivals[arrival->from][arrival->had_passed ? 1 : 0];
  }
  std::reverse(path.transitions.begin(), path.transitions.end());
  return path;
}

/// By transition: of the choices that begin with it, the fastest one.
std::vector<int> fastest_choices(const TransitionGraph& graph, const std::vector<double>& seconds) {
  std::vector<int> fastest(seconds.size());
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    const auto first = seconds.begin() + static_cast<std::ptrdiff_t>(i);
    fastest[i] = static_cast<int>(std::min_element(first, first + graph.choices[i]) - seconds.begin());
  }
  return fastest;
}

}  // namespace

std::optional<ShortestPath> shortest_path(const TransitionGraph& graph, const std::vector<double>& seconds,
                                          std::optional<Transition::Kind> via) {
  Arrivals arrivals(boost::num_vertices(graph.graph));
  const std::vector<int> fastest = fastest_choices(graph, seconds);
  arrivals[graph.start][via ? 0 : 1].seconds = 0;
  for (TransitionGraph::Vertex vertex = 0; vertex < arrivals.size(); ++vertex) {  // in topological order
    for (const std::size_t passed : {0U, 1U}) {
      const double reached = arrivals[vertex][passed].seconds;
      if (reached == infinity) continue;
      const auto [first, last] = boost::out_edges(vertex, graph.graph);
      for (auto edge = first; edge != last; ++edge) {
        const int index = fastest[static_cast<std::size_t>(graph.graph[*edge].transition)];
        const auto transition = static_cast<std::size_t>(index);
        const bool passes = passed == 1 || graph.transitions[transition].kind == via;
        Arrival& arrival = arrivals[boost::target(*edge, graph.graph)][passes ? 1 : 0];
        const double total = reached + seconds[transition];
        if (total < arrival.seconds) arrival = {total, vertex, index, passed == 1};
      }
    }
  }
  if (arrivals[graph.goal][1].seconds == infinity) return std::nullopt;
  return path_to_goal(graph, arrivals);
}

}  // namespace tilewright
