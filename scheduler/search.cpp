#include "search.hpp"

#include <algorithm>
#include <functional>
#include <future>
#include <iterator>
#include <limits>
#include <utility>

#include "bound_of_all.hpp"
#include "file_parts.hpp"
#include "forced_work.hpp"
#include "node_use.hpp"
#include "overlap.hpp"
#include "share_out.hpp"
#include "sharing.hpp"
#include "tilewright/core/node_mapping.hpp"

namespace tilewright {
namespace {

using Kind = Transition::Kind;

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class SecondsOf>
CostTerms terms_of(const ShortestPath& path, const TransitionGraph& graph, SecondsOf&& seconds_of) {
  CostTerms terms;
  for (const int i : path.transitions) {
    const Transition& transition = graph.transitions[static_cast<std::size_t>(i)];
    terms.add(transition, seconds_of(transition));
  }
  return terms;
}

}  // namespace

Search::Search(const Pipeline& pipeline, const MachineProfile& profile, const CostModel& model,
               const SearchSpace& space, const std::vector<Configuration>& configurations,
               std::shared_ptr<KnownSchedules> schedules)
    : pipeline_(pipeline),
      profile_(profile),
      model_(model),
      space_(space),
      offer_{offered_algorithms(profile, space),
             images_in_parts(pipeline, profile, space),
             outputs_in_parts(pipeline, profile, space),
             space.keeps_in_place,
             !space.overlap.value_or(false),
             offers_overlap(profile, space),
             why_not_everywhere(space).empty()},
      regridding_graph_(begin_regridding_graph(configurations.size())),
      graph_(make_transition_graph(pipeline, space.max_states, space.halo, offer_)),
      relaxation_(pipeline, graph_.generations, offer_, space.counted),
      regrid_bounds_(pipeline, space, offer_),
      finders_(static_cast<std::size_t>(worker_count())),
      has_operators_(std::any_of(pipeline.images.begin(), pipeline.images.end(),
                                 [](const PipelineImage& image) { return image.op != nullptr; })),
      has_tiled_sources_(grid_of_sources(pipeline).has_value()),
      bound_of_left_out_(infinity) {
  if (!schedules) schedules = std::make_shared<KnownSchedules>();
  finders_.front() = std::make_unique<PathFinder>(pipeline, profile, model, space, std::move(schedules));
  bound_all(configurations);
  if (space.regrid != Regrid::always || !has_operators_) return;
  for (std::size_t i = 0; i < configurations.size(); ++i) refuse(i, "a change of grid is forced");
}

/// Beside the other graph, which takes as long, where pairs of grids are in question; else if somebody asks.
std::shared_future<std::optional<TransitionGraph>> Search::begin_regridding_graph(std::size_t configurations) const {
  const bool is_likely = configurations > 1 && may_regrid(pipeline_, space_);
  return std::async(is_likely ? std::launch::async : std::launch::deferred, [this] {
    return make_regridding_graph(pipeline_, space_.max_states, offer_of_two_grids(offer_, space_));
  });
}

PathFinder& Search::finder_of(std::size_t worker) {
  std::unique_ptr<PathFinder>& finder = finders_[worker];
  if (!finder) {
    finder = std::make_unique<PathFinder>(pipeline_, profile_, model_, space_, std::make_shared<KnownSchedules>());
  }
  return *finder;
}

/// With a group for each number of ranks that has several grids.
void Search::bound_all(const std::vector<Configuration>& configurations) {
  std::vector<std::span<const Configuration>> by_ranks;
  for (std::size_t first = 0, end = 0; first < configurations.size(); first = end) {
    while (end < configurations.size() && configurations[end].ranks == configurations[first].ranks) ++end;
    by_ranks.emplace_back(configurations.data() + first, end - first);
  }
  std::vector<Bounded> bounded(by_ranks.size());
  share_out(by_ranks.size(), [&](std::size_t worker, std::size_t i) {
    bounded[i] = bounded_by_work(by_ranks[i], finder_of(worker).pricer());
  });
  for (Bounded& alike : bounded) {
    std::ranges::move(alike.candidates, std::back_inserter(candidates_));
    if (alike.seconds_of_pairs == infinity) continue;
    const int ranks = alike.grids.front().ranks;
    groups_.push_back({ranks, alike.seconds_of_pairs, std::move(alike.grids)});
  }
}

Search::Bounded Search::bounded_by_work(std::span<const Configuration> configurations, TransitionPricer& pricer) const {
  const bool has_groups = may_regrid(pipeline_, space_) && has_operators_;
  Bounded bounded;
  std::optional<BoundParts> least;
  for (const Configuration& configuration : configurations) {
    pricer.configure(configuration);
    const std::vector<BoundParts> parts = relaxation_.parts(pricer, Counted::work);
    Candidate& candidate = bounded.candidates.emplace_back(Candidate{configuration, 0, {}, {}, {}});
    set_bound(candidate, pricer, parts, Counted::work);
    if (!has_groups || pricer.is_in_turn()) continue;
    least = least ? least_of(*std::move(least), parts.front()) : parts.front();
    bounded.grids.push_back(configuration);
  }
  if (bounded.grids.size() > 1) bounded.seconds_of_pairs = relaxation_.bound_of(*least, Counted::work);
  return bounded;
}

void Search::set_bound(Candidate& candidate, TransitionPricer& pricer, const std::vector<BoundParts>& parts,
                       Counted counted) const {
  const int ranks = candidate.configuration.ranks;
  candidate.least_seconds = relaxation_.bound(parts, ranks, counted);
  candidate.counted = counted;
  if (counted == Counted::work) candidate.without_halos = candidate.least_seconds;
  if (counted == Counted::distributions) candidate.without_halos = relaxation_.bound(parts, ranks, Counted::results);
  if (candidate.least_seconds == infinity) {
    candidate.infeasible = why_infeasible(graph_, pricer);
  } else {
    candidate.terms = relaxation_.terms(parts, ranks, counted, candidate.least_seconds);
  }
}

/// Touches nothing but the candidate and the finder. The images brought to the tiles, which are the dearest part of a
/// bound, are counted once.
void Search::bound_more(Candidate& candidate, PathFinder& finder) const {
  if (candidate.changes_grid()) return count_redistribution(candidate, finder);
  TransitionPricer& pricer = finder.pricer();
  pricer.configure(candidate.configuration);
  if (candidate.counted == Counted::work) {
    candidate.parts = relaxation_.parts(pricer, Counted::distributions);
    set_bound(candidate, pricer, candidate.parts, Counted::distributions);
    return;
  }
  std::vector<BoundParts> parts = std::exchange(candidate.parts, {});
  relaxation_.count_more(parts, pricer, candidate.counted, Counted::borders);
  set_bound(candidate, pricer, parts, Counted::borders);
}

void Search::begin_bound() {
  if (!is_cut() || bound_of_all_.valid()) return;
  std::vector<BoundedConfiguration> on_one_grid;
  for (const Candidate& candidate : candidates_) {
    if (candidate.changes_grid()) continue;
    const Counted counted = std::min(candidate.counted, Counted::results);
    on_one_grid.push_back({candidate.configuration, candidate.without_halos, counted});
  }
  bound_of_all_ = std::async(std::launch::async, [this, on_one_grid = std::move(on_one_grid)] {
    return bound_of_all(pipeline_, profile_, model_, space_, offer_, on_one_grid);
  });
}

double Search::bound() {
  begin_bound();
  return std::min(bound_of_all_.valid() ? bound_of_all_.get() : infinity, bound_of_left_out_);
}

int Search::nodes(const Candidate& candidate) const {
  return nodes_used(space_, candidate.configuration.grid);
}

int Search::nodes(const RegridGroup& group) const {
  return nodes_of(group.ranks, space_.ranks_per_node);
}

void Search::open(std::size_t index) {
  RegridGroup& group = groups_[index];
  if (!group.is_open) return;
  while (group.counted != Counted::borders) regrid_bounds_.bound_more(group, finders_.front()->pricer());
  for (const RegridBounds::Pair& pair : regrid_bounds_.take_pairs(group)) {
    Candidate& candidate =
        candidates_.emplace_back(Candidate{pair.configuration, pair.least_seconds, {}, {}, {}, Counted::borders});
    if (candidate.least_seconds == infinity) candidate.infeasible = "neither grid can hold what an operator needs";
  }
}

std::optional<std::size_t> Search::nearest_regrid(int ranks) {
  const auto group =
      std::find_if(groups_.begin(), groups_.end(), [&](const RegridGroup& g) { return g.ranks == ranks; });
  if (group == groups_.end()) return std::nullopt;
  open(static_cast<std::size_t>(group - groups_.begin()));
  std::optional<std::size_t> nearest;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    Candidate& candidate = candidates_[i];
    if (!candidate.changes_grid() || candidate.configuration.ranks != ranks) continue;
    if (candidate.is_possible() && !candidate.redistribution_seconds)
      count_redistribution(candidate, *finders_.front());
    if (!candidate.is_possible()) continue;
    if (!nearest || candidate.least_seconds < candidates_[*nearest].least_seconds) nearest = i;
  }
  return nearest;
}

