// The least cost of all plans there are: every number of ranks, grid, placement, transfer, tree and packing, one after
// another.
//
// It shares with the planner what a transition costs in one configuration with one packing, and nothing else:
// configurations, packings and placements are enumerated anew.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <list>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../../scheduler/file_parts.hpp"
#include "../../scheduler/sharing.hpp"
#include "../../scheduler/tile_speeds.hpp"
#include "../../scheduler/transition_costs.hpp"
#include "scheduler/placement_search.hpp"
#include "scheduler/random_questions.hpp"
#include "tilewright/core/node_mapping.hpp"

namespace tilewright::test {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Every way to have equally many ranks on each node: a node that all are on has all that were started on it.
inline std::vector<ProcessGrid> mapped(const Question& question, const ProcessGrid& grid) {
  const auto& [ranks_per_node, nodes] = std::pair(question.space.ranks_per_node, question.space.mappable_nodes);
  std::vector<ProcessGrid> all;
  for (int on_node = 1; on_node <= ranks_per_node; ++on_node) {
    const bool is_full = on_node == ranks_per_node;
    if (!is_full && (ranks_per_node % on_node != 0 || grid.ranks() % on_node != 0 || grid.ranks() == on_node)) continue;
    if ((grid.ranks() + on_node - 1) / on_node > nodes) continue;
    // Where neither a node's ranks fill rows nor rows nodes, ranks are as they were started.
    const bool are_blocks = grid.ranks() <= on_node || on_node % grid.x == 0 || grid.x % on_node == 0;
    if (are_blocks || is_full) all.push_back(are_blocks ? with_mapping(grid, {on_node}) : grid);
    for (int columns = 1; columns <= on_node; ++columns) {
      if (!fills(grid, {on_node, columns})) continue;
      const ProcessGrid in_blocks = with_mapping(grid, {on_node, columns});
      if (std::find(all.begin(), all.end(), in_blocks) == all.end()) all.push_back(in_blocks);
    }
  }
  return all;
}

/// Cut evenly, with all mappings where they make a difference; and by the speeds of the ranks, where these differ.
inline std::vector<ProcessGrid> cuts_of(const Question& question, const ProcessGrid& grid) {
  const auto& cells = question.profile.paths();
  const bool tells_nodes =
      std::any_of(cells.begin(), cells.end(), [](const PathCell& cell) { return cell.within_node; });
  const bool maps = tells_nodes && question.space.ranks_per_node > 1 && question.space.mappable_nodes > 0 &&
                    question.space.rank_speeds.empty();
  if (maps && grid.ranks() > 1) return mapped(question, grid);
  std::vector<ProcessGrid> cuts{grid};
  if (question.space.rank_speeds.empty()) return cuts;
  const ProcessGrid by_speed = shared_by_speed(grid, question.space.rank_speeds);
  if (by_speed != grid) cuts.push_back(by_speed);
  return cuts;
}

struct HashOfTransition {
  std::size_t operator()(const Transition& transition) const {
    const auto& [kind, subject, algorithm, cyclic, depth, filled, grid, meanwhile] = transition;
    std::size_t hash = 0;
    for (const int value : {static_cast<int>(kind), subject, algorithm ? static_cast<int>(*algorithm) : -1,
                            static_cast<int>(cyclic), depth, static_cast<int>(filled), grid, meanwhile}) {
      hash = 31 * hash + static_cast<std::size_t>(value + 1);
    }
    return hash;
  }
};

/// Prices of one configuration; of each transition the least over the packings, of which an overlapped exchange and
/// what goes through shared memory have no choice.
class Prices {
 public:
  Prices(const Question& question, const CostModel& model, const Configuration& configuration) {
    for (const Packing packing : model.packings()) {
      spaces_.push_back(question.space);
      spaces_.back().packing = packing;
    }
    for (const SearchSpace& space : spaces_) {
      pricers_.emplace_back(question.pipeline, question.profile, model, space);
      pricers_.back().configure(configuration);
    }
    spaces_.push_back(question.space);
    unpacked_.emplace(question.pipeline, question.profile, model, spaces_.back());
    unpacked_->configure(configuration);
  }

  double operator()(const Transition& transition) {
    const auto [position, is_new] = known_.try_emplace(transition, infinity);
    if (!is_new) return position->second;
    const bool has_choice = transition.meanwhile < 0 && transition.algorithm != Algorithm::shared;
    if (!has_choice) return position->second = unpacked_->price(transition).seconds;
    for (TransitionPricer& pricer : pricers_) {
      position->second = std::min(position->second, pricer.price(transition).seconds);
    }
    return position->second;
  }

