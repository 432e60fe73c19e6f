#include "search.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <tuple>
#include <utility>

#include "file_parts.hpp"
#include "forced_work.hpp"
#include "node_use.hpp"
#include "overlap.hpp"
#include "sharing.hpp"
#include "tilewright/core/node_mapping.hpp"

namespace tilewright {
namespace {

using Kind = Transition::Kind;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// So many times as far along one axis as along the other is elongated.
constexpr std::int64_t elongation = 2;

bool is_elongated(std::int64_t along, std::int64_t across) {
  return along > 0 && along >= elongation * across;
}

/// Both number the ranks alike.
bool may_change(const ProcessGrid& from, const ProcessGrid& to) {
  return from.mapping == to.mapping && !from.mapping.is_in_blocks();
}

}  // namespace

Offer offer_of_two_grids(Offer offer, const SearchSpace& space) {
  if (!space.overlap.value_or(false)) offer.overlaps = false;
  return offer;
}

bool may_regrid(const Pipeline& pipeline, const SearchSpace& space) {
  if (space.keeps_in_place || grid_of_sources(pipeline)) return false;
  if (space.regrid) return *space.regrid == Regrid::always && space.halo != HaloChoice::deep;
  if (space.halo == HaloChoice::deep) return false;
  bool along_x = false;
  bool along_y = false;
  for (const PipelineImage& image : pipeline.images) {
    if (!image.op) continue;
    const Halo halo = image.op->halo();
    along_x = along_x || is_elongated(halo.x, halo.y);
    along_y = along_y || is_elongated(halo.y, halo.x);
  }
  return along_x && along_y;
}

Search::Search(const Pipeline& pipeline, const MachineProfile& profile, const CostModel& model,
               const SearchSpace& space, const std::vector<Configuration>& configurations,
               std::shared_ptr<KnownSchedules> schedules)
    : pipeline_(pipeline),
      space_(space),
      offer_{offered_algorithms(profile, space),
             images_in_parts(pipeline, profile, space),
             outputs_in_parts(pipeline, profile, space),
             space.keeps_in_place,
             !space.overlap.value_or(false),
             offers_overlap(profile, space),
             why_not_everywhere(space).empty()},
      graph_(make_transition_graph(pipeline, space.max_states, space.halo, offer_)),
      relaxation_(pipeline, graph_.generations, offer_, space.counted),
      shallow_(pipeline, 0, offer_of_two_grids(offer_, space), space.counted),
      pricer_(pipeline, profile, model, space, std::move(schedules)),
      has_operators_(std::any_of(pipeline.images.begin(), pipeline.images.end(),
                                 [](const PipelineImage& image) { return image.op != nullptr; })),
      has_tiled_sources_(grid_of_sources(pipeline).has_value()),
      bound_of_left_out_(infinity) {
  bound_all(configurations);
  if (space.regrid != Regrid::always || !has_operators_) return;
  for (std::size_t i = 0; i < configurations.size(); ++i) refuse(i, "a change of grid is forced");
}

/// With a group for each number of ranks that has several grids.
void Search::bound_all(const std::vector<Configuration>& configurations) {
  const bool has_groups = may_regrid(pipeline_, space_) && has_operators_;
  for (std::size_t first = 0, end = 0; first < configurations.size(); first = end) {
    RegridGroup group{configurations[first].ranks, 0, first, first};
    std::optional<BoundParts> least;
    int grids = 0;
    for (; end < configurations.size() && configurations[end].ranks == group.ranks; ++end) {
      pricer_.configure(configurations[end]);
      const std::vector<BoundParts> parts = relaxation_.parts(pricer_, Counted::work);
      set_bound(candidates_.emplace_back(Candidate{configurations[end], 0, {}, {}, {}}), parts, Counted::work);
      if (!has_groups || pricer_.is_in_turn()) continue;
      least = least ? least_of(*std::move(least), parts.front()) : parts.front();
      ++grids;
    }
    if (grids < 2) continue;
    group.end = end;
    group.least_seconds = relaxation_.bound_of(*least, Counted::work);
    if (group.least_seconds < infinity) groups_.push_back(group);
  }
}

void Search::set_bound(Candidate& candidate, const std::vector<BoundParts>& parts, Counted counted) {
  const int ranks = candidate.configuration.ranks;
  candidate.least_seconds = relaxation_.bound(parts, ranks, counted);
  candidate.counted = counted;
  if (counted == Counted::work) candidate.without_halos = candidate.least_seconds;
  if (counted == Counted::distributions) candidate.without_halos = relaxation_.bound(parts, ranks, Counted::results);
  if (candidate.least_seconds == infinity) candidate.infeasible = why_infeasible(graph_);
}

/// In the configuration of the pricer, which is the candidate's. The images brought to the tiles, which are the dearest
/// part of a bound, are counted once.
void Search::bound_more(Candidate& candidate) {
  if (candidate.counted == Counted::work) {
    candidate.parts = relaxation_.parts(pricer_, Counted::distributions);
    set_bound(candidate, candidate.parts, Counted::distributions);
    return;
  }
  std::vector<BoundParts> parts = std::exchange(candidate.parts, {});
  relaxation_.count_more(parts, pricer_, candidate.counted, Counted::borders);
  set_bound(candidate, parts, Counted::borders);
}

double Search::bound() {
  if (is_cut() && !bound_of_all_) bound_of_all_ = bound_of_all();
  return std::min(bound_of_all_.value_or(infinity), bound_of_left_out_);
}

/// Of all plans, the deepest halos included, which a cut graph does not hold: of configurations in the order of bounds
/// that are quickly made, as far as those leave open which one has the least.
double Search::bound_of_all() {
  const Relaxation deep(pipeline_, space_.halo == HaloChoice::shallow ? 0 : most_generations, offer_, space_.counted);
  using Entry = std::tuple<double, Counted, std::size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    const Candidate& candidate = candidates_[i];
    const Counted known = std::min(candidate.counted, Counted::results);
    if (!candidate.changes_grid()) open.emplace(candidate.without_halos, known, i);
  }
  double least = infinity;  // of those that count all
  while (!open.empty()) {
    const auto [seconds, counted, i] = open.top();
    if (counted == Counted::borders || seconds == infinity) return seconds;
    open.pop();
    pricer_.configure(candidates_[i].configuration);
    const Counted next = counted == Counted::work ? Counted::results : Counted::borders;
    const double bound = deep.bound(pricer_, next, next == Counted::borders ? least - seconds : infinity);
    if (next == Counted::borders) least = std::min(least, bound);
    open.emplace(bound, next, i);
  }
  return infinity;
}