void Search::count_redistribution(Candidate& candidate, PathFinder& finder) const {
  finder.pricer().configure(candidate.configuration);
  candidate.redistribution_seconds = regrid_bounds_.least_change(finder.pricer());
  candidate.least_seconds += *candidate.redistribution_seconds;
  if (candidate.least_seconds == infinity) candidate.infeasible = "a grid cannot hold the images";
}

void Search::refine(std::span<const Step> steps) {
  std::vector<Step> left;
  std::vector<std::size_t> to_price;
  for (const Step& step : steps) {
    if (step.is_group) {
      if (groups_[step.index].is_open) left.push_back(step);
    } else if (is_bounded(candidates_[step.index])) {
      to_price.push_back(step.index);
    } else if (is_unpriced(candidates_[step.index])) {
      left.push_back(step);
    }
  }
  share_out(left.size(), [&](std::size_t worker, std::size_t i) {
    if (left[i].is_group) {
      regrid_bounds_.bound_more(groups_[left[i].index], finder_of(worker).pricer());
    } else {
      bound_more(candidates_[left[i].index], finder_of(worker));
    }
  });
  for (const Step& step : left) {
    if (step.is_group && groups_[step.index].counted == Counted::borders) open(step.index);
  }
  price_within(to_price, infinity);
}

