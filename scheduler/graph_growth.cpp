#include "graph_growth.hpp"

#include <array>
#include <iterator>

#include "tilewright/core/error.hpp"

namespace tilewright {

std::size_t GraphGrowth::TransitionHash::operator()(const Transition& transition) const {
  std::size_t hash = 0;
  const auto add = [&](int member) { hash = hash * 31 + static_cast<std::size_t>(member); };
  add(static_cast<int>(transition.kind));
  add(transition.subject);
  add(transition.algorithm ? static_cast<int>(*transition.algorithm) : -1);
  add(transition.depth);
  add(transition.meanwhile);
  add((transition.cyclic ? 1 : 0) + (transition.filled ? 2 : 0) + 4 * transition.grid);
  return hash;
}

GraphGrowth::GraphGrowth(std::size_t images, bool keeps_states) : keeps_states_(keeps_states) {
  draft_.start = after_task(GraphState(images));
}

void GraphGrowth::begin_task() {
  keep_states(current_);
  current_ = std::exchange(next_, {});
  looked_at_ = 0;
  ++tasks_begun_;
}

std::optional<GraphState> GraphGrowth::next_state() {
  if (looked_at_ == current_.states.size()) return std::nullopt;
  const auto& [state, vertex] = *current_.states[looked_at_++];
  here_ = vertex;
  return state;
}

std::size_t GraphGrowth::vertex(Layer& layer, GraphState state) {
  const auto [position, is_new] = layer.vertices.try_emplace(std::move(state), draft_.vertices);
  if (is_new) {
    layer.states.push_back(&*position);
    ++draft_.vertices;
  }
  return position->second;
}

/// Of all vertices of the layer, if that is wanted: a state of the current task has that many tasks done.
void GraphGrowth::keep_states(const Layer& layer) {
  if (!keeps_states_) return;
  draft_.states.resize(draft_.vertices, GraphState(0));
  draft_.tasks.resize(draft_.vertices);
  for (const auto& [state, vertex] : layer.vertices) {
    draft_.states[vertex] = state;
    draft_.tasks[vertex] = tasks_begun_ - 1;
  }
}

void GraphGrowth::edge(std::size_t to, Transition wanted, std::span<const Algorithm> algorithms) {
  if (algorithms.empty()) {
    edge(to, {&wanted, 1});
    return;
  }
  std::array<Transition, std::size(all_algorithms)> choices;
  for (std::size_t i = 0; i < algorithms.size(); ++i) {
    choices[i] = wanted;
    choices[i].algorithm = algorithms[i];
  }
  edge(to, std::span(choices).first(algorithms.size()));
}

void GraphGrowth::edge(std::size_t to, std::span<const Transition> choices) {
  const auto [position, is_new] = index_.try_emplace(choices.back(), static_cast<int>(draft_.transitions.size()));
  draft_.edges.push_back({here_, to, position->second});
  if (!is_new) return;
  draft_.transitions.insert(draft_.transitions.end(), choices.begin(), choices.end());
  draft_.choices.push_back(static_cast<int>(choices.size()));
  draft_.choices.resize(draft_.transitions.size(), 0);
}

GraphDraft GraphGrowth::done() && {
  begin_task();  // there is none: its states are those in which all tasks are done
  if (current_.states.size() != 1) throw InternalError("transition graph: the end is not one state");
  keep_states(current_);
  draft_.goal = current_.states.front()->second;
  return std::move(draft_);
}

}  // namespace tilewright
