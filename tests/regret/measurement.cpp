#include "measurement.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "contest.hpp"
#include "drift.hpp"
#include "machine_signs.hpp"
#include "planning.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/core/statistics.hpp"
#include "tilewright/scheduler/planner.hpp"

namespace tilewright::regret {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
/// After the first round a plan this much slower than the best of its rank count is a clear loser; later rounds are
/// stricter, for then there are more samples. Further rank counts compare with the best of all.
constexpr double first_tolerance = 1.3;
constexpr double later_tolerance = 1.12;
/// A processor has fast seconds and slow ones where strangers use the other half of its core, so what a plan takes is
/// told by samples all over the race: one for as many samples of others.
constexpr std::size_t others_between = 5;

/// Something that is raced: a plan, or the rival.
struct Runner {
  std::size_t index = 0;  ///< of the plan, or of the rival's rank count
  bool is_rival = false;
  int ranks = 1;
  double predicted_s = 0;
  std::vector<double> samples = {};  ///< of the race
  std::vector<double> fresh = {};    ///< taken afterwards
  std::vector<double> between = {};  ///< of the chosen plan: between those of others, from the first to the last
  bool waits = false;                ///< until another of its rank count has shown that it is within reach of the best
  bool dropped = false;
  bool kept = false;  ///< some figure is about it, so it stays in the race

  [[nodiscard]] double race_s() const { return median(samples); }
  /// Of a plan that was not chosen for its samples. The median, as predictions are made of medians.
  [[nodiscard]] double all_s() const {
    std::vector<double> all = samples;
    all.insert(all.end(), fresh.begin(), fresh.end());
    all.insert(all.end(), between.begin(), between.end());
    return median(all);
  }
};

/// The plans of a case, and which of them are whose choice.
struct Field {
  std::vector<Plan> plans;
  RankCounts counts;
  std::vector<int> rival_ranks;              ///< of these, where the rival runs
  std::size_t chosen = 0;                    ///< with the number of ranks free
  std::map<int, std::size_t> chosen_fixed;   ///< by number of ranks that are raced as a whole
  std::map<int, std::size_t> first_further;  ///< of further ones the plan that is predicted best
  std::optional<std::size_t> flat_strips, squarest;