int Search::nodes(const Candidate& candidate) const {
  return nodes_used(space_, candidate.configuration.grid);
}

int Search::nodes(const RegridGroup& group) const {
  return nodes_of(group.ranks, space_.ranks_per_node);
}

/// Without those that have less on the root.
std::vector<Configuration> Search::grids_of(const RegridGroup& group) const {
  std::vector<Configuration> grids;
  for (std::size_t i = group.first; i < group.end; ++i) {
    if (!candidates_[i].configuration.in_turn) grids.push_back(candidates_[i].configuration);
  }
  return grids;
}

void Search::refine_group(std::size_t index) {
  RegridGroup& group = groups_[index];
  if (group.counted != Counted::work) return open(index);
  count_distributions(group);
  BoundParts least = group.parts.front().front();
  for (const std::vector<BoundParts>& parts : group.parts) least = least_of(std::move(least), parts.front());
  group.least_seconds = shallow_.bound_of(least, group.counted);
}

void Search::count_distributions(RegridGroup& group) {
  for (const Configuration& grid : grids_of(group)) {
    pricer_.configure(grid);
    group.parts.push_back(shallow_.parts(pricer_, Counted::distributions));
  }
  group.counted = Counted::distributions;
}

void Search::open(std::size_t index) {
  RegridGroup& group = groups_[index];
  if (!group.is_open) return;
  group.is_open = false;
  if (group.counted == Counted::work) count_distributions(group);
  const std::vector<Configuration> grids = grids_of(group);
  std::vector<BoundParts> parts;
  for (std::size_t i = 0; i < grids.size(); ++i) {
    pricer_.configure(grids[i]);
    shallow_.count_more(group.parts[i], pricer_, group.counted, Counted::borders);
    parts.push_back(std::move(group.parts[i].front()));
  }
  group.parts.clear();
  for (std::size_t a = 0; a < parts.size(); ++a) {
    for (std::size_t b = a + 1; b < parts.size(); ++b) {
      const double least_seconds = shallow_.bound_of(least_of(parts[a], parts[b]));
      if (!may_change(grids[a].grid, grids[b].grid)) continue;
      Configuration pair = grids[a];
      pair.second = grids[b].grid;
      Candidate& candidate = candidates_.emplace_back(Candidate{pair, least_seconds, {}, {}, {}, Counted::borders});
      if (candidate.least_seconds == infinity) candidate.infeasible = "neither grid can hold what an operator needs";
    }
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
    if (candidate.is_possible() && !candidate.redistribution_seconds) count_redistribution(candidate);
    if (!candidate.is_possible()) continue;
    if (!nearest || candidate.least_seconds < candidates_[*nearest].least_seconds) nearest = i;
  }
  return nearest;
}