  TransitionTimes times(const Transition& transition) {
    return pricers_.front().times(transition, (*this)(transition));
  }

 private:
  std::list<SearchSpace> spaces_;  // pricers refer to them
  std::list<TransitionPricer> pricers_;
  std::optional<TransitionPricer> unpacked_;
  std::unordered_map<Transition, double, HashOfTransition> known_;
};

/// The least cost over all plans; the number of configurations in which any plan is possible comes with it.
struct Optimum {
  double seconds = infinity;
  int possible = 0;
};

/// Where a change of grid is looked at, unless it is forced.
inline bool reaches_far_both_ways(const Pipeline& pipeline) {
  const auto any = [&](const auto& is_meant) {
    return std::any_of(pipeline.images.begin(), pipeline.images.end(),
                       [&](const PipelineImage& image) { return image.op && is_meant(image.op->halo()); });
  };
  return any([](const Halo& halo) { return halo.x > 0 && halo.x >= 2 * halo.y; }) &&
         any([](const Halo& halo) { return halo.y > 0 && halo.y >= 2 * halo.x; });
}

/// What is still to come after a state, at least: of the root alone, and of the last one that it turns to.
struct WorkAhead {
  double root_s = 0;
  double last_s = 0;
};

/// What a transition keeps the root and the last of the others busy for, whenever it begins.
inline WorkAhead work_of(const TransitionTimes& times) {
  using enum TransitionTimes::Form;
  switch (times.form) {
    case each_its_own:
      return {times.root_seconds, times.seconds};
    case root_alone:
      return {times.seconds, 0};
    case to_root:
      return {0, times.turn_seconds};
    case together:
    case in_a_row:
    case from_root:
      break;
  }
  return {times.seconds, times.seconds};
}

/// All paths through a graph, one after another, for times that do not add up: nothing is left out but what cannot be
/// done before the best one, for the root or the last one has too much to do.
class AllPaths {
 public:
  AllPaths(const TransitionGraph& graph, Prices& prices, double best_s) : graph_(graph), best_s_(best_s) {
    for (const Transition& transition : graph.transitions) times_.push_back(prices.times(transition));
    ahead_ = work_ahead();
    go_on(graph.start, {}, false);
  }
  /// Of those that work on the tiles, or what was known to be possible.
  [[nodiscard]] double best_s() const { return best_s_; }

 private:
  using Vertex = TransitionGraph::Vertex;

  /// Calls way(target, transition's index) for every way out of there.
  template <class Way>
  void for_each_way(Vertex vertex, Way&& way) const {
    const auto [first, last] = boost::out_edges(vertex, graph_.graph);
    for (auto edge = first; edge != last; ++edge) {
      const auto begin = static_cast<std::size_t>(graph_.graph[*edge].transition);
      const std::size_t end = begin + static_cast<std::size_t>(graph_.choices[begin]);
      for (std::size_t i = begin; i < end; ++i) way(boost::target(*edge, graph_.graph), i);
    }
  }

  /// Vertices are numbered in topological order.
  [[nodiscard]] std::vector<WorkAhead> work_ahead() const {
    std::vector<WorkAhead> ahead(boost::num_vertices(graph_.graph), {infinity, infinity});
    ahead[graph_.goal] = {};
    for (Vertex vertex = graph_.goal; vertex-- > 0;) {
      for_each_way(vertex, [&](Vertex target, std::size_t i) {
        const WorkAhead own = work_of(times_[i]);
        ahead[vertex].root_s = std::min(ahead[vertex].root_s, own.root_s + ahead[target].root_s);
        ahead[vertex].last_s = std::min(ahead[vertex].last_s, own.last_s + ahead[target].last_s);
      });
    }
    return ahead;
  }

  void go_on(Vertex vertex, const Timeline& now, bool on_tiles) {
    const auto [root_s, last_s] = ahead_[vertex];
    if (std::max({now.end(), now.root + root_s, now.last + last_s}) >= best_s_) return;
    if (vertex == graph_.goal) {
      if (on_tiles) best_s_ = now.end();
      return;
    }
    for_each_way(vertex, [&](Vertex target, std::size_t i) {
      const bool computes = graph_.transitions[i].kind == Transition::Kind::compute_tiles;
      go_on(target, after(now, times_[i]), on_tiles || computes);
    });
  }

