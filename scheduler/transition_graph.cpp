#include "transition_graph.hpp"

#include <limits>
#include <utility>

#include "graph_builder.hpp"
#include "graph_draft.hpp"
#include "serving_all.hpp"

namespace tilewright {

TransitionGraph make_transition_graph(const Pipeline& pipeline, std::size_t max_states, std::optional<HaloChoice> halo,
                                      const Offer& offer, bool keeps_states) {
  const bool deepest_only = halo == HaloChoice::deep;
  std::vector<int> generations{most_generations};
  if (!halo) generations = {most_generations, 0};
  if (halo == HaloChoice::shallow) generations = {0};
  std::vector<GraphLimits> parts;
  for (const Freedom freedom : {Freedom::all, Freedom::stay_tiled}) {
    for (const int count : generations) {
      parts.push_back(
          {.freedom = freedom, .generations = count, .deepest_only = deepest_only, .keeps_states = keeps_states});
    }
  }
  if (offer.everywhere && serves_all(pipeline)) {
    // Before operators lose any other freedom.
    std::vector<GraphLimits> without(parts.begin(), parts.begin() + std::ssize(generations));
    for (GraphLimits& part : without) part.everywhere = false;
    parts.insert(parts.begin() + std::ssize(generations), without.begin(), without.end());
  }
  bool cut = false;
  for (const GraphLimits& part : parts) {
    if (auto draft = build_graph(pipeline, part, max_states, offer)) {
      TransitionGraph graph = finished(*std::move(draft));
      graph.generations = part.generations;
      graph.cut = cut;
      return graph;
    }
    cut = true;
  }
  const GraphLimits least{.freedom = Freedom::uniform,
                          .generations = generations.back(),
                          .deepest_only = deepest_only,
                          .keeps_states = keeps_states};
  TransitionGraph graph = finished(*build_graph(pipeline, least, std::numeric_limits<std::size_t>::max(), offer));
  graph.generations = least.generations;
  graph.cut = true;
  return graph;
}

std::optional<TransitionGraph> make_forgetful_graph(const Pipeline& pipeline, std::size_t max_states,
                                                    std::optional<HaloChoice> halo, const Offer& offer,
                                                    const TransitionGraph& graph) {
  if (graph.cut) return std::nullopt;
  const GraphLimits limits{.generations = graph.generations,
                           .deepest_only = halo == HaloChoice::deep,
                           .grids = graph.grids,
                           .forgets = true,
                           .keeps_states = true};
  auto draft = build_graph(pipeline, limits, max_states, offer);
  if (!draft) return std::nullopt;
  TransitionGraph forgetful = finished(*std::move(draft));
  forgetful.generations = graph.generations;
  forgetful.grids = graph.grids;
  forgetful.forgets = true;
  return forgetful;
}

std::optional<TransitionGraph> make_regridding_graph(const Pipeline& pipeline, std::size_t max_states,
                                                     const Offer& offer, bool keeps_states) {
  const bool may_be_everywhere = offer.everywhere && serves_all(pipeline);
  bool cut = false;
  for (const auto& [freedom, everywhere] :
       {std::pair(Freedom::all, true), std::pair(Freedom::all, false), std::pair(Freedom::stay_tiled, false),
        std::pair(Freedom::uniform, false)}) {
    if (freedom == Freedom::all && !everywhere && !may_be_everywhere) continue;  // it is the one before
    const GraphLimits limits{
        .freedom = freedom, .generations = 0, .grids = 2, .everywhere = everywhere, .keeps_states = keeps_states};
    auto draft = build_graph(pipeline, limits, max_states, offer);
    if (!draft) {
      cut = true;
      continue;
    }
    TransitionGraph graph = finished(*std::move(draft));
    graph.grids = 2;
    graph.cut = cut;
    return graph;
  }
  return std::nullopt;
}

}  // namespace tilewright
