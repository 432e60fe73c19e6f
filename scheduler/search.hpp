// The shortest path of every configuration, as far as anybody has to know it.
//
// A configuration is bounded first (Relaxation), in a time that hardly depends on its ranks, and more closely only as
// long as it may be the best one. It is priced when its bound leaves open whether it is wanted: transfers enter the
// graph with lower bounds of their prices, the shortest path is found, what is on it is priced, and so on until all of
// a shortest path is priced. Lower bounds can only make other paths shorter than they are, so this is the shortest path
// by full prices, the same one where several are.
//
// Two grids of the same number of ranks are a configuration, too. There are so many pairs that those of one number of
// ranks are first bounded together (every operator on its best grid), and come to exist when that leaves them a chance.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cost_terms.hpp"
#include "path_finder.hpp"
#include "regrid_groups.hpp"
#include "relaxation.hpp"

namespace tilewright {

/// A configuration with its shortest path, a lower bound of what that takes, or the reason why there is none.
struct Candidate {
  Configuration configuration;
  double least_seconds = 0;          ///< never more than the path's; infinity if there is none
  std::optional<ShortestPath> path;  ///< once it is priced
  CostTerms terms = {};              ///< of the path, else of what bounds it on one grid
  std::string infeasible;
  Counted counted = Counted::work;     ///< in least_seconds, until it is priced
  std::vector<BoundParts> parts = {};  ///< of the bound, from when more than work counts until all does
  double without_halos = 0;  ///< a bound of it however deep halos are: work, or results as soon as those are known
  std::optional<double> redistribution_seconds = {};  ///< of two grids: what a change takes at least, once counted
  /// Of a node, what the plan that needs least takes; only where all were refused for that.
  std::optional<std::int64_t> least_node_bytes = {};

  [[nodiscard]] bool is_possible() const { return infeasible.empty(); }
  [[nodiscard]] bool changes_grid() const { return configuration.second.has_value(); }
};

/// Plans that are not looked at, though some might be faster than the best one found.
enum class LeftOut : std::uint8_t {
  grids,     ///< those that change the grid, where there are too many placements, or messages to price
  labels,    ///< paths beyond those that earliest_path() keeps
  memories,  ///< those that need less memory than faster ones
};

/// What the fullest node needs for the plan of a candidate.
using NodeBytesOf = std::function<std::int64_t(const Candidate&)>;

class Search {
 public:
  /// Bounds all configurations. Refers to all that it is given.
  Search(const Pipeline& pipeline, const MachineProfile& profile, const CostModel& model, const SearchSpace& space,
         const std::vector<Configuration>& configurations, std::shared_ptr<KnownSchedules> schedules = nullptr);
  Search(Search&&) = delete;
  Search& operator=(Search&&) = delete;

  /// Whether plans on one grid are left out.
  [[nodiscard]] bool is_cut() const { return graph_.cut && space_.regrid != Regrid::always; }
  /// What else is left out.
  [[nodiscard]] const std::set<LeftOut>& left_out() const { return left_out_; }
  /// Candidates keep their places; first those of one grid, in the order of the configurations.
  [[nodiscard]] std::size_t size() const { return candidates_.size(); }
  [[nodiscard]] const Candidate& operator[](std::size_t index) const { return candidates_[index]; }
  /// Nodes that a candidate takes, or a group's at least.
  [[nodiscard]] int nodes(const Candidate& candidate) const;
  [[nodiscard]] int nodes(const RegridGroup& group) const;
  /// The candidate with its path, or with the reason why there is none.
  const Candidate& priced(std::size_t index);
  /// The same with all of these, several at a time, unless a bound of one exceeds that many seconds. Whoever has a path
  /// then is told of, before its worker turns to another configuration.
  using WhenPriced = std::function<void(std::size_t worker, std::size_t position)>;
  void price_within(std::span<const std::size_t> indices, double seconds, const WhenPriced& when_priced = {});
  /// A candidate on its way to a price, or a group on its way to candidates.
  struct Step {
    std::size_t index = 0;
    bool is_group = false;
  };
  /// Each gets a closer bound, or a candidate its price, or a group open(); several at a time.
  void refine(std::span<const Step> steps);
  /// Rules a candidate out.
  void refuse(std::size_t index, std::string reason);
  /// Of a candidate whose plan needs more bytes than a node has: replaces its path by the fastest one that fits, or
  /// rules it out.
  void give_less_memory(std::size_t index, std::int64_t bytes, const NodeBytesOf& node_bytes_of);

