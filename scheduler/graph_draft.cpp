#include "graph_draft.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <span>
#include <utility>

#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

/// The ends of each vertex's edges, in their order.
class Successors {
 public:
  explicit Successors(const GraphDraft& draft) : first_(draft.vertices + 1, 0), ends_(draft.edges.size()) {
    for (const GraphDraft::Edge& edge : draft.edges) ++first_[edge.from + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (const GraphDraft::Edge& edge : draft.edges) ends_[next[edge.from]++] = edge.to;
  }
  [[nodiscard]] std::span<const std::size_t> of(std::size_t vertex) const {
    return std::span(ends_).subspan(first_[vertex], first_[vertex + 1] - first_[vertex]);
  }

 private:
  std::vector<std::size_t> first_;  ///< by vertex: where its ends begin
  std::vector<std::size_t> ends_;
};

/// New numbers for the vertices, such that edges lead upwards; where there is a choice, as they were found.
std::vector<std::size_t> topological_numbers(const GraphDraft& draft) {
  std::vector<std::size_t> open_edges(draft.vertices, 0);
  for (const GraphDraft::Edge& edge : draft.edges) ++open_edges[edge.to];
  const Successors successors(draft);
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t v = 0; v < draft.vertices; ++v) {
    if (open_edges[v] == 0) ready.push(v);
  }
  std::vector<std::size_t> numbers(draft.vertices, 0);
  std::size_t count = 0;
  for (; !ready.empty(); ++count) {
    const std::size_t v = ready.top();
    ready.pop();
    numbers[v] = count;
    for (const std::size_t successor : successors.of(v)) {
      if (--open_edges[successor] == 0) ready.push(successor);
    }
  }
  if (count != draft.vertices) throw InternalError("transition graph: there is a cycle");
  return numbers;
}

}  // namespace

TransitionGraph finished(GraphDraft draft) {
  const std::vector<std::size_t> numbers = topological_numbers(draft);
  for (GraphDraft::Edge& edge : draft.edges) edge = {numbers[edge.from], numbers[edge.to], edge.transition};
  std::stable_sort(draft.edges.begin(), draft.edges.end(),
                   [](const GraphDraft::Edge& a, const GraphDraft::Edge& b) { return a.from < b.from; });
  std::vector<std::pair<std::size_t, std::size_t>> ends;
  std::vector<TransitionGraph::Edge> properties;
  for (const GraphDraft::Edge& edge : draft.edges) {
    ends.emplace_back(edge.from, edge.to);
    properties.push_back({edge.transition});
  }
  std::vector<GraphState> states(draft.states.size(), GraphState(0));
  std::vector<std::size_t> tasks(draft.tasks.size());
  for (std::size_t v = 0; v < states.size(); ++v) {
    states[numbers[v]] = std::move(draft.states[v]);
    tasks[numbers[v]] = draft.tasks[v];
  }
  return {TransitionGraph::Graph(boost::edges_are_sorted, ends.begin(), ends.end(), properties.begin(), draft.vertices),
          numbers[draft.start],
          numbers[draft.goal],
          std::move(draft.transitions),
          std::move(draft.choices),
          std::move(states),
          std::move(tasks)};
}

}  // namespace tilewright
