// How well transfers between the ranks of a node are predicted: those of the proving ground's pipelines in shared
// memory, on row strips, each run after some of the same. Before each round over them the machine is measured again
// (tilewright calibrate --refresh), so that its drift since the calibration can be told from what is wrong with prices;
// and they are compared with what prices would be if no run found anything in the caches. How far the times of two
// rounds lie apart tells the machine's own part in an error.
//
//   mpiexec -n 2 transfers_benchmark --machine NAME [--rounds N]
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "planning.hpp"
#include "regret/cases.hpp"
#include "regret/pipelines.hpp"
#include "regret/plan_runs.hpp"
#include "tilewright/benchdb/store.hpp"
#include "tilewright/calibrate/refresh.hpp"
#include "tilewright/core/statistics.hpp"
#include "tilewright/core/units.hpp"
#include "tilewright/runtime/executor.hpp"
#include "tilewright/scheduler/planner.hpp"
#include "tilewright/session/failure.hpp"

namespace tilewright {
namespace {

using regret::Case;

constexpr double refresh_s = 4;  // of each round: operators, and messages as long
constexpr double warm_up_s = 0.01;
constexpr int fewest_runs_before = 8;
constexpr int timed_runs = 3;

struct Options {
  std::string database, machine;
  int rounds = 9;
};

/// What a model says, round by round: the machine may change between two of them.
struct Predictions {
  std::vector<double> seconds;
  std::vector<double> ratios;  ///< to what was measured in the same round
};

struct Transfer {
  std::vector<double> measured_s;
  Predictions as_calibrated, now, cold_now;
};
/// By case, kind, algorithm, size and packing: plans may change with the machine.
using Transfers = std::map<std::string, Transfer>;
using Seconds = std::map<std::string, double>;

std::string name_of(const Case& one, const PlanStep& step) {
  std::string bytes = step.bytes > 0 ? ", " + format_bytes(step.bytes) : "";  // of messages
  if (step.packing && step.packing != Packing::datatype) bytes += fmt::format(", {}", to_string(*step.packing));
  return fmt::format("{}: {}{}{}{}", one.name(), to_string(step.kind), step.algorithm ? " " : "",
                     step.algorithm ? to_string(*step.algorithm) : "", bytes);
}

/// What is timed by itself.
bool is_timed(const PlanStep& step) {
  return transfer_kind(step.kind).has_value() && !step.overlapped;
}

/// The medians over runs of a plan; predicted, if they were not timed.
Seconds seconds_of(const std::vector<Plan>& runs, const Case& one) {
  std::map<std::string, std::vector<double>> all;
  for (const Plan& run : runs) {
    for (const PlanStep& step : run.steps) {
      const auto seconds = step.measured_seconds ? step.measured_seconds : step.predicted_seconds;
      if (is_timed(step)) all[name_of(one, step)].push_back(seconds.value_or(0));
    }
  }
  Seconds medians;
  for (const auto& [name, seconds] : all) medians[name] = median(seconds);
  return medians;
}

void compare(const Seconds& predicted, const Seconds& measured, Predictions Transfer::*to, Transfers& transfers) {
  for (const auto& [name, seconds] : predicted) {
    const auto found = measured.find(name);
    if (found == measured.end()) continue;
    (transfers[name].*to).seconds.push_back(seconds);
    (transfers[name].*to).ratios.push_back(seconds / found->second);
  }
}

SearchSpace space_of(const MachineProfile& profile, const Communicator& communicator) {
  SearchSpace space = search_space_for_run({}, &profile, communicator);
  space.ranks = space.max_ranks;
  space.grid = GridPattern{1, communicator.ranks()};
  space.overlap = false;
  space.second_opinions = false;
  return space;
}

Plan cold_plan(const Pipeline& pipeline, const MachineProfile& profile, const SearchSpace& space) {
  return plan_pipeline(pipeline, profile, *make_cost_model("", profile), space);
}

/// With what its steps took in one run after others of the same. Collective.
Plan timed(const Plan& plan, const Pipeline& pipeline, const Communicator& communicator) {
  const ExecutablePlan executable(plan, pipeline, communicator);
  const auto enough = static_cast<int>(warm_up_s / plan.predicted_seconds.value_or(warm_up_s));
  return regret::run_in_steps(executable, std::max(fewest_runs_before, enough));
}

Transfers measure(const Options& options, const Communicator& communicator) {
  MachineProfile profile;
  if (communicator.is_root())
    profile = Store(default_database(options.database), OpenMode::existing).profile(options.machine);
  const SearchSpace space = communicator.is_root() ? space_of(profile, communicator) : SearchSpace();
  const std::vector<Case> cases = regret::cases_of({.network = "shared memory", .shares = "100"}, false);
  std::vector<Pipeline> pipelines;
  for (const Case& one : cases) pipelines.push_back(regret::record_choice(one.pipeline, one.image));
  Transfers transfers;
  for (int round = 0; round < options.rounds; ++round) {
    const MachineProfile now = profile.with_refresh(measure_refresh(communicator, profile, refresh_s).refresh);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      std::vector<Plan> plans;
      if (communicator.is_root()) plans.push_back(plan_pipeline(pipelines[i], now, "", space));
      const Plan plan = regret::on_all_ranks(plans, communicator).front();
      std::vector<Plan> runs;
      for (int run = 0; run < timed_runs; ++run) runs.push_back(timed(plan, pipelines[i], communicator));
      if (!communicator.is_root()) continue;
      const Seconds measured = seconds_of(runs, cases[i]);
      for (const auto& [name, seconds] : measured) transfers[name].measured_s.push_back(seconds);
      const auto predicted = [&](const Plan& one) { return seconds_of({one}, cases[i]); };
      compare(predicted(plan_pipeline(pipelines[i], profile, "", space)), measured, &Transfer::as_calibrated,
              transfers);
      compare(predicted(plan), measured, &Transfer::now, transfers);
      compare(predicted(cold_plan(pipelines[i], now, space)), measured, &Transfer::cold_now, transfers);
    }
  }
  return transfers;
}

/// Of predictions of one kind.
struct Errors {
  std::string what;
  Predictions Transfer::*predicted;
  std::vector<double> all = {};
};

/// Of a time that is told by what the same transfer took in the round before.
std::vector<double> errors_by_round_before(const Transfers& transfers) {
  std::vector<double> errors;
  for (const auto& [name, transfer] : transfers) {
    const std::vector<double>& all = transfer.measured_s;
    for (std::size_t round = 1; round < all.size(); ++round)
      errors.push_back(std::abs(all[round - 1] / all[round] - 1));
  }
  return errors;
}

void print_errors(const std::string& what, const std::vector<double>& errors) {
  if (errors.empty()) return;
  fmt::print("{:<20} mean error {:.1f} %, nine in ten within {:.1f} %, of {}\n", what, 100 * mean(errors),
             100 * quantile(errors, 0.9), errors.size());
}

void print(const Transfers& transfers) {
  std::vector<Errors> kinds{{"as calibrated", &Transfer::as_calibrated},
                            {"as it is now", &Transfer::now},
                            {"the same, all cold", &Transfer::cold_now}};
  fmt::print("{:<68} {:>20}", "transfer, on row strips", "measured (quartiles)");
  for (const Errors& kind : kinds) fmt::print(" {:>20}", kind.what);
  fmt::print("\n");
  for (const auto& [name, transfer] : transfers) {
    if (transfer.measured_s.empty()) continue;
    const double seconds = median(transfer.measured_s);
    fmt::print("{:<68} {:>6.1f} ({:.1f}-{:.1f}) us", name, 1e6 * seconds, 1e6 * quantile(transfer.measured_s, 0.25),
               1e6 * quantile(transfer.measured_s, 0.75));
    for (Errors& kind : kinds) {
      const Predictions& predicted = transfer.*kind.predicted;
      if (predicted.ratios.empty()) {  // where it would be made in another way
        fmt::print(" {:>20}", "-");
        continue;
      }
      const double error = median(predicted.ratios) - 1;
      kind.all.push_back(std::abs(error));
      fmt::print(" {:>10.1f} {:>+7.1f} %", 1e6 * median(predicted.seconds), 100 * error);
    }
    fmt::print("\n");
  }
  for (const Errors& kind : kinds) print_errors(kind.what, kind.all);
  print_errors("by the round before", errors_by_round_before(transfers));
}

}  // namespace
}  // namespace tilewright

int main(int argc, char** argv) {
  using namespace tilewright;
  Options options;
  CLI::App app("How well transfers between ranks that share memory are predicted, on this machine");
  app.add_option("--db", options.database, "database (default as for tilewright)");
  app.add_option("--machine", options.machine, "profile of these ranks")->required();
  app.add_option("--rounds", options.rounds, "over all pipelines")->check(CLI::Range(1, 1000));
  CLI11_PARSE(app, argc, argv);
  install_failure_handler();
  Communicator communicator = Communicator::start();
  try {
    const Transfers transfers = measure(options, communicator);
    if (communicator.is_root()) print(transfers);
  } catch (const std::exception& error) {
    fail(error);
  }
  communicator.finish();
  return 0;
}
