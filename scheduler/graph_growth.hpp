// The transition graph as states and edges are found, one task after the other.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph_draft.hpp"
#include "graph_state.hpp"

namespace tilewright {

/// States are numbered as they are found, and equal ones before the same task are one. Those before the current task
/// are looked at in turn; edges lead from the one that is being looked at.
class GraphGrowth {
 public:
  GraphGrowth(std::size_t images, bool keeps_states);

  /// The next task becomes the current one; the states that lead to it are to be looked at.
  void begin_task();
  /// The next state before the current task to look at, among them those that were found meanwhile. None once all have
  /// been looked at.
  [[nodiscard]] std::optional<GraphState> next_state();

  /// The vertex of a state before the current task.
  std::size_t before_task(GraphState state) { return vertex(current_, std::move(state)); }
  /// The vertex of a state in which the current task is done.
  std::size_t after_task(GraphState state) { return vertex(next_, std::move(state)); }

  /// An edge to `to`, with as many transitions as there are algorithms to choose from: all lead to the same state.
  void edge(std::size_t to, Transition wanted, std::span<const Algorithm> algorithms);
  /// The last choice tells lists apart.
  void edge(std::size_t to, std::span<const Transition> choices);

  [[nodiscard]] std::size_t vertices() const { return draft_.vertices; }

  /// What has been found, once every task has been the current one. Throws InternalError if the end is not one state.
  [[nodiscard]] GraphDraft done() &&;

 private:
  struct TransitionHash {
    std::size_t operator()(const Transition& transition) const;
  };
  /// The states before one task with their vertices, and where these are in the order in which they were found.
  struct Layer {
    std::unordered_map<GraphState, std::size_t, GraphState::Hash> vertices;
    std::vector<const std::pair<const GraphState, std::size_t>*> states;
  };

  std::size_t vertex(Layer& layer, GraphState state);
  void keep_states(const Layer& layer);

  GraphDraft draft_;
  bool keeps_states_;
  std::unordered_map<Transition, int, TransitionHash> index_;
  Layer current_;
  Layer next_;
  std::size_t tasks_begun_ = 0;
  std::size_t looked_at_ = 0;  // of the current layer
  std::size_t here_ = 0;       // the vertex of the state that is being looked at
};

}  // namespace tilewright
