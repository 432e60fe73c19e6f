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
  ShortestPath path{arrival->seconds, {}, false, {graph.goal}};
  while (arrival->transition >= 0) {
    path.transitions.push_back(arrival->transition);
    path.vertices.push_back(arrival->from);
    arrival = &arrivals[arrival->from][arrival->had_passed ? 1 : 0];
  }
  std::reverse(path.transitions.begin(), path.transitions.end());
  std::reverse(path.vertices.begin(), path.vertices.end());
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

/// One of the choices of an edge, and what it costs.
struct Choice {
  int transition = 0;
  double cost = infinity;
};

/// The cheapest one, of equal ones the first.
template <class CostOf>
Choice cheapest_choice(const TransitionGraph& graph, int first, CostOf&& cost_of) {
  Choice cheapest{first};
  for (int i = first; i < first + graph.choices[static_cast<std::size_t>(first)]; ++i) {
    const double cost = cost_of(i);
    if (cost < cheapest.cost) cheapest = {i, cost};
  }
  return cheapest;
}

/// `choose` takes an edge's ends and its first choice, `add` what has been reached and the cost of a choice.
template <class Choose, class Add>
std::optional<ShortestPath> best_path(const TransitionGraph& graph, std::optional<Transition::Kind> via,
                                      Choose&& choose, Add&& add) {
  Arrivals arrivals(boost::num_vertices(graph.graph));
  arrivals[graph.start][via ? 0 : 1].seconds = 0;
  for (TransitionGraph::Vertex vertex = 0; vertex < arrivals.size(); ++vertex) {  // in topological order
    for (const std::size_t passed : {0U, 1U}) {
      const double reached = arrivals[vertex][passed].seconds;
      if (reached == infinity) continue;
      const auto [first, last] = boost::out_edges(vertex, graph.graph);
      for (auto edge = first; edge != last; ++edge) {
        const TransitionGraph::Vertex to = boost::target(*edge, graph.graph);
        const Choice choice = choose(vertex, to, graph.graph[*edge].transition);
        const bool passes = passed == 1 || graph.transitions[static_cast<std::size_t>(choice.transition)].kind == via;
        Arrival& arrival = arrivals[to][passes ? 1 : 0];
        const double total = add(reached, choice.cost);
        if (total < arrival.seconds) arrival = {total, vertex, choice.transition, passed == 1};
      }
    }
  }
  if (arrivals[graph.goal][1].seconds == infinity) return std::nullopt;
  return path_to_goal(graph, arrivals);
}

}  // namespace

std::optional<ShortestPath> shortest_path(const TransitionGraph& graph, const std::vector<double>& seconds,
                                          std::optional<Transition::Kind> via, const Permission& may_be_made) {
  using Vertex = TransitionGraph::Vertex;
  const auto sum = [](double reached, double cost) { return reached + cost; };
  const auto seconds_of = [&](int transition) { return seconds[static_cast<std::size_t>(transition)]; };
  if (may_be_made) {
    const auto choose = [&](Vertex from, Vertex to, int first) {
      return cheapest_choice(graph, first, [&](int i) {
        const double cost = seconds_of(i);
        return cost < infinity && may_be_made(from, to, i) ? cost : infinity;
      });
    };
    return best_path(graph, via, choose, sum);
  }
  const std::vector<int> fastest = fastest_choices(graph, seconds);
  const auto choose = [&](Vertex /*from*/, Vertex /*to*/, int first) {
    const int choice = fastest[static_cast<std::size_t>(first)];
    return Choice{choice, seconds_of(choice)};
  };
  return best_path(graph, via, choose, sum);
}

std::optional<ShortestPath> least_peak_path(const TransitionGraph& graph, const CostOfStep& cost,
                                            std::optional<Transition::Kind> via) {
  using Vertex = TransitionGraph::Vertex;
  const auto choose = [&](Vertex from, Vertex to, int first) {
    return cheapest_choice(graph, first, [&](int i) { return cost(from, to, i); });
  };
  return best_path(graph, via, choose, [](double reached, double step) { return std::max(reached, step); });
}

}  // namespace tilewright