  std::size_t add(Plan plan) {
    for (std::size_t i = 0; i < plans.size(); ++i) {
      const Plan& known = plans[i];
      if (known.steps == plan.steps && known.grid == plan.grid && known.threads == plan.threads) return i;
    }
    plans.push_back(std::move(plan));
    return plans.size() - 1;
  }
};

/// None if what the space forces is infeasible.
std::optional<Plan> plan_of(const Pipeline& pipeline, const MachineProfile& profile, const SearchSpace& space) {
  try {
    return plan_pipeline(pipeline, profile, "", space);
  } catch (const ParameterError&) {
    return std::nullopt;
  }
}

std::string tree_of(const Plan& plan) {
  for (const PlanStep& step : plan.steps) {
    if (step.algorithm) return std::string(to_string(*step.algorithm));
  }
  return {};
}

std::string distribution_of(const Plan& plan) {
  for (const PlanStep& step : plan.steps) {
    if (step.kind == StepKind::scatter || step.kind == StepKind::broadcast) return std::string(to_string(step.kind));
  }
  return {};
}

/// Every plan that options can force at so many ranks.
void add_forced(Field& field, int ranks, const Case& contested, const Pipeline& pipeline, const MachineProfile& profile,
                SearchSpace space) {
  const auto add = [&] {
    if (auto plan = plan_of(pipeline, profile, space)) field.add(*std::move(plan));
  };
  if (contested.pipeline.kind == Kind::wide_and_tall) {
    space.regrid = Regrid::always;
    add();
    space.regrid.reset();
  }
  for (const ProcessGrid& grid : grids_of(ranks)) {
    space.grid = GridPattern{grid.x, grid.y};
    for (const Algorithm tree : all_algorithms) {
      space.tree = tree;
      space.in_turn.reset();
      for (const TileSizes tiles : {TileSizes::by_speed, TileSizes::less_on_root}) {  // refused where there are none
        space.tiles = tiles;
        add();
      }
      space.tiles = TileSizes::even;
      space.in_turn = true;
      add();
      space.in_turn = false;
      add();
      space.overlap = false;
      auto plan = plan_of(pipeline, profile, space);
      space.overlap.reset();
      if (!plan) continue;
      const std::size_t index = field.add(*std::move(plan));
      if (ranks != contested.max_ranks) continue;
      if (grid.x == 1 && tree == Algorithm::oft) field.flat_strips = index;
      int dims[2] = {0, 0};
      MPI_Dims_create(ranks, 2, dims);
      if (grid.x == dims[1] && grid.y == dims[0] && tree == Algorithm::sbt) field.squarest = index;
    }
  }
}

/// One rank with all threads that it can have, and with one.
void add_threads(Field& field, const Pipeline& pipeline, const MachineProfile& profile, SearchSpace space) {
  const int most = threads_of_rank(space, {});
  for (const int threads : std::set<int>{1, most}) {
    space.threads = threads;
    if (auto plan = plan_of(pipeline, profile, space)) field.add(*std::move(plan));
  }
}

/// The plan that is predicted best, and every other one.
void add_ranks(Field& field, int ranks, std::map<int, std::size_t>& best, const Case& contested,
               const Pipeline& pipeline, const MachineProfile& profile, SearchSpace space) {
  space.ranks = ranks;
  if (auto plan = plan_of(pipeline, profile, space)) best[ranks] = field.add(*std::move(plan));
  if (ranks > 1) {
    add_forced(field, ranks, contested, pipeline, profile, space);
  } else {
    add_threads(field, pipeline, profile, space);
  }
}

Field field_of(const Case& contested, const Pipeline& pipeline, const MachineProfile& profile,
               const SearchSpace& unforced) {
  Field field;
  std::optional<Plan> chosen = plan_of(pipeline, profile, unforced);
  if (!chosen) throw RuntimeError(fmt::format("{}: no plan is possible", contested.name()));
  field.counts = rank_counts(contested.max_ranks, chosen->ranks);
  field.chosen = field.add(*std::move(chosen));
  std::vector<int> all = field.counts.whole;
  all.insert(all.end(), field.counts.further.begin(), field.counts.further.end());
  field.rival_ranks = rival_ranks(contested, all);
  for (const int ranks : field.counts.whole)
    add_ranks(field, ranks, field.chosen_fixed, contested, pipeline, profile, unforced);
  for (const int ranks : field.counts.further)
    add_ranks(field, ranks, field.first_further, contested, pipeline, profile, unforced);
  return field;
}

class Race {
 public:
  Race(Contest& contest, const Field& field, const Effort& effort, const std::function<void(const std::string&)>& tell)
      : contest_(contest), field_(field), effort_(effort), tell_(tell), random_(effort.seed) {
    for (std::size_t i = 0; i < field.plans.size(); ++i) {
      runners_.push_back({i, false, field.plans[i].ranks, field.plans[i].predicted_seconds.value_or(0), {}, {}});
    }
    for (std::size_t i = 0; i < field.rival_ranks.size(); ++i) {
      runners_.push_back({i, true, field.rival_ranks[i], 0, {}, {}});
    }
    for (Runner& runner : runners_) runner.waits = !runner.is_rival && is_further(runner) && !is_first(runner);
    keep(field.chosen);
    for (const auto& [ranks, index] : field.chosen_fixed) keep(index);
    for (const auto& index : {field.flat_strips, field.squarest}) {
      if (index) keep(*index);
    }
  }

  /// Connections and buffers are made at their first use.
  void warm_up() {
    tell_("warm-up");
    for (Runner& runner : runners_) {
      const bool full = runner.ranks == field_.counts.whole.back();
      if ((runner.kept && full) || (runner.is_rival && full)) (void)once(runner, {});
    }
  }

