#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>

#include "transition_graph.hpp"

namespace tilewright {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The last step of the best way to a vertex.
struct LastStep {
  int transition;      ///< negative: there is none, it is the start
  std::uint32_t from;  ///< the arrival that it follows
};

/// Numbers that are taken in their order, while greater ones are added. Most of those that there might be never are.
class Agenda {
 public:
  explicit Agenda(std::size_t numbers) : words_(numbers / bits + 1, 0) {}

  void add(std::uint32_t number) { words_[number / bits] |= std::uint64_t{1} << (number % bits); }
  /// The least one that has not been taken.
  [[nodiscard]] std::optional<std::uint32_t> take() {
    while (word_ < words_.size() && words_[word_] == 0) ++word_;
    if (word_ == words_.size()) return std::nullopt;
    const int bit = std::countr_zero(words_[word_]);
    words_[word_] &= words_[word_] - 1;
    return static_cast<std::uint32_t>(word_ * bits) + static_cast<std::uint32_t>(bit);
  }

 private:
  static constexpr std::size_t bits = 64;
  std::vector<std::uint64_t> words_;
  std::size_t word_ = 0;  ///< all before are empty
};

/// How vertices are reached best: each by a path that has not passed a transition of the kind asked for, and by one
/// that has. There are some ten thousand, and every search begins with new ones.
struct Arrivals {
  Arrivals(std::size_t vertices, std::uint32_t start)
      : seconds(2 * vertices, infinity), last_steps(std::make_unique_for_overwrite<LastStep[]>(2 * vertices)) {
    seconds[start] = 0;
    last_steps[start] = {-1, start};
  }
  [[nodiscard]] static std::uint32_t index(TransitionGraph::Vertex vertex, bool has_passed) {
    return static_cast<std::uint32_t>(2 * vertex + (has_passed ? 1 : 0));
  }
  [[nodiscard]] static TransitionGraph::Vertex vertex(std::uint32_t index) { return index / 2; }
  [[nodiscard]] static bool has_passed(std::uint32_t index) { return index % 2 == 1; }

  std::vector<double> seconds;
  std::unique_ptr<LastStep[]> last_steps;  ///< of those that have been reached
};

ShortestPath path_to_goal(const TransitionGraph& graph, const Arrivals& arrivals) {
  std::uint32_t here = Arrivals::index(graph.goal, true);
  ShortestPath path{arrivals.seconds[here], {}, false, {graph.goal}};
  while (arrivals.last_steps[here].transition >= 0) {
    path.transitions.push_back(arrivals.last_steps[here].transition);
    here = arrivals.last_steps[here].from;
    path.vertices.push_back(Arrivals::vertex(here));
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
std::optional<ShortestPath> best_path(const TransitionGraph& graph, const Via& via, double at_most, Choose&& choose,
                                      Add&& add) {
  Arrivals arrivals(boost::num_vertices(graph.graph), Arrivals::index(graph.start, via.is_any()));
  std::vector<double>& seconds = arrivals.seconds;
  const double most = std::min(at_most, std::numeric_limits<double>::max());
  Agenda agenda(seconds.size());
  agenda.add(Arrivals::index(graph.start, via.is_any()));
  while (const auto next = agenda.take()) {  // in topological order
    const std::uint32_t here = *next;
    const double reached = seconds[here];
    const TransitionGraph::Vertex vertex = Arrivals::vertex(here);
    const auto [first, last] = boost::out_edges(vertex, graph.graph);
    for (auto edge = first; edge != last; ++edge) {
      const TransitionGraph::Vertex target = boost::target(*edge, graph.graph);
      const Choice choice = choose(vertex, target, graph.graph[*edge].transition);
      const bool passes = Arrivals::has_passed(here) ||
                          via.contains(graph.transitions[static_cast<std::size_t>(choice.transition)].kind);
      const std::uint32_t to = Arrivals::index(target, passes);
      const double total = add(reached, choice.cost);
      if (total >= seconds[to]) continue;
      if (total <= most) agenda.add(to);
      seconds[to] = total;
      arrivals.last_steps[to] = {choice.transition, here};
    }
  }
  if (seconds[Arrivals::index(graph.goal, true)] == infinity) return std::nullopt;
  return path_to_goal(graph, arrivals);
}

}  // namespace

std::optional<ShortestPath> shortest_path(const TransitionGraph& graph, const std::vector<double>& seconds,
                                          const Via& via, const Permission& may_be_made, double at_most) {
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

std::optional<ShortestPath> least_peak_path(const TransitionGraph& graph, const CostOfStep& cost, const Via& via) {
  using Vertex = TransitionGraph::Vertex;
  const auto choose = [&](Vertex from, Vertex to, int first) {
    return cheapest_choice(graph, first, [&](int i) { return cost(from, to, i); });
  };
  return best_path(graph, via, infinity, choose, [](double reached, double step) { return std::max(reached, step); });
}

}  // namespace tilewright