  const TransitionGraph& graph_;
  std::vector<TransitionTimes> times_;
  std::vector<WorkAhead> ahead_;  // by vertex
  double best_s_;
};

/// Row strips that are fed in turn.
inline std::vector<ProcessGrid> cuts_in_turn(const Question& question, const ProcessGrid& grid) {
  const auto& tiles = question.space.tiles;
  std::vector<ProcessGrid> cuts;
  if (tiles != TileSizes::less_on_root) cuts = cuts_of(question, grid);
  if (tiles && tiles != TileSizes::less_on_root) return cuts;
  for (ProcessGrid cut : cuts_of(question, grid)) {
    if (!cut.is_even()) continue;
    for (const double part : {0.5, 0.0}) {
      if (auto less = with_less_on_root(cut, question.space.rank_speeds, part)) cuts.push_back(*std::move(less));
    }
  }
  return cuts;
}

/// The least time of all plans in which the root serves the others in turn, or `best_s`.
inline double optimum_in_turn(const Question& question, const CostModel& model, double best_s) {
  const auto& [pipeline, profile, space] = question;
  const Offer offer{offered_algorithms(profile, space), images_in_parts(pipeline, profile, space),
                    outputs_in_parts(pipeline, profile, space), space.keeps_in_place};
  const TransitionGraph graph = make_transition_graph(pipeline, no_limit, {}, offer);
  for (int ranks = 3; ranks <= space.max_ranks; ++ranks) {
    for (const ProcessGrid& cut : cuts_in_turn(question, {1, ranks})) {
      Prices prices(question, model, {ranks, cut, {}, true});
      best_s = AllPaths(graph, prices, best_s).best_s();
    }
  }
  return best_s;
}

/// The least cost of all plans for sources that are on the tiles of a grid; with any grid, if there are none.
inline double optimum_with_kept(const Question& question, const CostModel& model) {
  const auto grid = grid_of_sources(question.pipeline);
  double least = infinity;
  for (int x = 1; x <= question.space.max_ranks; ++x) {
    for (int y = 1; x * y <= question.space.max_ranks; ++y) {
      if (grid && *grid != ProcessGrid{x, y}) continue;
      for (const ProcessGrid& cut : grid ? std::vector{*grid} : cuts_of(question, {x, y})) {
        Prices prices(question, model, {x * y, cut});
        PlacementSearch search(question.pipeline, std::ref(prices), 1, {}, {}, question.space.keeps_in_place);
        least = std::min(least, x * y == 1 || grid ? search.cheapest() : search.cheapest_on_all_ranks());
      }
    }
  }
  return grid ? least : optimum_in_turn(question, model, least);
}

/// The files that ranks may read in parts: with one rank there is no other way than as a whole.
inline std::vector<bool> files_of(const Question& question) {
  if (question.space.max_ranks == 1) return {};
  return in_parts(question.pipeline);
}

/// The least cost of all plans that change between two grids.
inline double optimum_of_regridding(const Question& question, const CostModel& model) {
  double least = infinity;
  for (int ranks = 2; ranks <= question.space.max_ranks; ++ranks) {
    std::vector<ProcessGrid> grids;
    for (const ProcessGrid& grid : grids_of(ranks)) {
      for (const ProcessGrid& cut : cuts_of(question, grid)) grids.push_back(cut);
    }
    for (auto a = grids.begin(); a != grids.end(); ++a) {
      for (auto b = a + 1; b != grids.end(); ++b) {
        if (a->mapping != b->mapping || a->mapping.is_in_blocks()) continue;  // ranks would change their numbers
        Prices prices(question, model, {ranks, *a, *b});
        PlacementSearch search(question.pipeline, std::ref(prices), 2, in_parts(question.pipeline),
                               out_parts(question.pipeline));
        least = std::min(least, search.cheapest_that_regrids());
      }
    }
  }
  return least;
}

inline Optimum optimum_of_all_plans(const Question& question, const CostModel& model) {
  Optimum optimum;
  if (reaches_far_both_ways(question.pipeline)) optimum.seconds = optimum_of_regridding(question, model);
  for (int x = 1; x <= question.space.max_ranks; ++x) {
    for (int y = 1; x * y <= question.space.max_ranks; ++y) {
      for (const ProcessGrid& grid : cuts_of(question, {x, y})) {
        Prices prices(question, model, {x * y, grid});
        PlacementSearch search(question.pipeline, std::ref(prices), 1, files_of(question),
                               out_parts(question.pipeline));
        const double seconds = x * y == 1 ? search.cheapest() : search.cheapest_on_all_ranks();
        optimum.possible += seconds < infinity ? 1 : 0;
        optimum.seconds = std::min(optimum.seconds, seconds);
      }
    }
  }
  optimum.seconds = optimum_in_turn(question, model, optimum.seconds);
  return optimum;
}

}  // namespace tilewright::test