void Search::count_redistribution(Candidate& candidate) {
  pricer_.configure(candidate.configuration);
  candidate.redistribution_seconds = shallow_.least_redistribution(pricer_);
  candidate.least_seconds += *candidate.redistribution_seconds;
  if (candidate.least_seconds == infinity) candidate.infeasible = "a grid cannot hold the images";
}

const Candidate& Search::refined(std::size_t index, double seconds) {
  Candidate& candidate = candidates_[index];
  if (candidate.path || !candidate.is_possible()) return candidate;
  pricer_.configure(candidate.configuration);
  if (candidate.changes_grid() && !candidate.redistribution_seconds) {
    count_redistribution(candidate);
  } else if (candidate.counted != Counted::borders) {
    bound_more(candidate);
  } else {
    price(index, seconds);
  }
  return candidate;
}

const Candidate& Search::priced_within(std::size_t index, double seconds) {
  const Candidate& candidate = candidates_[index];
  while (candidate.is_possible() && !candidate.path && candidate.least_seconds <= seconds) refined(index, seconds);
  return candidate;
}

const Candidate& Search::priced(std::size_t index) {
  return priced_within(index, infinity);
}

/// In the configuration of the pricer, which is the candidate's.
void Search::price(std::size_t index, double enough) {
  Candidate& candidate = candidates_[index];
  if (!has_graph(candidate)) {
    leave_out(LeftOut::grids, candidate.least_seconds);
    refuse(index, "a change of grid has too many placements to search");
    return;
  }
  if (candidate.changes_grid() && !is_affordable(candidate)) {
    leave_out(LeftOut::grids, candidate.least_seconds);
    refuse(index, "not priced: enough changes of the grid with lower bounds were");
    return;
  }
  const TransitionGraph& graph = graph_of(candidate);
  if (candidate.changes_grid() && graph.cut) leave_out(LeftOut::grids, candidate.least_seconds);
  PricedPath found = path(graph, needed_kinds(candidate), enough);
  if (!found.shortest) {
    refuse(index, why_infeasible(graph));
    return;
  }
  if (!found.is_exact) {
    candidate.least_seconds = std::max(candidate.least_seconds, found.shortest->seconds);
    return;
  }
  if (found.shortest->cut) leave_out(LeftOut::labels, candidate.least_seconds);
  set_path(candidate, *std::move(found.shortest));
}

/// Several ranks of which only the root works are no configuration of their own: that is what one rank does. Nor are
/// two grids of which only one is used, nor ranks that are fed in turn and have no tiles. Where sources are on the
/// tiles, several ranks take part anyhow.
Via Search::needed_kinds(const Candidate& candidate) const {
  if (candidate.configuration.ranks == 1 || !has_operators_ || has_tiled_sources_) return {};
  if (candidate.changes_grid()) return {Kind::redistribute};
  return candidate.configuration.in_turn ? Via{Kind::compute_tiles} : via_all_ranks;
}

/// In the configuration of the pricer, which is the candidate's.
void Search::set_path(Candidate& candidate, ShortestPath path) {
  candidate.least_seconds = path.seconds;
  candidate.path = std::move(path);
  candidate.terms = {};
  for (const Transition& transition : transitions(candidate)) {
    candidate.terms.add(transition, pricer_.price(transition).seconds);
  }
}

/// A change between strips of P ranks is P (P - 1) messages. So many are priced in all, those of pairs with the least
/// bounds first.
bool Search::is_affordable(const Candidate& pair) {
  constexpr std::int64_t most_messages = 1 << 19;
  const ProcessGrid& a = pair.configuration.grid;
  const ProcessGrid& b = *pair.configuration.second;
  // Each column of one grid meets about so many of the other's; and so do rows.
  const std::int64_t columns = std::max(1, std::max(a.x, b.x) / std::min(a.x, b.x));
  const std::int64_t rows = std::max(1, std::max(a.y, b.y) / std::min(a.y, b.y));
  redistributed_messages_ += columns * rows * pair.configuration.ranks;
  return redistributed_messages_ <= most_messages;
}

/// All that is known of these plans is that they take at least so long.
void Search::leave_out(LeftOut what, double least_seconds) {
  left_out_.insert(what);
  bound_of_left_out_ = std::min(bound_of_left_out_, least_seconds);
}

bool Search::has_graph(const Candidate& candidate) {
  if (!candidate.changes_grid()) return true;
  if (!asked_for_regridding_)
    regridding_graph_ = make_regridding_graph(pipeline_, space_.max_states, offer_of_two_grids(offer_, space_));
  asked_for_regridding_ = true;
  return regridding_graph_.has_value();
}

const TransitionGraph& Search::graph_of(const Candidate& candidate) const {
  return candidate.changes_grid() ? *regridding_graph_ : graph_;
}