  void run() {
    for (int round = 0; round < effort_.rounds; ++round) {
      go_round([](const Runner& runner) { return !runner.dropped && !runner.waits; }, &Runner::samples,
               fmt::format("round {}", round + 1));
      if (round == 0) admit_further();
      drop(round == 0 ? first_tolerance : later_tolerance);
    }
    std::vector<int> counts = field_.counts.whole;
    counts.push_back(of_all);
    for (const int ranks : counts) {
      for (const bool rival : {false, true}) {
        if (Runner* best = best_of(ranks, rival)) best->kept = true;
      }
    }
    for (int sample = 0; sample < effort_.fresh_samples; ++sample) {
      go_round([](const Runner& runner) { return runner.kept; }, &Runner::fresh, "fresh samples");
    }
  }

  [[nodiscard]] const Runner& plan(std::size_t index) const { return runners_[index]; }
  [[nodiscard]] const std::vector<Runner>& runners() const { return runners_; }

  static constexpr int of_all = 0;  ///< rank counts

  /// The winner of the race, at a rank count or `of_all`; null if there is none.
  [[nodiscard]] Runner* best_of(int ranks, bool rival) {
    Runner* best = nullptr;
    for (Runner& runner : runners_) {
      if (runner.is_rival != rival || runner.samples.empty() || (ranks != of_all && runner.ranks != ranks)) continue;
      if (best == nullptr || runner.race_s() < best->race_s()) best = &runner;
    }
    return best;
  }

 private:
  void keep(std::size_t plan) { runners_[plan].kept = true; }

  double once(const Runner& runner, const Repeats& repeats) {
    return runner.is_rival ? contest_.run_rival(runner.index, repeats) : contest_.run_plan(runner.index, repeats);
  }

  /// One sample of each runner that takes part, in random order.
  void go_round(const std::function<bool(const Runner&)>& takes_part, std::vector<double> Runner::*samples,
                const std::string& what) {
    std::vector<Runner*> order;
    for (Runner& runner : runners_) {
      if (takes_part(runner)) order.push_back(&runner);
    }
    std::shuffle(order.begin(), order.end(), random_);
    for (std::size_t i = 0; i < order.size(); ++i) {
      tell_(fmt::format("{}, {} of {}", what, i + 1, order.size()));
      Runner& runner = *order[i];
      (runner.*samples).push_back(once(runner, repeats_of(runner)));
      Runner& chosen = runners_[field_.chosen];
      if (i % others_between == others_between - 1) chosen.between.push_back(once(chosen, repeats_of(chosen)));
    }
  }

  [[nodiscard]] Repeats repeats_of(const Runner& runner) const {
    const double known_s = runner.samples.empty() ? runner.predicted_s : runner.race_s();
    return repeats_for(known_s > 0 ? known_s : effort_.window_s / 2, effort_.window_s);
  }

  [[nodiscard]] bool is_further(const Runner& runner) const {
    const std::vector<int>& further = field_.counts.further;
    return std::find(further.begin(), further.end(), runner.ranks) != further.end();
  }
  [[nodiscard]] bool is_first(const Runner& runner) const {
    const auto first = field_.first_further.find(runner.ranks);
    return first != field_.first_further.end() && first->second == runner.index;
  }

  /// Those that waited run their first round, or drop out without one.
  void admit_further() {
    const double reach_s = first_tolerance * best_of(of_all, false)->race_s();
    for (Runner& runner : runners_) {
      if (!runner.waits) continue;
      const auto first = field_.first_further.find(runner.ranks);
      runner.waits = first != field_.first_further.end() && runners_[first->second].race_s() <= reach_s;
      runner.dropped = !runner.waits;
    }
    go_round([](const Runner& runner) { return runner.waits; }, &Runner::samples, "round 1 of further rank counts");
    for (Runner& runner : runners_) runner.waits = false;
  }

  void drop(double tolerance) {
    for (Runner& runner : runners_) {
      const bool further = is_further(runner);
      if (runner.kept || runner.dropped || (runner.is_rival && !further)) continue;
      const Runner& best = *best_of(further ? of_all : runner.ranks, runner.is_rival);
      runner.dropped = runner.race_s() > tolerance * best.race_s();
    }
  }

