#include <algorithm>
#include <cstdint>
#include <limits>

#include "transition_graph.hpp"

namespace tilewright {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// How a vertex is reached best, by a path that has passed a transition of the kind asked for, or by one that has not.
struct Arrival {
  double seconds = infinity;
  int transition = -1;
  std::uint32_t before = 0;  ///< the arrival that it follows
};

/// Those of the paths that have not passed one, then those of all others, each by vertex: a graph has a million at
/// most.
class Arrivals {
 public:
  explicit Arrivals(std::size_t vertices) : vertices_(vertices), arrivals_(2 * vertices) {}

  [[nodiscard]] std::uint32_t index(TransitionGraph::Vertex vertex, bool has_passed) const {
    return static_cast<std::uint32_t>(vertex + (has_passed ? vertices_ : 0));
  }
  [[nodiscard]] TransitionGraph::Vertex vertex(std::uint32_t index) const { return index % vertices_; }
  Arrival& operator[](std::uint32_t index) { return arrivals_[index]; }
  const Arrival& operator[](std::uint32_t index) const { return arrivals_[index]; }

 private:
  std::size_t vertices_;
  std::vector<Arrival> arrivals_;
};

ShortestPath path_to_goal(const TransitionGraph& graph, const Arrivals& arrivals) {
  const Arrival* arrival = &arrivals[arrivals.index(graph.goal, true)];
  ShortestPath path{arrival->seconds, {}, false, {graph.goal}};
  while (arrival->transition >= 0) {
    path.transitions.push_back(arrival->transition);
    path.vertices.push_back(arrivals.vertex(arrival->before));
    arrival = &arrivals[arrival->before];
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

/// `choose` takes an edge's ends and its first choice, `add` what has been reached and the cost of a choice. Paths that
/// come to more than `at_most` on their way are left.
template <class Choose, class Add>
std::optional<ShortestPath> best_path(const TransitionGraph& graph, std::optional<Transition::Kind> via, double at_most,
                                      Choose&& choose, Add&& add) {
  const std::size_t vertices = boost::num_vertices(graph.graph);
  Arrivals arrivals(vertices);
  arrivals[arrivals.index(graph.start, !via)].seconds = 0;
  for (TransitionGraph::Vertex vertex = 0; vertex < vertices; ++vertex) {  // in topological order
    for (const bool has_passed : {false, true}) {
      const std::uint32_t here = arrivals.index(vertex, has_passed);
      const double reached = arrivals[here].seconds;
      if (reached == infinity || reached > at_most) continue;
      const auto [first, last] = boost::out_edges(vertex, graph.graph);
      for (auto edge = first; edge != last; ++edge) {
        const TransitionGraph::Vertex to = boost::target(*edge, graph.graph);
        const Choice choice = choose(vertex, to, graph.graph[*edge].transition);
        const bool passes = has_passed || graph.transitions[static_cast<std::size_t>(choice.transition)].kind == via;
        Arrival& arrival = arrivals[arrivals.index(to, passes)];
        const double total = add(reached, choice.cost);
        if (total < arrival.seconds) arrival = {total, choice.transition, here};
      }
    }
  }
  if (arrivals[arrivals.index(graph.goal, true)].seconds == infinity) return std::nullopt;
  return path_to_goal(graph, arrivals);
}

}  // namespace

std::optional<ShortestPath> shortest_path(const TransitionGraph& graph, const std::vector<double>& seconds,
                                          std::optional<Transition::Kind> via, const Permission& may_be_made,
                                          double at_most) {
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
    return best_path(graph, via, at_most, choose, sum);
  }
  const std::vector<int> fastest = fastest_choices(graph, seconds);
  const auto choose = [&](Vertex /*from*/, Vertex /*to*/, int first) {
    const int choice = fastest[static_cast<std::size_t>(first)];
    return Choice{choice, seconds_of(choice)};
  };
  return best_path(graph, via, at_most, choose, sum);
}

double seconds_along(const std::vector<int>& path, const std::vector<double>& seconds) {
  double sum = 0;
  for (const int transition : path) sum += seconds[static_cast<std::size_t>(transition)];
  return sum;
}

std::optional<ShortestPath> least_peak_path(const TransitionGraph& graph, const CostOfStep& cost,
                                            std::optional<Transition::Kind> via) {
  using Vertex = TransitionGraph::Vertex;
  const auto choose = [&](Vertex from, Vertex to, int first) {
    return cheapest_choice(graph, first, [&](int i) { return cost(from, to, i); });
  };
  return best_path(graph, via, infinity, choose, [](double reached, double step) { return std::max(reached, step); });
}

}  // namespace tilewright
