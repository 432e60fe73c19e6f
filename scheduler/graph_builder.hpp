// Finds the states and transitions of a pipeline.
#pragma once

#include <cstddef>
#include <optional>

#include "graph_draft.hpp"
#include "graph_limits.hpp"
#include "tilewright/pipeline/pipeline.hpp"
#include "transition_graph.hpp"

namespace tilewright {

/// All states within the limits, and the transitions between them. None if there are more states than allowed.
[[nodiscard]] std::optional<GraphDraft> build_graph(const Pipeline& pipeline, const GraphLimits& limits,
                                                    std::size_t max_states, const Offer& offer);

}  // namespace tilewright