  Contest& contest_;
  const Field& field_;
  const Effort& effort_;
  const std::function<void(const std::string&)>& tell_;
  std::mt19937 random_;
  std::vector<Runner> runners_;
};

/// The regret of `chosen` against `best`, by fresh samples: none if it is the faster one after all.
double regret_of(const Runner& chosen, const Runner& best) {
  return std::max(0.0, mean(chosen.fresh) / mean(best.fresh) - 1);
}

bool is_transfer(const PlanStep& step) {
  return transfer_kind(step.kind).has_value();
}

/// Of the steps that are transfers, or of those that are not.
double sum_of_steps(const Plan& measured, bool of_transfers) {
  double sum = 0;
  for (const PlanStep& step : measured.steps) {
    if (is_transfer(step) == of_transfers) sum += step.measured_seconds.value_or(0);
  }
  return sum;
}

/// What the transfers take in one run: one by one, or, where some of them pass at the same time, what a run takes
/// beyond its other steps.
double transfers_s(Contest& contest, std::size_t plan, const Plan& measured, int warm_up) {
  const bool at_the_same_time =
      std::any_of(measured.steps.begin(), measured.steps.end(), [](const PlanStep& step) { return step.in_turn; });
  if (!at_the_same_time) return sum_of_steps(measured, true);
  return contest.run_plan(plan, {warm_up, 1}) - sum_of_steps(measured, false);
}

/// A transfer as it can be measured: by itself, or, where it passes while ranks compute, together with that step, for
/// what is left of it slows that down as well.
struct TimedTransfer {
  const PlanStep* step = nullptr;
  double predicted_s = 0;
  double measured_s = 0;
};

std::vector<TimedTransfer> timed_transfers(const Plan& run) {
  std::vector<TimedTransfer> all;
  for (std::size_t i = 0; i < run.steps.size(); ++i) {
    const PlanStep& step = run.steps[i];
    if (!is_transfer(step)) continue;
    TimedTransfer timed{&step};
    for (std::size_t part = i; part <= i + (step.overlapped ? 1 : 0); ++part) {
      timed.predicted_s += run.steps[part].predicted_seconds.value_or(0);
      timed.measured_s += run.steps[part].measured_seconds.value_or(0);
    }
    if (step.overlapped) timed.predicted_s -= step.hidden_seconds;
    all.push_back(timed);
  }
  return all;
}

/// Transfers of one kind, algorithm and size are one row: the median over all of them and over the runs.
void add_transfers(const std::vector<Plan>& runs, std::vector<TransferRow>& rows) {
  const auto algorithm_of = [](const PlanStep& step) -> std::string {
    if (step.overlapped) return "overlapped";
    return step.algorithm ? std::string(to_string(*step.algorithm)) : std::string();
  };
  std::map<std::tuple<StepKind, std::string, std::int64_t>, std::vector<TimedTransfer>> groups;
  for (const Plan& run : runs) {
    for (const TimedTransfer& timed : timed_transfers(run)) {
      groups[{timed.step->kind, algorithm_of(*timed.step), timed.step->bytes}].push_back(timed);
    }
  }
  for (const auto& [key, transfers] : groups) {
    TransferRow row{std::string(to_string(std::get<0>(key))), to_string(runs.front().grid), std::get<1>(key), 0, 0,
                    static_cast<double>(std::get<2>(key))};
    std::vector<double> measured;
    for (const TimedTransfer& timed : transfers) {
      row.predicted_s += timed.predicted_s / static_cast<double>(transfers.size());
      measured.push_back(timed.measured_s);
    }
    row.measured_s = median(measured);
    rows.push_back(row);
  }
}

void add_plans(const Race& race, const Field& field, CaseResult& result) {
  std::vector<double> predicted, measured;
  for (const Runner& runner : race.runners()) {
    if (runner.is_rival || runner.samples.empty()) continue;
    const Plan& plan = field.plans[runner.index];
    const double seconds = runner.fresh.empty() ? runner.race_s() : mean(runner.fresh);
    result.plans.push_back({to_string(plan.grid), plan.ranks, tree_of(plan), distribution_of(plan), runner.predicted_s,
                            seconds,
                            static_cast<int>(runner.samples.size() + runner.fresh.size() + runner.between.size()),
                            runner.dropped, runner.index == field.chosen});
    predicted.push_back(runner.predicted_s);
    measured.push_back(seconds);
  }
  result.kendall_tau = predicted.size() > 1 ? kendall_tau_b(predicted, measured) : nan;
}

void add_habits(Race& race, const Field& field, const Case& contested, double best_s, CaseResult& result) {
  const auto add = [&](const std::string& habit, const Runner* runner) {
    const double seconds = runner == nullptr || runner->fresh.empty() ? nan : mean(runner->fresh);
    result.habits.push_back({habit, seconds, std::max(0.0, seconds / best_s - 1)});
    if (std::isnan(seconds)) result.habits.back().regret = nan;
  };
  const auto plan = [&](const std::optional<std::size_t>& index) { return index ? &race.plan(*index) : nullptr; };
  add("1xP OFT", plan(field.flat_strips));
  add("MPI_Dims_create SBT", plan(field.squarest));
  add("MPI_Scatterv row strips", race.best_of(contested.max_ranks, true));
  const auto all = field.chosen_fixed.find(contested.max_ranks);
  add("all nodes", all == field.chosen_fixed.end() ? nullptr : &race.plan(all->second));
}

/// Of a plan's transfers: as many runs as go before the middle one of those that are timed in the race, or more. After
/// a run of the rival caches need a dozen until they hold what they hold where runs go on, and hundreds where runs are
/// short.
int transfer_warm_up(const Plan& plan, const Effort& effort) {
  if (effort.transfer_warm_up == 0) return 0;
  const Repeats raced = repeats_for(plan.predicted_seconds.value_or(1), effort.window_s);
  return std::max(effort.transfer_warm_up, raced.warm_up + raced.timed / 2);
}

/// The plan's and the rival's transfers at the most ranks, in turns.
void compare_transfers(Contest& contest, const Field& field, const Effort& effort, CaseResult& result) {
  for (const auto& [ranks, index] : field.chosen_fixed) {
    if (ranks == 1) continue;
    const bool at_most_ranks = ranks == field.counts.whole.back();
    const auto rival = std::find(field.rival_ranks.begin(), field.rival_ranks.end(), ranks);
    const bool is_compared = at_most_ranks && rival != field.rival_ranks.end();
    const auto index_of_rival = static_cast<std::size_t>(rival - field.rival_ranks.begin());
    const int warm_up = transfer_warm_up(field.plans[index], effort);
    std::vector<Plan> runs;
    std::vector<double> plan_s, rival_s;
    for (int turn = 0; turn < effort.transfer_turns; ++turn) {
      for (int sample = 0; sample < effort.transfer_samples / effort.transfer_turns; ++sample) {
        runs.push_back(contest.run_separately(index, warm_up));
        plan_s.push_back(transfers_s(contest, index, runs.back(), warm_up));
      }
      if (!is_compared) continue;
      for (int sample = 0; sample < effort.transfer_samples / effort.transfer_turns; ++sample)
        rival_s.push_back(contest.run_rival_separately(index_of_rival, effort.transfer_warm_up).transfers_s);
    }
    add_transfers(runs, result.transfers);
    if (!at_most_ranks) continue;
    result.plan_transfers_s = median(plan_s);
    if (is_compared) result.baseline_transfers_s = median(rival_s);
  }
}

/// On the root: everything but transfers and the serving of the other ranks.
CaseResult race_case(const Case& contested, const Ground& ground, const Effort& effort, const Field& field,
                     const Pipeline& pipeline, const MachineProfile& profile, Contest& contest, CaseResult result,
                     const std::function<void(const std::string&)>& tell) {
  Race race(contest, field, effort, tell);
  race.run();
  tell("operators once more");
  const double now_s = predicted_now_s(field.plans[field.chosen], pipeline, profile, effort.operators_s);
  result.id = case_id(ground, contested);
  result.pipeline = to_string(contested.pipeline.kind);
  result.width = contested.image.width;
  result.height = contested.image.height;
  result.max_ranks = contested.max_ranks;
  result.network = ground.network;
  result.shares = ground.shares;
  result.model = field.plans[field.chosen].model;
  const Runner& chosen = race.plan(field.chosen);
  const Runner& best = *race.best_of(Race::of_all, false);
  result.predicted_s = chosen.predicted_s;
  result.predicted_now_s = now_s;
  result.measured_s = chosen.all_s();
  result.regret_free = regret_of(chosen, best);
  std::vector<double> regrets;
  for (const auto& [ranks, index] : field.chosen_fixed) {
    if (ranks == 1) continue;  // there is nothing to choose
    result.fixed.push_back({ranks, regret_of(race.plan(index), *race.best_of(ranks, false))});
    regrets.push_back(result.fixed.back().regret);
  }
  result.regret_fixed = mean(regrets);
  add_plans(race, field, result);
  add_habits(race, field, contested, std::min(mean(best.fresh), mean(chosen.fresh)), result);
  if (const Runner* rival = race.best_of(Race::of_all, true)) {
    result.baseline_best_s = mean(rival->fresh);
    result.baseline_best_ranks = rival->ranks;
  }
  return result;
}

}  // namespace

