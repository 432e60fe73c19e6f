#include "tilewright/scheduler/planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "alternatives.hpp"
#include "best_first.hpp"
#include "configurations.hpp"
#include "extrapolation.hpp"
#include "forced_work.hpp"
#include "no_plan.hpp"
#include "node_use.hpp"
#include "other_decisions.hpp"
#include "plan_notes.hpp"
#include "plan_steps.hpp"
#include "rejected_algorithms.hpp"
#include "repeated_runs.hpp"
#include "search.hpp"
#include "second_opinions.hpp"
#include "space_check.hpp"
#include "tie_zone.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/core/node_mapping.hpp"
#include "tilewright/core/units.hpp"
#include "tilewright/model/node_curve.hpp"
#include "wishes.hpp"

namespace tilewright {
namespace {

constexpr int all_nodes = std::numeric_limits<int>::max();

/// Decisions are told the other way of plans that are searched quickly: it takes some searches more.
constexpr std::size_t most_images_reconsidered = 64;
constexpr int most_ranks_reconsidered = 64;

/// Of the first tiles that come to exist.
ProcessGrid first_grid(const Configuration& configuration, const std::vector<Transition>& path) {
  const auto first = std::find_if(path.begin(), path.end(), [](const Transition& transition) {
    using enum Transition::Kind;
    return transition.kind == read_tiles || transition.kind == scatter || transition.kind == extract;
  });
  return first == path.end() ? configuration.grid : configuration.grid_of(*first);
}

Plan make_plan(const Pipeline& pipeline, const MachineProfile& profile, const CostModel& model,
               const SearchSpace& space, Search& search, const Candidate& chosen) {
  Plan plan;
  plan.machine = profile.name();
  plan.model = std::string(model.name());
  plan.ranks = chosen.configuration.ranks;
  const std::vector<Transition> path = search.transitions(chosen);
  plan.grid = first_grid(chosen.configuration, path);
  const ProcessGrid& grid = chosen.configuration.grid;
  plan.ranks_per_node = ranks_per_node(space, grid);
  plan.threads = threads_of_rank(space, grid);
  add_steps(plan, pipeline, path, search.pricer_of(chosen));
  return plan;
}

/// The plan of the candidate that had its turn. None if that does not fit: then it gets another path, and has its turn
/// again.
template <class Make>
std::optional<Plan> fitting_plan(const SearchSpace& space, Search& search, BestFirst& best_first, std::size_t index,
                                 Make&& make) {
  Plan plan = make(search[index]);
  if (fits(plan, space)) return plan;
  search.give_less_memory(index, node_bytes(plan),
                          [&](const Candidate& candidate) { return node_bytes(make(candidate)); });
  best_first.take_again(index);
  return std::nullopt;
}

/// The curve of a search whose best plan has `best_nodes`. `make` makes the plan of a candidate.
template <class Make>
NodeCurve node_curve(const SearchSpace& space, Search& search, int best_nodes, Make&& make) {
  const int ranks_per_node = space.ranks_per_node;
  NodeCurve curve{
      nodes_of(space.min_ranks, ranks_per_node), nodes_of(space.max_ranks, ranks_per_node), ranks_per_node, {}};
  const std::vector<int> shown = shown_node_counts(curve.first, curve.last);
  std::set<int> counts(shown.begin(), shown.end());
  counts.insert(std::max(curve.first, best_nodes));
  std::map<std::size_t, Plan> plans;  // that fit; neighbours often share one
  for (const int nodes : counts) {
    BestFirst best_first(search, nodes);
    while (const auto i = best_first.next()) {
      if (takes_too_many_node_hours(search[*i], space)) continue;
      if (!plans.contains(*i)) {
        auto plan = fitting_plan(space, search, best_first, *i, make);
        if (!plan) continue;
        plans.emplace(*i, *std::move(plan));
      }
      const Plan& plan = plans.at(*i);
      curve.points.push_back({nodes, plan.ranks, plan.grid, plan.predicted_seconds, node_bytes(plan)});
      break;
    }
  }
  return curve;
}

/// Throws ParameterError if even the plan of the fewest node-hours takes more than may be spent.
template <class Make>
void check_budget(const SearchSpace& space, Search& search, Make&& make) {
  if (!space.wishes.most_node_hours) return;
  BestFirst cheapest_first(search, all_nodes, [](int nodes, double seconds) { return node_hours(nodes, seconds); });
  while (const auto i = cheapest_first.next()) {
    if (!fitting_plan(space, search, cheapest_first, *i, make)) continue;
    if (!takes_too_many_node_hours(search[*i], space)) return;
    const Configuration& configuration = search[*i].configuration;
    throw ParameterError(fmt::format(
        "{:.3g} node-hours may be spent, but no plan takes less than {:.3g}: that of {} on the grid {}; allow as many",
        *space.wishes.most_node_hours, node_hours_of(configuration, search[*i].path->seconds, space),
        configuration.ranks == 1 ? "1 rank" : fmt::format("{} ranks", configuration.ranks),
        to_string(configuration.grid)));
  }
}

/// The best plan that fits, before ties are looked at; none if there is none. `make` makes the plan of a candidate.
template <class Make>
std::optional<Choice> find_best(const SearchSpace& space, Search& search, Make&& make) {
  check_budget(space, search, make);
  for (std::size_t i = 0; i < search.size(); ++i) refuse_beyond_budget(search, i, space);
  BestFirst best_first(search, all_nodes, cost_of_seconds(space));
  while (const auto i = best_first.next()) {
    if (refuse_beyond_budget(search, *i, space)) continue;
    std::optional<Plan> plan = fitting_plan(space, search, best_first, *i, make);
    if (plan) return Choice{*i, *std::move(plan)};
  }
  return std::nullopt;
}

/// What is known of all plans, the best one of which takes `seconds` on so many nodes: with node-hours as the objective
/// of plans on as many.
void add_bound(Plan& plan, const SearchSpace& space, Search& search, double seconds, int nodes) {
  const CostOfSeconds weighed = cost_of_seconds(space);
  const auto cost = [&](int on_nodes, double s) { return weighed ? weighed(on_nodes, s) : s; };
  const double bound = cost(nodes_of(space.min_ranks, space.ranks_per_node), search.bound());
  const double least = cost(nodes, seconds);
  plan.lower_bound_seconds = bound < least ? seconds * bound / least : seconds;
  plan.proven_optimal = !search.is_cut() && bound >= least;
}

/// The chosen plan and the fastest other ones.
std::vector<Contender> contenders(Search& search, std::size_t chosen) {
  constexpr std::size_t most_contenders = 6;
  const auto contender = [&](std::size_t index) {
    return Contender{search[index].configuration, search.transitions(search[index])};
  };
  std::vector<Contender> found{contender(chosen)};
  BestFirst best_first(search);
  while (found.size() < most_contenders) {
    const auto next = best_first.next();
    if (!next) break;
    if (*next != chosen) found.push_back(contender(*next));
  }
  return found;
}

/// None if there is none on that grid, or if it does not fit.
std::optional<Plan> plan_on_grid(const Pipeline& pipeline, const MachineProfile& profile, const CostModel& model,
                                 const SearchSpace& space, const Configuration& configuration,
                                 const std::shared_ptr<KnownSchedules>& schedules) {
  Search search(pipeline, profile, model, space, {configuration}, schedules);
  const auto best = BestFirst(search).next();
  if (!best) return std::nullopt;
  Plan plan = make_plan(pipeline, profile, model, space, search, search[*best]);
  return fits(plan, space) ? std::optional(std::move(plan)) : std::nullopt;
}

/// The best plan of a space that has been checked; none where one rank alone is better than those that are forced, if
/// it may take their place.
std::optional<Plan> best_plan(const Pipeline& pipeline, const MachineProfile& profile, const CostModel& model,
                              const SearchSpace& space) {
  const auto schedules = std::make_shared<KnownSchedules>();
  Search search(pipeline, profile, model, space, configurations(pipeline, profile, space), schedules);
  const auto make = [&](const Candidate& candidate) {
    return make_plan(pipeline, profile, model, space, search, candidate);
  };
  const std::optional<Choice> best = find_best(space, search, make);
  if (!best) throw ParameterError("no plan is possible: " + why_no_plan(pipeline, profile, space, search));
  search.begin_bound();
  const int best_nodes = nodes_used(space, best->plan.grid);
  const double best_seconds = search[best->index].path->seconds;
  CandidateErrors errors(pipeline, profile, model, space, search);
  auto [chosen, plan, effects] = simplest_in_tie_zone(space, search, *best, errors, make);
  if (space.or_one_rank && plan.ranks == 1) return std::nullopt;
  add_alternatives(plan, space, search, chosen);
  add_rejected_algorithms(plan, profile, space, search.pricer_of(search[chosen]));
  add_rejected_files(plan, pipeline, profile, space, search.pricer_of(search[chosen]));
  add_bound(plan, space, search, best_seconds, best_nodes);
  add_proof(plan, space, search, search[chosen].path->seconds);
  add_unknowns(plan, profile, space);
  add_refresh(plan, profile);
  add_speeds(plan, space);
  add_hidden(plan);
  add_mapping(plan, space);
  add_overlaps(plan);
  add_wishes(plan, space, search[chosen].path->seconds);
  add_sources_of_error(plan, errors.source(), effects);
  const std::vector<Transition> path = search.transitions(search[chosen]);
  for (std::string& note :
       extrapolations(pipeline, profile, model, space, search[chosen].configuration, path, schedules)) {
    plan.notes.push_back(std::move(note));
  }
  const bool is_small = pipeline.images.size() <= most_images_reconsidered && plan.ranks <= most_ranks_reconsidered;
  if (space.second_opinions && is_small) {
    const Configuration& configuration = search[chosen].configuration;
    std::string decisions = other_decisions(plan, space, [&](const SearchSpace& other) {
      return plan_on_grid(pipeline, profile, model, other, configuration, schedules);
    });
    if (!decisions.empty()) plan.notes.push_back(std::move(decisions));
  }
  if (space.second_opinions) {
    std::string opinions = second_opinions(pipeline, profile, model, space, contenders(search, chosen), schedules);
    if (!opinions.empty()) plan.notes.push_back(std::move(opinions));
  }
  if (space.node_curve) plan.node_curve = node_curve(space, search, best_nodes, make);
  return std::move(plan);
}

}  // namespace

Plan plan_pipeline(const Pipeline& pipeline, const MachineProfile& profile, const CostModel& model,
                   const SearchSpace& space) {
  check_space(pipeline, profile, space);
  if (wants_ranks_only(space) && !grid_of_sources(pipeline)) {
    SearchSpace or_one_rank = space;
    or_one_rank.or_one_rank = true;
    if (auto plan = best_plan(pipeline, profile, model, or_one_rank)) return *std::move(plan);
  }
  return *best_plan(pipeline, profile, model, space);
}

Plan plan_pipeline(const Pipeline& pipeline, const MachineProfile& profile, std::string_view model,
                   const SearchSpace& space) {
  const auto cost_model = make_cost_model(model, profile);
  if (!profile.knows_warmth()) return plan_pipeline(pipeline, profile, *cost_model, space);
  SearchSpace nothing_told = space;  // of the first plan, besides its time and memory
  nothing_told.second_opinions = false;
  nothing_told.node_curve = false;
  const Plan first = plan_pipeline(pipeline, profile, *cost_model, nothing_told);
  if (!first.predicted_seconds) return plan_pipeline(pipeline, profile, *cost_model, space);
  const MachineProfile warm = profile.for_repeated(repeated_run(first, pipeline, profile, *cost_model));
  return plan_pipeline(pipeline, warm, *make_cost_model(model, warm), space);
}

}  // namespace tilewright
