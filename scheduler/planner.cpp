#include "tilewright/scheduler/planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "alternatives.hpp"
#include "extrapolation.hpp"
#include "file_parts.hpp"
#include "forced_work.hpp"
#include "no_plan.hpp"
#include "node_use.hpp"
#include "plan_notes.hpp"
#include "plan_steps.hpp"
#include "rejected_algorithms.hpp"
#include "search.hpp"
#include "second_opinions.hpp"
#include "sharing.hpp"
#include "simplicity.hpp"
#include "tile_speeds.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/core/node_mapping.hpp"
#include "tilewright/core/units.hpp"
#include "tilewright/model/node_curve.hpp"
#include "uncertainty.hpp"
#include "wishes.hpp"

namespace tilewright {
namespace {

constexpr int all_nodes = std::numeric_limits<int>::max();

/// What a simpler plan may take longer than the fastest, as a part of its time: a poor measurement is no reason to
/// expect that a plan which looks half as fast is as good.
constexpr double most_given_up = 0.05;

void check(const SearchSpace& space) {
  if (space.threads && *space.threads < 1)
    throw ParameterError(fmt::format("{} threads: at least 1 is needed", *space.threads));
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
  ProcessGrid ranks{1, std::max(space.ranks.value_or(1), of_grid)};
  if (space.grid) ranks.mapping.ranks = space.grid->mapping.ranks;
  const std::string reason = why_not_shared(profile, space, ranks);
  if (!reason.empty()) throw ParameterError("transfers through shared memory are forced, but " + reason);
}

/// Throws ParameterError if files are to be read and written in parallel, and none can be.
void check_files(const Pipeline& pipeline, const MachineProfile& profile, const SearchSpace& space) {
  if (space.files != FileAccess::parallel) return;
  std::string reasons;
  for (int i = 0; i < static_cast<int>(pipeline.images.size()); ++i) {
    const Source* source = pipeline.images[static_cast<std::size_t>(i)].source.get();
    if (source == nullptr || source->is_resident()) continue;
    const std::string reason = why_not_in_parts(pipeline, i, profile, space);
    if (reason.empty()) return;
    reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", source->describe(), reason);
  }
  for (int i = 0; i < static_cast<int>(pipeline.outputs.size()); ++i) {
    const PipelineOutput& output = pipeline.outputs[static_cast<std::size_t>(i)];
    if (output.kind != OutputKind::write) continue;
    const std::string reason = why_not_written_in_parts(pipeline, i, profile, space);
    if (reason.empty()) return;
    reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", output.sink->describe(), reason);
  }
  if (!reasons.empty()) throw ParameterError("parallel access to files is forced, but cannot be had: " + reasons);
}

/// Of the same columns and rows: even tiles first, then as large as ranks are fast.
std::vector<ProcessGrid> cuts_of(const ProcessGrid& grid, const SearchSpace& space) {
  if (space.grid && space.grid->has_shares()) {
    return {with_shares(grid, space.grid->column_shares, space.grid->row_shares)};
  }
  const ProcessGrid by_speed = space.rank_speeds.empty() ? grid : shared_by_speed(grid, space.rank_speeds);
  if (space.tiles == TileSizes::less_on_root) return {};
  if (space.tiles == TileSizes::even || by_speed.is_even()) return {grid};
  if (space.tiles == TileSizes::by_speed) return {by_speed};
  return {grid, by_speed};
}

/// Of more ranks, the root has little to do for its tile anyway.
constexpr int most_ranks_fed_in_turn = 32;

/// Row strips whose ranks are fed in turn: as they are otherwise, with half of the root's part, and with none of it,
/// for a root that only communicates; nothing if that is not to be tried.
std::vector<ProcessGrid> cuts_fed_in_turn(const ProcessGrid& grid, const SearchSpace& space) {
  constexpr int fewest_ranks = 3;  // with two, nobody has his tile before another one
  const bool can_be = grid.x == 1 && grid.ranks() >= fewest_ranks && grid.ranks() <= most_ranks_fed_in_turn;
  if (!can_be || !space.in_turn.value_or(true)) return {};
  std::vector<ProcessGrid> cuts = cuts_of(grid, space);
  const bool may_have_less = !space.tiles || space.tiles == TileSizes::less_on_root;
  if (!may_have_less || (space.grid && space.grid->has_shares())) return cuts;
  for (const double part : {0.5, 0.0}) {
    if (auto less = with_less_on_root(grid, space.rank_speeds, part)) cuts.push_back(*std::move(less));
  }
  return cuts;
}

/// Throws ParameterError if unequal tiles are forced where nothing tells how unequal, or where they are of no use.
void check_tiles(const SearchSpace& space) {
  if (space.tiles == TileSizes::less_on_root && !space.in_turn.value_or(true)) {
    throw ParameterError("less on the root pays where it feeds the others in turn: do not forbid that beside it");
  }
  if (!space.tiles || space.tiles == TileSizes::even) return;
  if (space.grid && space.grid->has_shares()) {
    throw ParameterError(fmt::format("grid {} says how large tiles are: do not force them to be {}",
                                     to_string(*space.grid),
                                     space.tiles == TileSizes::by_speed ? "by speed" : "less on the root"));
  }
  if (space.tiles == TileSizes::by_speed && space.rank_speeds.empty()) {
    throw ParameterError(
        "tiles by speed are forced, but the profile knows of no node that is faster than others: calibrate on all "
        "nodes, or force the grid with its shares, as in 1x4[2:2:1:1]");
  }
}

/// That of images that are on the tiles of a grid.
Configuration configuration_of_sources(const ProcessGrid& grid, const SearchSpace& space) {
  if (grid.ranks() <= space.max_ranks && may_use_grid(space, grid)) return {grid.ranks(), grid};
  throw ParameterError(
      fmt::format("an image is on the tiles of {}, but another grid is forced, or fewer ranks were "
                  "started: bring it to the root first",
                  to_string(grid)));
}

/// On as many nodes as are asked for, as the forced grid has them.
std::vector<ProcessGrid> grids_to_try(int ranks, const SearchSpace& space, bool maps) {
  const int fewest_nodes = space.grid || space.ranks ? 1 : nodes_of(space.min_ranks, space.ranks_per_node);
  std::vector<ProcessGrid> found;
  for (const ProcessGrid& grid : grids_of(ranks)) {
    const bool is_forced = space.grid && space.grid->mapping.is_given();
    std::vector<NodeMapping> mappings{NodeMapping{}};
    if (maps) mappings = mappings_of(grid, space);
    if (is_forced) mappings = {space.grid->mapping};
    for (const NodeMapping& mapping : mappings) {
      if (!fills(grid, mapping) || (space.grid && !space.grid->matches(grid))) continue;
      const ProcessGrid mapped = with_mapping(grid, mapping);
      if (nodes_used(space, mapped) >= fewest_nodes) found.push_back(mapped);
    }
  }
  return found;
}

/// In the order of the rule for ties: fewer ranks first, then fewer columns, then even tiles; last those that are fed
/// in turn.
std::vector<Configuration> configurations(const Pipeline& pipeline, const MachineProfile& profile,
                                          const SearchSpace& space) {
  if (const auto grid = grid_of_sources(pipeline)) return {configuration_of_sources(*grid, space)};
  const bool maps = offers_mappings(profile, space);
  std::vector<Configuration> all;
  const int first = space.ranks.value_or(space.grid || maps ? 1 : space.min_ranks);
  const int last = space.ranks.value_or(space.max_ranks);
  if (space.or_one_rank && first > 1) all.push_back({1, {}});
  for (int ranks = first; ranks <= last; ++ranks) {
    const std::vector<ProcessGrid> grids = grids_to_try(ranks, space, maps);
    for (const ProcessGrid& grid : grids) {
      if (space.in_turn.value_or(false)) break;
      for (const ProcessGrid& cut : cuts_of(grid, space)) all.push_back({ranks, cut});
    }
    for (const ProcessGrid& grid : grids) {
      if (grid.mapping.is_in_blocks()) continue;
      for (const ProcessGrid& cut : cuts_fed_in_turn(grid, space)) all.push_back({ranks, cut, {}, true});
    }
  }
  const bool is_less_forced = space.tiles == TileSizes::less_on_root;
  if (all.empty() && (is_less_forced || space.in_turn.value_or(false))) {
    throw ParameterError(
        fmt::format("{} is forced, which takes row strips of 3 to {} ranks: start more ranks, or force no other grid",
                    is_less_forced ? "less on the root" : "feeding ranks in turn", most_ranks_fed_in_turn));
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

bool fits(const Plan& plan, const SearchSpace& space) {
  return space.node_memory <= 0 || node_bytes(plan) <= space.node_memory;
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

/// A candidate with its plan.
struct Choice {
  std::size_t index = 0;
  Plan plan;
  ErrorEffects effects = {};  ///< on its time
};

/// Told without their plans.
bool may_be_simpler(const Candidate& candidate, const Candidate& than) {
  if (candidate.changes_grid() != than.changes_grid()) return than.changes_grid();
  return candidate.configuration.ranks <= than.configuration.ranks;
}

/// Of the candidates that the profile cannot tell from the best one, that with the simplest plan; of equally simple
/// ones the first. A candidate can be told from it if it takes longer by more than the standard error of the best
/// one's time, by more than that of the difference, or by more than simplicity is worth. `make` makes the plan of a
/// candidate.
template <class Make>
Choice simplest_in_tie_zone(const SearchSpace& space, Search& search, Choice best_choice, ErrorSource& errors,
                            Make&& make) {
  const auto effects_of = [&](const Candidate& candidate) {
    return errors.effects(search.pricer_of(candidate), search.transitions(candidate));
  };
  const Candidate& best = search[best_choice.index];
  const ErrorEffects effects_of_best = effects_of(best);
  best_choice.effects = effects_of_best;
  const double error_of_best = standard_error(effects_of_best);
  best_choice.plan.uncertainty_seconds = errors.has_errors() ? std::optional(error_of_best) : std::nullopt;
  const double widest_zone = std::min(error_of_best, most_given_up * best.path->seconds);
  Choice choice = best_choice;
  for (std::size_t i = 0; i < search.size(); ++i) {  // one grid before two, fewer ranks first
    if (i == best_choice.index || !may_be_simpler(search[i], search[choice.index])) continue;
    if (!are_comparable(search[i], best, space)) continue;
    const Candidate& other = search.priced_within(i, best.path->seconds + widest_zone);
    if (!other.path || takes_too_many_node_hours(other, space)) continue;
    const double more = other.path->seconds - best.path->seconds;
    if (more > widest_zone) continue;
    const ErrorEffects effects = effects_of(other);
    const double zone = std::min(widest_zone, standard_error_of_difference(effects, effects_of_best));
    if (more > zone) continue;
    Plan plan = make(other);
    if (!fits(plan, space) || complexity_of(plan) >= complexity_of(choice.plan)) continue;
    if (best_choice.plan.uncertainty_seconds) plan.uncertainty_seconds = standard_error(effects);
    if (more > 0) plan.tie = TieZone{best.path->seconds, best.configuration.grid, zone};
    choice = {i, std::move(plan), effects};
  }
  return choice;
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

/// The best plan that fits, before ties are looked at.
struct Best {
  Choice choice;
  double lower_bound_s = 0;  ///< of plans on as many nodes, if the objective is node-hours, else of all
  bool is_proven = false;
};

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

/// None if there is none. `make` makes the plan of a candidate.
template <class Make>
std::optional<Best> find_best(const SearchSpace& space, Search& search, Make&& make) {
  check_budget(space, search, make);
  for (std::size_t i = 0; i < search.size(); ++i) refuse_beyond_budget(search, i, space);
  const CostOfSeconds weighed = cost_of_seconds(space);
  const auto cost = [&](int nodes, double seconds) { return weighed ? weighed(nodes, seconds) : seconds; };
  BestFirst best_first(search, all_nodes, weighed);
  while (const auto i = best_first.next()) {
    if (refuse_beyond_budget(search, *i, space)) continue;
    const int nodes = nodes_used(space, search[*i].configuration.grid);
    const double seconds = search[*i].path->seconds;
    std::optional<Plan> plan = fitting_plan(space, search, best_first, *i, make);
    if (!plan) continue;
    const double bound = cost(nodes_of(space.min_ranks, space.ranks_per_node), search.bound());
    const double least = cost(nodes, seconds);
    return Best{
        {*i, *std::move(plan)}, bound < least ? seconds * bound / least : seconds, !search.is_cut() && bound >= least};
  }
  return std::nullopt;
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

/// The best plan of a space that has been checked; none where one rank alone is better than those that are forced, if
/// it may take their place.
std::optional<Plan> best_plan(const Pipeline& pipeline, const MachineProfile& profile, const CostModel& model,
                              const SearchSpace& space) {
  const auto schedules = std::make_shared<KnownSchedules>();
  Search search(pipeline, profile, model, space, configurations(pipeline, profile, space), schedules);
  const auto make = [&](const Candidate& candidate) {
    return make_plan(pipeline, profile, model, space, search, candidate);
  };
  const std::optional<Best> best = find_best(space, search, make);
  if (!best) throw ParameterError("no plan is possible: " + why_no_plan(pipeline, profile, space, search));
  const int best_nodes = nodes_used(space, best->choice.plan.grid);
  ErrorSource errors(pipeline, profile, model, space, schedules);
  auto [chosen, plan, effects] = simplest_in_tie_zone(space, search, best->choice, errors, make);
  if (space.or_one_rank && plan.ranks == 1) return std::nullopt;
  add_alternatives(plan, space, search, chosen);
  add_rejected_algorithms(plan, profile, space, search.pricer_of(search[chosen]));
  add_rejected_files(plan, pipeline, profile, space, search.pricer_of(search[chosen]));
  plan.lower_bound_seconds = best->lower_bound_s;
  plan.proven_optimal = best->is_proven;
  add_proof(plan, space, search, search[chosen].path->seconds);
  add_unknowns(plan, profile, space);
  add_speeds(plan, space);
  add_hidden(plan);
  add_mapping(plan, space);
  add_overlaps(plan);
  add_wishes(plan, space, search[chosen].path->seconds);
  add_sources_of_error(plan, errors, effects);
  const std::vector<Transition> path = search.transitions(search[chosen]);
  for (std::string& note :
       extrapolations(pipeline, profile, model, space, search[chosen].configuration, path, schedules)) {
    plan.notes.push_back(std::move(note));
  }
  if (space.second_opinions) {
    std::string opinions = second_opinions(pipeline, profile, model, space, contenders(search, chosen), schedules);
    if (!opinions.empty()) plan.notes.push_back(std::move(opinions));
  }
  if (space.node_curve) plan.node_curve = node_curve(space, search, best_nodes, make);
  return std::move(plan);
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

TileSizes parse_tile_sizes(std::string_view text) {
  if (text == "even") return TileSizes::even;
  if (text == "by-speed") return TileSizes::by_speed;
  if (text == "less-on-root") return TileSizes::less_on_root;
  throw ParameterError(fmt::format("'{}' is no choice of tiles: use even, by-speed or less-on-root", text));
}

FileAccess parse_file_access(std::string_view text) {
  if (text == "root") return FileAccess::root;
  if (text == "parallel") return FileAccess::parallel;
  throw ParameterError(fmt::format("'{}' is no access to files: use root, parallel or auto", text));
}

Distribution parse_distribution(std::string_view text) {
  if (text == "scatter") return Distribution::scatter;
  if (text == "broadcast") return Distribution::broadcast;
  throw ParameterError(fmt::format("'{}' is no distribution: use scatter or broadcast", text));
}

bool may_use_grid(const SearchSpace& space, const ProcessGrid& grid) {
  const bool is_forced_grid = !space.grid || (space.grid->matches(grid) &&
                                              (!space.grid->mapping.is_given() || space.grid->mapping == grid.mapping));
  return space.ranks.value_or(grid.ranks()) == grid.ranks() && is_forced_grid && space.regrid != Regrid::always;
}

int threads_of_rank(const SearchSpace& space, const ProcessGrid& grid) {
  if (space.threads) return *space.threads;
  return std::max(1, std::min(space.cores_per_rank, space.cores_per_node / ranks_on_node(space, grid)));
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
  check_tiles(space);
  check_mapping(space);
  check_sharing(profile, space);
  check_files(pipeline, profile, space);
  if (wants_ranks_only(space) && !grid_of_sources(pipeline)) {
    SearchSpace or_one_rank = space;
    or_one_rank.or_one_rank = true;
    if (auto plan = best_plan(pipeline, profile, model, or_one_rank)) return *std::move(plan);
  }
  return *best_plan(pipeline, profile, model, space);
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