void Search::refuse(std::size_t index, std::string reason) {
  Candidate& candidate = candidates_[index];
  candidate.path.reset();
  candidate.least_seconds = infinity;
  candidate.infeasible = std::move(reason);
}

/// In the configuration of the pricer. The last candidate's path is mostly a good one of the next, and the one found by
/// bounds is one by prices: what they take, no other one needs to exceed, and most placements can be left aside.
Search::PricedPath Search::path(const TransitionGraph& graph, const Via& via, double enough,
                                const Permission& may_be_made) {
  if (pricer_.is_in_turn()) return {path_in_turn(graph, via, may_be_made)};
  std::vector<double> seconds;
  std::vector<bool> is_exact;
  for (const Transition& transition : graph.transitions) {
    seconds.push_back(pricer_.least_seconds(transition));
    is_exact.push_back(!has_messages(transition));
  }
  std::vector<int> known = may_be_made ? std::vector<int>() : last_path(graph, via);
  while (true) {
    const double at_most = known.empty() ? infinity : seconds_along(known, seconds);
    auto found = shortest_path(graph, seconds, via, may_be_made, at_most);
    if (!found) return {};
    known = found->transitions;
    if (!may_be_made) last_path(graph, via) = known;
    const auto is_priced = [&](int step) { return is_exact[static_cast<std::size_t>(step)]; };
    if (std::ranges::all_of(known, is_priced)) return {std::move(found)};
    if (found->seconds > enough) return {std::move(found), false};
    for (const int step : known) {
      if (is_priced(step)) continue;
      const auto i = static_cast<std::size_t>(step);
      seconds[i] = pricer_.price(graph.transitions[i]).seconds;
      is_exact[i] = true;
    }
  }
}

/// All transitions are priced at once: to set labels takes longer.
std::optional<ShortestPath> Search::path_in_turn(const TransitionGraph& graph, const Via& via,
                                                 const Permission& may_be_made) {
  std::vector<TransitionTimes> times;
  for (const Transition& transition : graph.transitions) {
    const bool is_possible = pricer_.least_seconds(transition, infinity) < infinity;
    times.push_back(pricer_.times(transition, is_possible ? pricer_.price(transition).seconds : infinity));
  }
  return earliest_path(graph, times, via, may_be_made);
}

/// Of the first operator that cannot work on the tiles, else of the last border that cannot be exchanged.
std::string Search::why_infeasible(const TransitionGraph& graph) const {
  std::string exchange_reason;
  for (const Transition& transition : graph.transitions) {
    const bool is_needed = transition.kind == Kind::exchange && transition.depth == 0;
    if (is_needed) exchange_reason = pricer_.why_not(transition);
    if (transition.kind != Kind::compute_tiles) continue;
    std::string reason = pricer_.why_not(transition);
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
  pricer_.configure(candidate.configuration);
  return pricer_;
}

BestFirst::BestFirst(Search& search, int max_nodes, CostOfSeconds cost_of)
    : search_(search), cost_of_(std::move(cost_of)) {
  for (std::size_t i = 0; i < search.size(); ++i) {
    const Candidate& candidate = search[i];
    const int nodes = search.nodes(candidate);
    if (nodes > max_nodes || !candidate.is_possible()) continue;
    heap_.push_back({cost(nodes, candidate.least_seconds), candidate.path.has_value(), false, i});
  }
  std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
  for (std::size_t i = 0; i < search.regrid_groups().size(); ++i) {
    if (search.nodes(search.regrid_groups()[i]) <= max_nodes) push_group(i);
  }
}

double BestFirst::cost(int nodes, double seconds) const {
  return cost_of_ ? cost_of_(nodes, seconds) : seconds;
}

void BestFirst::push(const Entry& entry) {
  heap_.push_back(entry);
  std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
}

void BestFirst::push_candidate(std::size_t index) {
  const Candidate& candidate = search_[index];
  if (!candidate.is_possible()) return;
  push({cost(search_.nodes(candidate), candidate.least_seconds), candidate.path.has_value(), false, index});
}

void BestFirst::push_group(std::size_t index) {
  const RegridGroup& group = search_.regrid_groups()[index];
  if (!group.is_open) return;
  push({cost(search_.nodes(group), group.least_seconds), false, true, index});
}

std::optional<std::size_t> BestFirst::next() {
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    const Entry entry = heap_.back();
    heap_.pop_back();
    if (entry.is_group) {
      const std::size_t first = search_.size();
      search_.refine_group(entry.index);
      push_group(entry.index);
      for (std::size_t i = first; i < search_.size(); ++i) push_candidate(i);
      continue;
    }
    if (!search_[entry.index].is_possible()) continue;
    if (entry.is_priced) return entry.index;
    search_.refined(entry.index);
    push_candidate(entry.index);
  }
  return std::nullopt;
}

}  // namespace tilewright