const Candidate& Search::priced(std::size_t index) {
  const std::size_t one[] = {index};
  price_within(one, infinity);
  return candidates_[index];
}

void Search::price_within(std::span<const std::size_t> indices, double seconds, const WhenPriced& when_priced) {
  share_out(indices.size(), [&](std::size_t worker, std::size_t i) {
    Candidate& candidate = candidates_[indices[i]];
    while (is_unpriced(candidate) && candidate.least_seconds <= seconds && !is_bounded(candidate))
      bound_more(candidate, finder_of(worker));
  });
  std::vector<std::size_t> left;  // by position
  std::vector<double> bounds;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const Candidate& candidate = candidates_[indices[i]];
    if (!candidate.is_possible() || candidate.least_seconds > seconds) continue;
    if (!candidate.path && !may_be_priced(indices[i])) continue;
    left.push_back(i);
    bounds.push_back(candidate.least_seconds);
  }
  share_out(left.size(), [&](std::size_t worker, std::size_t i) {
    Candidate& candidate = candidates_[indices[left[i]]];
    if (!candidate.path) price(candidate, finder_of(worker), seconds);
    if (candidate.path && when_priced) when_priced(worker, left[i]);
  });
  for (std::size_t i = 0; i < left.size(); ++i) {
    const Candidate& candidate = candidates_[indices[left[i]]];
    if (candidate.path && candidate.path->cut) leave_out(LeftOut::labels, bounds[i]);
  }
}

bool Search::is_unpriced(const Candidate& candidate) {
  return candidate.is_possible() && !candidate.path;
}

bool Search::is_bounded(const Candidate& candidate) {
  return candidate.counted == Counted::borders && (!candidate.changes_grid() || candidate.redistribution_seconds);
}