Effort effort_for(const Ground& ground) {
  // Where transfers take less than a millisecond, several of five runs may be disturbed. They take up to twice as long
  // in a run after that of another program, which has left its images in the caches; plans are raced, and predicted,
  // as their runs follow each other. The rival sleeps where it waits, and hosts move processors that sleep: after that
  // short messages take up to half as long again for tens of milliseconds.
  if (ground.network == "shared memory")
    return {.rounds = 3,
            .fresh_samples = 5,
            .transfer_samples = 15,
            .transfer_turns = 1,
            .transfer_warm_up = 12,
            .transfer_attempts = 4,
            .window_s = 0.03};
  if (ground.smallest_share() < 5) return {.rounds = 2, .fresh_samples = 3, .window_s = 2, .operators_s = 10};
  return {};
}

namespace {

/// What is raced, and its transfers; on the root.
struct Prepared {
  MachineProfile profile;
  Field field;
  CaseResult transfers;
};

/// Collective.
Prepared prepare(const Case& contested, const Effort& effort, const Pipeline& pipeline, MachineProfile profile,
                 const Communicator& communicator, const std::function<void(const std::string&)>& tell) {
  Prepared prepared{std::move(profile), {}, {}};
  if (communicator.is_root()) {
    SearchSpace space = search_space_for_run({}, &prepared.profile, communicator);
    space.max_ranks = contested.max_ranks;
    space.node_memory = contested.node_memory;
    space.second_opinions = false;
    prepared.field = field_of(contested, pipeline, prepared.profile, space);
  }
  Contest contest(contested, prepared.field.plans, prepared.field.rival_ranks, communicator);
  if (!communicator.is_root()) {
    contest.serve();
    return prepared;
  }
  Race(contest, prepared.field, effort, tell).warm_up();
  tell("transfers");
  compare_transfers(contest, prepared.field, effort, prepared.transfers);
  return prepared;
}

}  // namespace

CaseResult measure_case(const Case& contested, const Ground& ground, const Effort& effort,
                        const std::function<MachineProfile()>& profile_now, const Communicator& communicator,
                        const std::function<void(const std::string&)>& tell) {
  const Pipeline pipeline = record_choice(contested.pipeline, contested.image);
  Prepared prepared;
  for (int attempt = 1;; ++attempt) {
    const bool is_last = attempt == effort.transfer_attempts;
    const MachineSigns before = is_last ? MachineSigns() : machine_signs(communicator);
    prepared = prepare(contested, effort, pipeline, profile_now(), communicator, tell);
    if (is_last || communicator.of_root(tell_the_same(before, machine_signs(communicator)))) break;
    if (communicator.is_root()) tell("the machine has changed");
  }
  Contest contest(contested, prepared.field.plans, prepared.field.rival_ranks, communicator);
  if (communicator.is_root()) {
    return race_case(contested, ground, effort, prepared.field, pipeline, prepared.profile, contest,
                     std::move(prepared.transfers), tell);
  }
  contest.serve();
  return {};
}

}  // namespace tilewright::regret
