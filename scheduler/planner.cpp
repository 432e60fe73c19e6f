#include "tilewright/scheduler/planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "plan_steps.hpp"
#include "rejected_algorithms.hpp"
#include "search.hpp"
#include "sharing.hpp"
#include "simplicity.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/core/units.hpp"
#include "uncertainty.hpp"

namespace tilewright {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// So many of the alternatives, the fastest ones, are always priced in full.
constexpr int fewest_priced_alternatives = 20;

void check(const SearchSpace& space) {
  if (space.threads < 1) throw ParameterError(fmt::format("{} threads: at least 1 is needed", space.threads));
  if (space.ranks_per_node < 1) {
    throw ParameterError(fmt::format("{} ranks a node: at least 1 is needed", space.ranks_per_node));
  }
  if (space.min_ranks < 1 || space.max_ranks < space.min_ranks) {
    throw ParameterError(
        fmt::format("ranks {}..{}: give at least 1, the smaller first", space.min_ranks, space.max_ranks));
  }
  if (space.ranks && (*space.ranks < 1 || *space.ranks > space.max_ranks)) {
    throw ParameterError(fmt::format("{} ranks are forced, but 1 to {} are available: start more ranks, or force fewer",
                                     *space.ranks, space.max_ranks));
  }
  if (space.grid && space.grid->x * space.grid->y > space.max_ranks) {
    throw ParameterError(
        fmt::format("grid {} needs {} ranks, but {} are available: start more ranks, or force a "
                    "smaller grid",
                    to_string(*space.grid), space.grid->x * space.grid->y, space.max_ranks));
  }
}

/// Throws ParameterError if transfers through shared memory are forced where there can be none.
void check_sharing(const MachineProfile& profile, const SearchSpace& space) {
  if (space.tree != Algorithm::shared) return;
  const int of_grid = space.grid ? space.grid->x * space.grid->y : 0;
  const std::string reason = why_not_shared(profile, space, std::max(space.ranks.value_or(1), of_grid));
  if (!reason.empty()) throw ParameterError("transfers through shared memory are forced, but " + reason);
}

/// In the order of the rule for ties: fewer ranks first, then fewer columns.
std::vector<Configuration> configurations(const SearchSpace& space) {
  std::vector<Configuration> all;
  const int first = space.ranks.value_or(space.grid ? 1 : space.min_ranks);
  const int last = space.ranks.value_or(space.max_ranks);
  for (int ranks = first; ranks <= last; ++ranks) {
    for (const ProcessGrid& grid : grids_of(ranks)) {
      if (!space.grid || space.grid->matches(grid)) all.push_back({ranks, grid});
    }
  }
  if (all.empty()) {
    throw ParameterError(
        fmt::format("no grid of {} ranks has the forced form {}: force another grid or number of ranks",
                    space.ranks ? std::to_string(last) : fmt::format("1 to {}", last), to_string(*space.grid)));
  }
  return all;
}

/// Of the first tiles that come to exist.
ProcessGrid first_grid(const Configuration& configuration, const std::vector<Transition>& path) {
  const auto first = std::find_if(path.begin(), path.end(), [](const Transition& transition) {
    return transition.kind == Transition::Kind::scatter || transition.kind == Transition::Kind::extract;
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
  plan.threads = space.threads;
  add_steps(plan, pipeline, path, search.pricer_of(chosen));
  return plan;
}

/// Of the root's node, which needs most.
std::int64_t node_bytes(const Plan& plan, const SearchSpace& space) {
  const int together = std::min(space.ranks_per_node, plan.ranks);
  return plan.root_bytes + (together - 1) * plan.rank_bytes;
}

bool fits(const Plan& plan, const SearchSpace& space) {
  return space.node_memory <= 0 || node_bytes(plan, space) <= space.node_memory;
}

int nodes_of(int ranks, const SearchSpace& space) {
  return (ranks + space.ranks_per_node - 1) / space.ranks_per_node;
}

/// A candidate with its plan.
struct Choice {
  std::size_t index = 0;
  Plan plan;
};

/// Told without their plans.
bool may_be_simpler(const Candidate& candidate, const Candidate& than) {
  if (candidate.changes_grid() != than.changes_grid()) return than.changes_grid();
  return candidate.configuration.ranks <= than.configuration.ranks;
}

/// Of the candidates that the profile cannot tell from the fastest one, that with the simplest plan; of equally simple
/// ones the first. A candidate can be told from it if it takes longer by more than the standard error of the fastest
/// one's time, or by more than that of the difference. `make` makes the plan of a candidate.
template <class Make>
Choice simplest_in_tie_zone(const SearchSpace& space, Search& search, Choice fastest, ErrorSource& errors,
                            Make&& make) {
  const auto effects_of = [&](const Candidate& candidate) {
    return errors.effects(candidate.configuration, search.transitions(candidate));
  };
  const Candidate& best = search[fastest.index];
  const ErrorEffects effects_of_best = effects_of(best);
  const double error_of_best = standard_error(effects_of_best);
  fastest.plan.uncertainty_seconds = errors.has_errors() ? std::optional(error_of_best) : std::nullopt;
  Choice choice = fastest;
  for (std::size_t i = 0; i < search.size(); ++i) {  // one grid before two, fewer ranks first
    if (i == fastest.index || !may_be_simpler(search[i], search[choice.index])) continue;
    const Candidate& other = search.priced_within(i, best.path->seconds + error_of_best);
    if (!other.path) continue;
    const double more = other.path->seconds - best.path->seconds;
    if (more > error_of_best) continue;
    const ErrorEffects effects = effects_of(other);
    const double zone = std::min(error_of_best, standard_error_of_difference(effects, effects_of_best));
    if (more > zone) continue;
    Plan plan = make(other);
    if (!fits(plan, space) || complexity_of(plan) >= complexity_of(choice.plan)) continue;
    if (fastest.plan.uncertainty_seconds) plan.uncertainty_seconds = standard_error(effects);
    if (more > 0) plan.tie = TieZone{best.path->seconds, best.configuration.grid, zone};
    choice = {i, std::move(plan)};
  }
  return choice;
}

/// The curve of a search whose fastest plan has `fastest_ranks`. `make` makes the plan of a candidate.
template <class Make>
NodeCurve node_curve(const SearchSpace& space, Search& search, int fastest_ranks, Make&& make) {
  NodeCurve curve{nodes_of(space.min_ranks, space), nodes_of(space.max_ranks, space), space.ranks_per_node, {}};
  const std::vector<int> shown = shown_node_counts(curve.first, curve.last);
  std::set<int> counts(shown.begin(), shown.end());
  counts.insert(std::max(curve.first, nodes_of(fastest_ranks, space)));
  std::map<std::size_t, Plan> plans;  // neighbours often share one
  for (const int nodes : counts) {
    BestFirst best_first(search, nodes * space.ranks_per_node);
    while (const auto i = best_first.next()) {
      if (!plans.contains(*i)) plans.emplace(*i, make(search[*i]));
      const Plan& plan = plans.at(*i);
      if (!fits(plan, space)) continue;
      curve.points.push_back({nodes, plan.ranks, plan.grid, plan.predicted_seconds, node_bytes(plan, space)});
      break;
    }
  }
  return curve;
}

std::string why_not(const Candidate& candidate, double chosen_seconds) {
  if (!candidate.is_possible()) return candidate.infeasible;
  const double more = candidate.least_seconds - chosen_seconds;
  const double percent = chosen_seconds > 0 ? 100 * more / chosen_seconds : 0;
  if (!candidate.path) {
    const std::string why = candidate.redistribution_seconds
                                ? fmt::format("changing the grid takes at least {}, more than it saves",
                                              format_seconds(*candidate.redistribution_seconds))
                                : "not priced in full";
    if (more <= 0) return "not priced in full";
    return fmt::format("at least {} slower ({:.1f} %): {}", format_seconds(more), percent, why);
  }
  if (more == 0) return "equal time; the simpler configuration wins";
  if (more < 0) {
    return fmt::format("{} faster ({:.1f} %), within the tie zone; the simpler configuration wins",
                       format_seconds(-more), -percent);
  }
  const std::string why = candidate.redistribution_seconds
                              ? fmt::format(": changing the grid takes at least {}, more than it saves",
                                            format_seconds(*candidate.redistribution_seconds))
                              : "";
  return fmt::format("{} slower ({:.1f} %){}", format_seconds(more), percent, why);
}

/// Prices the fastest candidates beside the chosen one.
void price_alternatives(const SearchSpace& space, Search& search, std::size_t chosen) {
  BestFirst best_first(search, space.max_ranks);
  for (int priced = 0; priced < fewest_priced_alternatives;) {
    const auto next = best_first.next();
    if (!next) return;
    if (*next != chosen) ++priced;
  }
}

/// All configurations but the chosen one. Of pairs of grids, which are many, those that were priced, and the nearest
/// one of the chosen number of ranks.
void add_alternatives(Plan& plan, Search& search, std::size_t chosen) {
  const double chosen_s = search[chosen].path->seconds;
  const auto nearest = search.nearest_regrid(plan.ranks);
  for (std::size_t i = 0; i < search.size(); ++i) {
    const Candidate& other = search[i];
    if (i == chosen || (other.changes_grid() && !other.path && i != nearest)) continue;
    Alternative alternative{other.configuration.ranks, other.configuration.grid, {}, why_not(other, chosen_s)};
    alternative.second_grid = other.configuration.second;
    if (other.path) {
      alternative.predicted_seconds = other.path->seconds;
    } else if (other.is_possible()) {
      alternative.lower_bound_seconds = other.least_seconds;
    }
    plan.alternatives.push_back(std::move(alternative));
  }
}

std::string why_not_proven(const SearchSpace& space, const Search& search) {
  if (search.is_cut()) return fmt::format("the search was cut at {} states", space.max_states);
  if (search.is_regridding_cut()) {
    return "of the changes of the grid not all were priced";
  }
  return "of the grids whose fastest plan needs too much memory, no other is tried";
}

std::string why_none(const SearchSpace& space, const Search& search) {
  if (space.regrid != Regrid::always) return search[0].infeasible;
  return fmt::format(
      "a change of grid is forced, but no two grids of the same number of ranks, up to {}, can hold the images and "
      "what "
      "the operators need: start more ranks, or do not force it",
      space.max_ranks);
}

/// Why the plan is not proven, and how far it may be from the best one.
void add_proof(Plan& plan, const SearchSpace& space, const Search& search, double seconds) {
  if (plan.proven_optimal) return;
  const double bound = *plan.lower_bound_seconds;
  const std::string gap =
      bound > 0 ? fmt::format("; at most {:.1f} % above the bound", 100 * (seconds / bound - 1)) : "";
  plan.notes.push_back(fmt::format("not proven optimal: {}{}", why_not_proven(space, search), gap));
}

void add_notes(Plan& plan, const MachineProfile& profile, const SearchSpace& space) {
  std::set<std::string> unknown;
  for (const PlanStep& step : plan.steps) {
    if (step.predicted_seconds || !unknown.insert(step.operation).second) continue;
    plan.notes.push_back(
        fmt::format("machine '{}' has no cost for '{}': it is not counted", profile.name(), step.operation));
  }
  if (profile.fingerprint().cores_per_node < 1) {
    plan.notes.push_back("the profile does not say how many cores a node has: one for each rank is assumed");
  }
  if (space.node_memory <= 0) {
    plan.notes.push_back("the memory of a node is not known: every plan is taken to fit");
  }
  if (plan.ranks > 1 && !profile.has_paths()) {
    plan.notes.push_back("the profile has no costs of messages");
  }
}

}  // namespace

HaloChoice parse_halo_choice(std::string_view text) {
  if (text == "shallow") return HaloChoice::shallow;
  if (text == "deep") return HaloChoice::deep;
  throw ParameterError(fmt::format("'{}' is no choice of halos: use shallow or deep", text));
}

Regrid parse_regrid(std::string_view text) {
  if (text == "never") return Regrid::never;
  if (text == "always") return Regrid::always;
  throw ParameterError(fmt::format("'{}' is no choice of regridding: use never or always", text));
}

Distribution parse_distribution(std::string_view text) {
  if (text == "scatter") return Distribution::scatter;
  if (text == "broadcast") return Distribution::broadcast;
  throw ParameterError(fmt::format("'{}' is no distribution: use scatter or broadcast", text));
}

Plan plan_pipeline(const Pipeline& pipeline, const MachineProfile& profile, const CostModel& model,
                   const SearchSpace& space) {
  check(space);
  if (!profile.has_operators()) {
    throw ParameterError(
        fmt::format("machine '{}' has no operator costs: take them from another machine with "
                    "--operators-from, or calibrate this one",
                    profile.name()));
  }
  check_sharing(profile, space);
  const auto schedules = std::make_shared<KnownSchedules>();
  Search search(pipeline, profile, model, space, configurations(space), schedules);
  const auto make = [&](const Candidate& candidate) {
    return make_plan(pipeline, profile, model, space, search, candidate);
  };
  std::optional<Choice> fastest;
  double bound = infinity;
  BestFirst best_first(search, space.max_ranks);
  while (const auto i = best_first.next()) {
    Plan tried = make(search[*i]);
    if (fits(tried, space)) {
      fastest = Choice{*i, std::move(tried)};
      break;
    }
    bound = std::min(bound, search[*i].path->seconds);  // a slower path of this configuration might have fitted
    search.refuse(
        *i, fmt::format("needs {} on the root's node and {} a rank, but a node has {}", format_bytes(tried.root_bytes),
                        format_bytes(tried.rank_bytes), format_bytes(space.node_memory)));
  }
  if (!fastest) throw ParameterError("no plan is possible: " + why_none(space, search));

  const double least = search[fastest->index].path->seconds;
  bound = std::min(bound, search.bound());
  ErrorSource errors(pipeline, profile, model, space, schedules);
  auto [chosen, plan] = simplest_in_tie_zone(space, search, *fastest, errors, make);
  price_alternatives(space, search, chosen);
  add_alternatives(plan, search, chosen);
  add_rejected_algorithms(plan, profile, space, search.pricer_of(search[chosen]));
  plan.lower_bound_seconds = std::min(least, bound);
  plan.proven_optimal = !search.is_cut() && bound >= least;
  add_proof(plan, space, search, search[chosen].path->seconds);
  add_notes(plan, profile, space);
  if (space.node_curve) plan.node_curve = node_curve(space, search, fastest->plan.ranks, make);
  return std::move(plan);
}

Plan sequential_plan(const Pipeline& pipeline, int threads) {
  std::vector<Transition> path;
  for (const Task& task : pipeline.tasks) {
    if (task.kind == Task::Kind::obtain) {
      const bool source = pipeline.images[static_cast<std::size_t>(task.index)].source != nullptr;
      path.push_back({source ? Transition::Kind::read : Transition::Kind::compute_root, task.index});
      continue;
    }
    switch (pipeline.outputs[static_cast<std::size_t>(task.index)].kind) {
      case OutputKind::write:
        path.push_back({Transition::Kind::write, task.index});
        break;
      case OutputKind::reduce:
        path.push_back({Transition::Kind::reduce_root, task.index});
        break;
      default:
        break;
    }
  }
  Plan plan;
  plan.model = "none";
  plan.threads = threads;
  plan.notes.push_back("one rank alone and no machine profile: there is nothing to decide, and nothing is predicted");
  add_steps(plan, pipeline, path);
  return plan;
}

}  // namespace tilewright
