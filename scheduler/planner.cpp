#include "tilewright/scheduler/planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "plan_steps.hpp"
#include "simplicity.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/core/units.hpp"
#include "uncertainty.hpp"

namespace tilewright {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A configuration with its shortest path, or the reason why there is none.
struct Candidate {
  Configuration configuration;
  std::optional<ShortestPath> path;
  std::string infeasible;
};

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

class Search {
 public:
  Search(const Pipeline& pipeline, const MachineProfile& profile, const CostModel& model, const SearchSpace& space)
      : pipeline_(pipeline),
        space_(space),
        graph_(make_transition_graph(pipeline, space.max_states, space.halo)),
        pricer_(pipeline, profile, model, space) {}

  [[nodiscard]] const TransitionGraph& graph() const { return graph_; }
  [[nodiscard]] TransitionPricer& pricer() { return pricer_; }

  Candidate run(const Configuration& configuration) {
    pricer_.configure(configuration);
    std::vector<double> seconds;
    std::string exchange_reason;
    std::string operator_reason;
    for (const Transition& transition : graph_.transitions) {
      TransitionCost cost = pricer_.price(transition);
      seconds.push_back(cost.seconds);
      const bool needed = transition.kind == Transition::Kind::exchange && transition.depth == 0;
      if (needed) exchange_reason = cost.infeasible;
      const bool first = transition.kind == Transition::Kind::compute_tiles && operator_reason.empty();
      if (first) operator_reason = std::move(cost.infeasible);
    }
    const std::string& reason = operator_reason.empty() ? exchange_reason : operator_reason;
    bound_ = std::min(bound_, relaxed(seconds));
    // Several ranks of which only the root works are no configuration of their own: that is what one rank does.
    const bool on_tiles = configuration.ranks > 1 && has_operators();
    Candidate candidate{
        configuration,
        shortest_path(graph_, seconds, on_tiles ? std::optional(Transition::Kind::compute_tiles) : std::nullopt),
        {}};
    if (!candidate.path) {
      candidate.infeasible = !reason.empty() ? reason : "no way to compute on the tiles of this grid as forced";
    }
    return candidate;
  }

  /// What the candidate does; it has a path.
  [[nodiscard]] std::vector<Transition> transitions(const Candidate& candidate) const {
    std::vector<Transition> path;
    for (const int i : candidate.path->transitions) path.push_back(graph_.transitions[static_cast<std::size_t>(i)]);
    return path;
  }

  /// No plan can be faster: every operator where it is fastest, nothing moved. For a search that was cut.
  [[nodiscard]] double bound() const { return bound_; }

 private:
  [[nodiscard]] bool has_operators() const {
    return std::any_of(pipeline_.images.begin(), pipeline_.images.end(),
                       [](const PipelineImage& image) { return image.op != nullptr; });
  }

  [[nodiscard]] double relaxed(const std::vector<double>& seconds) const {
    std::vector<double> cheapest(pipeline_.images.size(), infinity);
    double sum = 0;
    for (std::size_t i = 0; i < graph_.transitions.size(); ++i) {
      const Transition& transition = graph_.transitions[i];
      if (transition.kind == Transition::Kind::write) sum += seconds[i];
      const bool obtains = transition.kind == Transition::Kind::read ||
                           transition.kind == Transition::Kind::compute_root ||
                           transition.kind == Transition::Kind::compute_tiles;
      if (!obtains) continue;
      double& best = cheapest[static_cast<std::size_t>(transition.subject)];
      best = std::min(best, seconds[i]);
    }
    for (const double best : cheapest) sum += best;
    return sum;
  }

  const Pipeline& pipeline_;
  const SearchSpace& space_;
  TransitionGraph graph_;
  TransitionPricer pricer_;
  double bound_ = infinity;
};

Plan make_plan(const Pipeline& pipeline, const MachineProfile& profile, const CostModel& model,
               const SearchSpace& space, Search& search, const Candidate& chosen) {
  Plan plan;
  plan.machine = profile.name();
  plan.model = std::string(model.name());
  plan.ranks = chosen.configuration.ranks;
  plan.grid = chosen.configuration.grid;
  plan.threads = space.threads;
  search.pricer().configure(chosen.configuration);
  add_steps(plan, pipeline, search.transitions(chosen), search.pricer());
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

/// Candidates in the order of preference; equal times keep the order of the rule for ties.
std::vector<std::size_t> best_first(const std::vector<Candidate>& candidates) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].path) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return candidates[a].path->seconds < candidates[b].path->seconds;
  });
  return order;
}

/// A candidate with its plan.
struct Choice {
  std::size_t index = 0;
  Plan plan;
};