/// Else it is refused.
bool Search::may_be_priced(std::size_t index) {
  const Candidate& candidate = candidates_[index];
  if (!has_graph(candidate)) {
    leave_out(LeftOut::grids, candidate.least_seconds);
    refuse(index, "a change of grid has too many placements to search");
    return false;
  }
  if (candidate.changes_grid() && !regrid_budget_.spend(candidate.configuration)) {
    leave_out(LeftOut::grids, candidate.least_seconds);
    refuse(index, "not priced: enough changes of the grid with lower bounds were");
    return false;
  }
  if (candidate.changes_grid() && graph_of(candidate).cut) leave_out(LeftOut::grids, candidate.least_seconds);
  return true;
}

/// Touches nothing but the candidate and the finder.
void Search::price(Candidate& candidate, PathFinder& finder, double enough) const {
  finder.pricer().configure(candidate.configuration);
  PathFinder::PricedPath found = finder.path(graph_of(candidate), needed_kinds(candidate), enough);
  if (!found.shortest) {
    refuse(candidate, why_infeasible(graph_of(candidate), finder.pricer()));
  } else if (!found.is_exact) {
    if (found.shortest->seconds <= candidate.least_seconds) return;
    candidate.least_seconds = found.shortest->seconds;
    candidate.terms = terms_of(*found.shortest, graph_of(candidate),
                               [&](const Transition& transition) { return finder.pricer().least_seconds(transition); });
  } else {
    set_path(candidate, finder, *std::move(found.shortest));
  }
}

/// Several ranks of which only the root works are no configuration of their own: that is what one rank does. Nor are
/// two grids of which only one is used, nor ranks that are fed in turn and have no tiles. Where sources are on the
/// tiles, several ranks take part anyhow.
Via Search::needed_kinds(const Candidate& candidate) const {
  if (candidate.configuration.ranks == 1 || !has_operators_ || has_tiled_sources_) return {};
  if (candidate.changes_grid()) return {Kind::redistribute};
  return candidate.configuration.in_turn ? Via{Kind::compute_tiles} : via_all_ranks;
}

/// In the configuration of the finder, which is the candidate's.
void Search::set_path(Candidate& candidate, PathFinder& finder, ShortestPath path) const {
  candidate.least_seconds = path.seconds;
  candidate.terms = terms_of(path, graph_of(candidate),
                             [&](const Transition& transition) { return finder.pricer().price_seconds(transition); });
  candidate.path = std::move(path);
}

/// All that is known of these plans is that they take at least so long.
void Search::leave_out(LeftOut what, double least_seconds) {
  left_out_.insert(what);
  bound_of_left_out_ = std::min(bound_of_left_out_, least_seconds);
}

bool Search::has_graph(const Candidate& candidate) const {
  if (!candidate.changes_grid()) return true;
  return regridding_graph_.get().has_value();
}

const TransitionGraph& Search::graph_of(const Candidate& candidate) const {
  return candidate.changes_grid() ? *regridding_graph_.get() : graph_;
}

void Search::refuse(std::size_t index, std::string reason) {
  refuse(candidates_[index], std::move(reason));
}

void Search::refuse(Candidate& candidate, std::string reason) {
  candidate.path.reset();
  candidate.least_seconds = infinity;
  candidate.infeasible = std::move(reason);
}

/// Of the first operator that cannot work on the tiles, else of the last border that cannot be exchanged.
std::string Search::why_infeasible(const TransitionGraph& graph, TransitionPricer& pricer) {
  std::string exchange_reason;
  for (const Transition& transition : graph.transitions) {
    const bool is_needed = transition.kind == Kind::exchange && transition.depth == 0;
    if (is_needed) exchange_reason = pricer.why_not(transition);
    if (transition.kind != Kind::compute_tiles) continue;
    std::string reason = pricer.why_not(transition);
    if (!reason.empty()) return reason;
  }
  return !exchange_reason.empty() ? exchange_reason : "no way to compute on the tiles of this grid as forced";
}

std::vector<Transition> Search::transitions(const Candidate& candidate) const {
  std::vector<Transition> path;
  const TransitionGraph& graph = graph_of(candidate);
  for (const int i : candidate.path->transitions) path.push_back(graph.transitions[static_cast<std::size_t>(i)]);
  return path;
}

TransitionPricer& Search::pricer_of(const Candidate& candidate) {
  TransitionPricer& pricer = finders_.front()->pricer();
  pricer.configure(candidate.configuration);
  return pricer;
}

}  // namespace tilewright
