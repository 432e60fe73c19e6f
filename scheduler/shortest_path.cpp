#include <algorithm>
#include <limits>

#include "transition_graph.hpp"

namespace tilewright {

std::optional<ShortestPath> shortest_path(const TransitionGraph& graph, const std::vector<double>& seconds) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  struct Arrival {
    double seconds = infinity;
    TransitionGraph::Vertex from = 0;
    int transition = -1;
  };
  std::vector<Arrival> arrivals(boost::num_vertices(graph.graph));
  arrivals[graph.start].seconds = 0;
  for (TransitionGraph::Vertex vertex = 0; vertex < arrivals.size(); ++vertex) {  // in topological order
    const double reached = arrivals[vertex].seconds;
    if (reached == infinity) continue;
    const auto [first, last] = boost::out_edges(vertex, graph.graph);
    for (auto edge = first; edge != last; ++edge) {
      const int transition = graph.graph[*edge].transition;
      Arrival& arrival = arrivals[boost::target(*edge, graph.graph)];
      const double total = reached + seconds[static_cast<std::size_t>(transition)];
      if (total < arrival.seconds) arrival = {total, vertex, transition};
    }
  }
  if (arrivals[graph.goal].seconds == infinity) return std::nullopt;
  ShortestPath path{arrivals[graph.goal].seconds, {}};
  for (auto vertex = graph.goal; vertex != graph.start; vertex = arrivals[vertex].from) {
    path.transitions.push_back(arrivals[vertex].transition);
  }
  std::reverse(path.transitions.begin(), path.transitions.end());
  return path;
}

}  // namespace tilewright