/// Of the candidates that the profile cannot tell from the fastest one, that with the simplest plan; of equally simple
/// ones the first. A candidate can be told from it if it takes longer by more than the standard error of the fastest
/// one's time, or by more than that of the difference. `make` makes the plan of a candidate.
template <class Make>
Choice simplest_in_tie_zone(const SearchSpace& space, const std::vector<Candidate>& candidates, Choice fastest,
                            const Search& search, ErrorSource& errors, Make&& make) {
  const auto effects_of = [&](const Candidate& candidate) {
    return errors.effects(candidate.configuration, search.transitions(candidate));
  };
  const Candidate& best = candidates[fastest.index];
  const ErrorEffects effects_of_best = effects_of(best);
  const double error_of_best = standard_error(effects_of_best);
  fastest.plan.uncertainty_seconds = errors.has_errors() ? std::optional(error_of_best) : std::nullopt;
  Choice choice = fastest;
  for (std::size_t i = 0; i < candidates.size(); ++i) {  // fewer ranks first
    const Candidate& other = candidates[i];
    if (other.configuration.ranks > choice.plan.ranks) break;
    if (i == fastest.index || !other.path) continue;
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
NodeCurve node_curve(const SearchSpace& space, const std::vector<Candidate>& candidates, int fastest_ranks,
                     Make&& make) {
  NodeCurve curve{nodes_of(space.min_ranks, space), nodes_of(space.max_ranks, space), space.ranks_per_node, {}};
  const std::vector<int> shown = shown_node_counts(curve.first, curve.last);
  std::set<int> counts(shown.begin(), shown.end());
  counts.insert(std::max(curve.first, nodes_of(fastest_ranks, space)));
  const std::vector<std::size_t> order = best_first(candidates);
  std::map<std::size_t, Plan> plans;  // neighbours often share one
  for (const int nodes : counts) {
    for (const std::size_t i : order) {
      if (nodes_of(candidates[i].configuration.ranks, space) > nodes) continue;
      if (!plans.contains(i)) plans.emplace(i, make(candidates[i]));
      const Plan& plan = plans.at(i);
      if (!fits(plan, space)) continue;
      curve.points.push_back({nodes, plan.ranks, plan.grid, plan.predicted_seconds, node_bytes(plan, space)});
      break;
    }
  }
  return curve;
}

std::string why_not(const Candidate& candidate, double chosen_seconds) {
  if (!candidate.path) return candidate.infeasible;
  const double more = candidate.path->seconds - chosen_seconds;
  if (more == 0) return "equal time; the simpler configuration wins";
  if (more < 0) {
    return fmt::format("{} faster ({:.1f} %), within the tie zone; the simpler configuration wins",
                       format_seconds(-more), -100 * more / chosen_seconds);
  }
  const double percent = chosen_seconds > 0 ? 100 * more / chosen_seconds : 0;
  return fmt::format("{} slower ({:.1f} %)", format_seconds(more), percent);
}

/// All configurations but the chosen one.
void add_alternatives(Plan& plan, const std::vector<Candidate>& candidates, std::size_t chosen) {
  const double chosen_s = candidates[chosen].path->seconds;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (i == chosen) continue;
    const Candidate& other = candidates[i];
    const std::optional<double> seconds = other.path ? std::optional(other.path->seconds) : std::nullopt;
    plan.alternatives.push_back(
        {other.configuration.ranks, other.configuration.grid, seconds, why_not(other, chosen_s)});
  }
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

Distribution parse_distribution(std::string_view text) {
  if (text == "scatter") return Distribution::scatter;
  if (text == "broadcast") return Distribution::broadcast;
  throw ParameterError(fmt::format("'{}' is no distribution: use scatter or broadcast", text));
}

HaloChoice parse_halo_choice(std::string_view text) {
  if (text == "shallow") return HaloChoice::shallow;
  if (text == "deep") return HaloChoice::deep;
  throw ParameterError(fmt::format("'{}' is no choice of halos: use shallow or deep", text));
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
  Search search(pipeline, profile, model, space);
  std::vector<Candidate> candidates;
  for (const Configuration& configuration : configurations(space)) {
    candidates.push_back(search.run(configuration));
  }
  const auto make = [&](const Candidate& candidate) {
    return make_plan(pipeline, profile, model, space, search, candidate);
  };
  std::optional<Choice> fastest;
  double bound = search.graph().cut ? search.bound() : infinity;
  for (const std::size_t i : best_first(candidates)) {
    Plan tried = make(candidates[i]);
    if (fits(tried, space)) {
      fastest = Choice{i, std::move(tried)};
      break;
    }
    candidates[i].infeasible =
        fmt::format("needs {} on the root's node and {} a rank, but a node has {}", format_bytes(tried.root_bytes),
                    format_bytes(tried.rank_bytes), format_bytes(space.node_memory));
    bound = std::min(bound, candidates[i].path->seconds);  // a slower path of this configuration might have fitted
    candidates[i].path.reset();
  }
  if (!fastest) throw ParameterError("no plan is possible: " + candidates.front().infeasible);

  const double least = candidates[fastest->index].path->seconds;
  ErrorSource errors(pipeline, profile, model, space);
  auto [chosen, plan] = simplest_in_tie_zone(space, candidates, *fastest, search, errors, make);
  add_alternatives(plan, candidates, chosen);
  plan.lower_bound_seconds = std::min(least, bound);
  plan.proven_optimal = !search.graph().cut && bound >= least;
  if (search.graph().cut) {
    plan.notes.push_back(fmt::format("not proven optimal: the search was cut at {} states", space.max_states));
  } else if (!plan.proven_optimal) {
    plan.notes.push_back(
        "not proven optimal: of the grids whose fastest plan needs too much memory, no other is tried");
  }
  add_notes(plan, profile, space);
  if (space.node_curve) plan.node_curve = node_curve(space, candidates, fastest->plan.ranks, make);
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
