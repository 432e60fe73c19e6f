// Label setting: where times do not add up, a state may be reached earlier for the root by one path, and earlier for
// the others by another one.
#include <algorithm>
#include <limits>

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

bool is_ahead(const Label& label, const Label& other) {
  return label.has_passed == other.has_passed && label.time.is_as_early_as(other.time);
}

/// Of equal ones the first stays. Nobody refers to the labels of a vertex yet while there are new ones.
void add(Labels& labels, const Label& label) {
  const bool is_late =
      std::any_of(labels.begin(), labels.end(), [&](const Label& known) { return is_ahead(known, label); });
  if (is_late) return;
  std::erase_if(labels, [&](const Label& known) { return is_ahead(label, known); });
  labels.push_back(label);
}

ShortestPath path_to(const std::vector<Labels>& labels, const Label& end) {
  ShortestPath path{end.time.end(), {}};
  for (const Label* label = &end; label->transition >= 0; label = &labels[label->from][label->before]) {
    path.transitions.push_back(label->transition);
  }
  std::reverse(path.transitions.begin(), path.transitions.end());
  return path;
}

}  // namespace

std::optional<ShortestPath> earliest_path(const TransitionGraph& graph, const std::vector<TransitionTimes>& times,
                                          std::optional<Transition::Kind> via) {
  std::vector<Labels> labels(boost::num_vertices(graph.graph));
  labels[graph.start].push_back({{}, !via, 0, 0, -1});
  for (TransitionGraph::Vertex vertex = 0; vertex < labels.size(); ++vertex) {  // in topological order
    const auto [first, last] = boost::out_edges(vertex, graph.graph);
    for (auto edge = first; edge != last; ++edge) {
      const auto choice = static_cast<std::size_t>(graph.graph[*edge].transition);
      const std::size_t end = choice + static_cast<std::size_t>(graph.choices[choice]);
      for (std::size_t i = choice; i < end; ++i) {
        if (times[i].seconds == infinity) continue;
        for (std::size_t from = 0; from < labels[vertex].size(); ++from) {
          const Label& reached = labels[vertex][from];
          const bool passes = reached.has_passed || graph.transitions[i].kind == via;
          add(labels[boost::target(*edge, graph.graph)],
              {after(reached.time, times[i]), passes, vertex, from, static_cast<int>(i)});
        }
      }
    }
  }
  const Label* earliest = nullptr;
  for (const Label& label : labels[graph.goal]) {
    const bool is_earlier = earliest == nullptr || label.time.end() < earliest->time.end();
    if (label.has_passed && is_earlier) earliest = &label;
  }
  return earliest == nullptr ? std::nullopt : std::optional(path_to(labels, *earliest));
}

}  // namespace tilewright
