// Label setting: where times do not add up, a state may be reached earlier for the root by one path, and earlier for
// the others by another one.
#include <algorithm>
#include <array>
#include <limits>

#include "tilewright/scheduler/rounding.hpp"
#include "transition_graph.hpp"

namespace tilewright {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// One of the ways to reach a vertex that no other one is ahead of.
struct Label {
  Timeline time;
  bool has_passed = false;  // a transition of the kind asked for
  TransitionGraph::Vertex from = 0;
  std::size_t before = 0;  // by index into the labels of that vertex
  int transition = -1;
};

using Labels = std::vector<Label>;

/// What is still to come: of each vertex the least that a path to the goal adds to a mean of the timeline, for some
/// means. Labels that cannot come in before a path that is known are not worth keeping.
class Prospects {
 public:
  Prospects(const TransitionGraph& graph, const std::vector<TransitionTimes>& times, double known_s)
      : latest_s_(known_s * (1 + rounding)) {
    for (const TransitionTimes& transition : times) both_ways_ = std::max(both_ways_, transition.both_ways);
    for (std::size_t view = 0; view < weights.size(); ++view) {
      least_[view] = least_to_goal(graph, times, weights[view]);
    }
  }

  [[nodiscard]] bool are_hopeless(TransitionGraph::Vertex vertex, const Timeline& now) const {
    for (std::size_t view = 0; view < weights.size(); ++view) {
      if (mean_of(now, weights[view], both_ways_) + least_[view][vertex] > latest_s_) return true;
    }
    return false;
  }

 private:
  static constexpr std::array<double, 4> weights{0, 0.25, 0.5, 1};  // of the root

  /// By transition: what the choices that begin with it add at least. There are many more edges.
  static std::vector<double> least_added(const TransitionGraph& graph, const std::vector<TransitionTimes>& times,
                                         double weight) {
    std::vector<double> added;
    for (const TransitionTimes& transition : times) {
      added.push_back(transition.seconds < infinity ? least_added_seconds(transition, weight) : infinity);
    }
    for (std::size_t i = 0; i < added.size(); ++i) {
      const auto choice = added.begin() + static_cast<std::ptrdiff_t>(i);
      if (graph.choices[i] > 1) *choice = *std::min_element(choice, choice + graph.choices[i]);
    }
    return added;
  }

  static std::vector<double> least_to_goal(const TransitionGraph& graph, const std::vector<TransitionTimes>& times,
                                           double weight) {
    const std::vector<double> added = least_added(graph, times, weight);
    std::vector<double> least(boost::num_vertices(graph.graph), infinity);
    least[graph.goal] = 0;
    for (TransitionGraph::Vertex vertex = least.size(); vertex-- > 0;) {  // against the topological order
      const auto [first, last] = boost::out_edges(vertex, graph.graph);
      for (auto edge = first; edge != last; ++edge) {
        const auto choice = static_cast<std::size_t>(graph.graph[*edge].transition);
        least[vertex] = std::min(least[vertex], added[choice] + least[boost::target(*edge, graph.graph)]);
      }
    }
    return least;
  }

  double latest_s_;
  double both_ways_ = 0;
  std::array<std::vector<double>, weights.size()> least_;
};

/// By the path that would be best if times added up.
double known_seconds(const TransitionGraph& graph, const std::vector<TransitionTimes>& times, const Via& via,
                     const Permission& may_be_made) {
  std::vector<double> seconds;
  for (const TransitionTimes& transition : times) seconds.push_back(transition.seconds);
  const auto path = shortest_path(graph, seconds, via, may_be_made);
  if (!path) return infinity;
  Timeline now;
  for (const int i : path->transitions) now = after(now, times[static_cast<std::size_t>(i)]);
  return now.end();
}

bool is_ahead(const Label& label, const Label& other) {
  return label.has_passed == other.has_passed && label.time.is_as_early_as(other.time);
}

/// So many ways to reach a vertex are kept. More would take long, and differ by little.
constexpr std::size_t most_labels = 256;

/// Of equal ones the first stays. Nobody refers to the labels of a vertex yet while there are new ones. Returns whether
/// one had to go for which there was no room.
bool add(Labels& labels, const Label& label) {
  const bool is_late =
      std::any_of(labels.begin(), labels.end(), [&](const Label& known) { return is_ahead(known, label); });
  if (is_late) return false;
  std::erase_if(labels, [&](const Label& known) { return is_ahead(label, known); });
  labels.push_back(label);
  if (labels.size() <= most_labels) return false;
  labels.erase(std::max_element(labels.begin(), labels.end(),
                                [](const Label& a, const Label& b) { return a.time.end() < b.time.end(); }));
  return true;
}

ShortestPath path_to(TransitionGraph::Vertex goal, const std::vector<Labels>& labels, const Label& end, bool cut) {
  ShortestPath path{end.time.end(), {}, cut, {goal}};
  for (const Label* label = &end; label->transition >= 0; label = &labels[label->from][label->before]) {
    path.transitions.push_back(label->transition);
    path.vertices.push_back(label->from);
  }
  std::reverse(path.transitions.begin(), path.transitions.end());
  std::reverse(path.vertices.begin(), path.vertices.end());
  return path;
}

}  // namespace

std::optional<ShortestPath> earliest_path(const TransitionGraph& graph, const std::vector<TransitionTimes>& times,
                                          const Via& via, const Permission& may_be_made) {
  const Prospects prospects(graph, times, known_seconds(graph, times, via, may_be_made));
  std::vector<Labels> labels(boost::num_vertices(graph.graph));
  bool cut = false;
  labels[graph.start].push_back({{}, via.is_any(), 0, 0, -1});
  for (TransitionGraph::Vertex vertex = 0; vertex < labels.size(); ++vertex) {  // in topological order
    if (labels[vertex].empty()) continue;
    const auto [first, last] = boost::out_edges(vertex, graph.graph);
    for (auto edge = first; edge != last; ++edge) {
      const auto choice = static_cast<std::size_t>(graph.graph[*edge].transition);
      const std::size_t end = choice + static_cast<std::size_t>(graph.choices[choice]);
      const TransitionGraph::Vertex to = boost::target(*edge, graph.graph);
      for (std::size_t i = choice; i < end; ++i) {
        if (times[i].seconds == infinity) continue;
        if (may_be_made && !may_be_made(vertex, to, static_cast<int>(i))) continue;
        for (std::size_t from = 0; from < labels[vertex].size(); ++from) {
          const Label& reached = labels[vertex][from];
          const bool passes = reached.has_passed || via.contains(graph.transitions[i].kind);
          const Timeline time = after(reached.time, times[i]);
          if (prospects.are_hopeless(to, time)) continue;
          if (add(labels[to], {time, passes, vertex, from, static_cast<int>(i)})) cut = true;
        }
      }
    }
  }
  const Label* earliest = nullptr;
  for (const Label& label : labels[graph.goal]) {
    const bool is_earlier = earliest == nullptr || label.time.end() < earliest->time.end();
    if (label.has_passed && is_earlier) earliest = &label;
  }
  return earliest == nullptr ? std::nullopt : std::optional(path_to(graph.goal, labels, *earliest, cut));
}

}  // namespace tilewright