  [[nodiscard]] const std::vector<RegridGroup>& regrid_groups() const { return groups_; }
  /// Makes candidates of a group's pairs; these are the last ones then.
  void open(std::size_t group);
  /// Of the pairs of so many ranks, the one of the least bound, a change of grid included; none if there is no pair.
  [[nodiscard]] std::optional<std::size_t> nearest_regrid(int ranks);

  /// What a candidate does; it has a path.
  [[nodiscard]] std::vector<Transition> transitions(const Candidate& candidate) const;
  /// Turned to the candidate's configuration.
  TransitionPricer& pricer_of(const Candidate& candidate);
  /// That which a worker of share_out() may use.
  PathFinder& finder_of(std::size_t worker);
  /// Begins to work bound() out beside all else. When the best candidate is found most of the work has been done.
  void begin_bound();
  /// No plan of any configuration can be faster, also of those that a cut graph does not hold; infinity unless one has
  /// been cut.
  [[nodiscard]] double bound();

 private:
  void bound_all(const std::vector<Configuration>& configurations);
  /// Candidates of one number of ranks.
  struct Bounded {
    std::vector<Candidate> candidates;
    std::vector<Configuration> grids;  ///< of pairs: those with less on the root are in none
    double seconds_of_pairs = std::numeric_limits<double>::infinity();  ///< no pair of their grids takes less
  };
  [[nodiscard]] Bounded bounded_by_work(std::span<const Configuration> configurations, TransitionPricer& pricer) const;
  void bound_more(Candidate& candidate, PathFinder& finder) const;
  void set_bound(Candidate& candidate, TransitionPricer& pricer, const std::vector<BoundParts>& parts,
                 Counted counted) const;
  [[nodiscard]] static bool is_bounded(const Candidate& candidate);
  [[nodiscard]] static bool is_unpriced(const Candidate& candidate);
  void count_redistribution(Candidate& candidate, PathFinder& finder) const;
  [[nodiscard]] bool may_be_priced(std::size_t index);
  void price(Candidate& candidate, PathFinder& finder, double enough) const;
  [[nodiscard]] const TransitionGraph& graph_of(const Candidate& candidate) const;
  [[nodiscard]] const TransitionGraph& graph_for_memory(const Candidate& candidate);
  [[nodiscard]] std::shared_future<std::optional<TransitionGraph>> begin_regridding_graph(
      std::size_t configurations) const;
  [[nodiscard]] bool has_graph(const Candidate& candidate) const;
  static void refuse(Candidate& candidate, std::string reason);
  void set_path(Candidate& candidate, PathFinder& finder, ShortestPath path) const;
  void leave_out(LeftOut what, double least_seconds);
  [[nodiscard]] Via needed_kinds(const Candidate& candidate) const;
  class FittingPath;
  /// In the configuration of the pricer.
  [[nodiscard]] static std::string why_infeasible(const TransitionGraph& graph, TransitionPricer& pricer);

  // In this order: what is begun beside all else (std::async) uses members before it, and this object's address.
  const Pipeline& pipeline_;
  const MachineProfile& profile_;
  const CostModel& model_;
  const SearchSpace& space_;
  Offer offer_;
  std::shared_future<std::optional<TransitionGraph>> regridding_graph_;  ///< of two grids, unless it is too large
  TransitionGraph graph_;
  std::map<int, TransitionGraph> graphs_for_memory_;  ///< of one grid and of two, once they are asked for
  std::set<LeftOut> left_out_;
  Relaxation relaxation_;
  RegridBounds regrid_bounds_;
  RegridBudget regrid_budget_;
  std::vector<std::unique_ptr<PathFinder>> finders_;  ///< by worker, once it needs one
  bool has_operators_;
  bool has_tiled_sources_;                   ///< then no operator has to work on the tiles
  std::shared_future<double> bound_of_all_;  ///< on one grid, of a cut search, once it has been begun
  double bound_of_left_out_;                 ///< of what is in left_out_
  std::deque<Candidate> candidates_;
  std::vector<RegridGroup> groups_;  ///< of each number of ranks that has several grids
};

}  // namespace tilewright
