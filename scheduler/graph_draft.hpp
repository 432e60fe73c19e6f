// The transition graph while it is being built.
#pragma once

#include <cstddef>
#include <vector>

#include "transition_graph.hpp"

namespace tilewright {

/// A graph as it grows: vertices numbered as they are found.
struct GraphDraft {
  struct Edge {
    std::size_t from = 0;
    std::size_t to = 0;
    int transition = 0;  ///< the first of its choices
  };
  std::size_t vertices = 0;
  std::size_t start = 0;
  std::size_t goal = 0;
  std::vector<Edge> edges;
  std::vector<Transition> transitions;
  std::vector<int> choices;        ///< as TransitionGraph has them
  std::vector<GraphState> states;  ///< by vertex, as TransitionGraph has them, if they are kept
  std::vector<std::size_t> tasks;  ///< the same
};

/// The graph with its vertices in topological order; where there is a choice, as they were found. Edges of a vertex
/// keep their order. Throws InternalError if there is a cycle.
[[nodiscard]] TransitionGraph finished(GraphDraft draft);

}  // namespace tilewright
