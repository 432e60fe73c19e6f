// The application state-transition graph (P-3PC, section 3.3.1; DESIGN "The transition graph").
//
// A state is the position in the pipeline's tasks and the placement of every live image. An edge is one transition: a
// transfer with one algorithm, an operator on the tiles or on the root, a read, a write, a reduction. Which states and
// transitions there are does not depend on the process grid, only what they cost does; so the graph is built once, and
// each configuration (ranks, grid) only brings a table of costs.
//
// How deep the halo of a tile is, is decided when the tile comes to exist: a scatter may bring the halo along, an
// operator may compute beyond its tile, and an exchange fills what the tile is stored with. So one deep halo serves a
// chain.
//
//   read in     scatter in      exchange in      derivative on tiles        gather Lx    write Lx
//   (start) --> {in: root} --> {in: root+tile} --> {... +halo} --> {in: ..., Lx: tile} --> {Lx: +root} --> ...
//                     \--> derivative on root --> {in: root, Lx: root} --> ...
//
// An image in a file that all ranks see stays there until a task needs it: then the root reads it, or each rank its
// tile, with as much halo as a scatter would bring.
//
// Nor is an image that an earlier segment has left on the tiles anywhere until it is needed: each rank has its tile
// then, and the root can gather it.
//
// What the program gets on all ranks, and what that is made of, each rank may compute for itself, once all have the
// whole images that it is made of: from the root by a broadcast, or from all tiles at once.
//
// A plan may use two grids. Then an image that is tiled on one of them can be redistributed to the other, for an
// operator that works there; it is on one of them at a time. Such plans have a graph of their own, without deep halos.
//
// What the picture gets wrong: between a task's state and the next, only the transfers that this task needs are tried,
// in the order of its inputs; a transfer long before its use costs the same, and a useless one never pays.
#pragma once

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "graph_state.hpp"
#include "halo_depths.hpp"
#include "offer.hpp"
#include "tilewright/pipeline/pipeline.hpp"
#include "tilewright/scheduler/planner.hpp"
#include "timeline.hpp"
#include "transition.hpp"

namespace tilewright {

/// Vertices are numbered in topological order: every edge leads to a higher number. The edges of a vertex stand in the
/// order of preference: scatter before broadcast. A transfer is one edge, whatever its algorithm, for all lead to the
/// same state; of equally fast algorithms OFT is preferred to SBT, and both to shared memory; of
/// equally fast exchanges one that is waited for.
struct TransitionGraph {
  struct Edge {
    int transition = 0;  ///< index into transitions, of the first of its choices
  };
  using Graph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, Edge>;
  using Vertex = boost::graph_traits<Graph>::vertex_descriptor;

  Graph graph;
  Vertex start = 0;
  Vertex goal = 0;
  std::vector<Transition> transitions;
  /// By transition: with how many that follow, itself included, it is the choice of an edge; 0: it follows one.
  std::vector<int> choices;
  std::vector<GraphState> states;  ///< by vertex, if they are kept
  std::vector<std::size_t> tasks;  ///< by vertex, if states are kept: so many of the pipeline's are done
  int grids = 1;                   ///< that tiles may be of
  bool forgets = false;  ///< images may leave places that they are in, so those in which they are left are needed
  int generations = 0;   ///< of readers that may live on one halo
  bool cut = false;      ///< the full graph has more than max_states states; this one holds some of its paths only
};

/// The full graph if it has at most `max_states` states. Else a part of it: without deep halos; then that in which no
/// image is computed everywhere; then that in which what is tiled stays tiled; and if all are too large, that in which
/// either all operators work on the root or all on tiles, which grows only with the number of tasks. Throws
/// InternalError if the graph were not free of cycles.
[[nodiscard]] TransitionGraph make_transition_graph(const Pipeline& pipeline, std::size_t max_states,
                                                    std::optional<HaloChoice> halo = {}, const Offer& offer = {},
                                                    bool keeps_states = false);

/// The same of plans on two grids, with shallow halos; of these it also holds plans that stay on one. `cut` where it
/// does not hold all. None if all parts are too large.
[[nodiscard]] std::optional<TransitionGraph> make_regridding_graph(const Pipeline& pipeline, std::size_t max_states,
                                                                   const Offer& offer, bool keeps_states = false);

/// A graph of the same plans as that one, in which what is left of an image in two places is a choice, too: so its
/// states, which it keeps, tell more of what plans hold in memory. None if it is too large, or if that one is cut.
[[nodiscard]] std::optional<TransitionGraph> make_forgetful_graph(const Pipeline& pipeline, std::size_t max_states,
                                                                  std::optional<HaloChoice> halo, const Offer& offer,
                                                                  const TransitionGraph& graph);

/// A path from start to goal.
struct ShortestPath {
  double seconds = 0;
  std::vector<int> transitions;                        ///< in order
  bool cut = false;                                    ///< some paths were not looked at, of which one may be better
  std::vector<TransitionGraph::Vertex> vertices = {};  ///< that it leads through, the start first
};

/// Whether a transition may be made from one vertex to another; if it is empty, all may.
using Permission = std::function<bool(TransitionGraph::Vertex from, TransitionGraph::Vertex to, int transition)>;

/// The shortest path when transition i takes seconds[i] (infinity: not possible); with `via`, of those that hold a
/// transition of such a kind. None if there is no path. Of equal paths into a state the one from the lower vertex wins,
/// then the one whose edge is preferred; of the choices of an edge the fastest, of equal ones the first. Whoever knows
/// that the path takes `at_most` so long, has it sooner.
[[nodiscard]] std::optional<ShortestPath> shortest_path(const TransitionGraph& graph,
                                                        const std::vector<double>& seconds, const Via& via = {},
                                                        const Permission& may_be_made = {},
                                                        double at_most = std::numeric_limits<double>::infinity());

/// What these transitions take one after another, added up as shortest_path() does.
[[nodiscard]] double seconds_along(const std::vector<int>& path, const std::vector<double>& seconds);

/// What a transition from one vertex to another costs; infinity: not possible.
using CostOfStep = std::function<double(TransitionGraph::Vertex from, TransitionGraph::Vertex to, int transition)>;

/// The path whose dearest transition costs least; its `seconds` are that cost. Ties are broken as by shortest_path().
[[nodiscard]] std::optional<ShortestPath> least_peak_path(const TransitionGraph& graph, const CostOfStep& cost,
                                                          const Via& via = {});

/// The same where the times of transitions do not simply add up: the path at whose end all ranks are done first. All
/// choices of an edge are tried. Of equal paths any, but always the same one. Where a state can be reached in very many
/// ways of which none is ahead of another, the earliest are looked at.
[[nodiscard]] std::optional<ShortestPath> earliest_path(const TransitionGraph& graph,
                                                        const std::vector<TransitionTimes>& times, const Via& via = {},
                                                        const Permission& may_be_made = {});

}  // namespace tilewright
