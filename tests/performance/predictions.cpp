// How well one rank's computing is predicted: the proving ground's pipelines on tiles of 64² to 4096², predicted from a
// profile and measured, in rounds over all of them. The profile's sentinels are measured after each visit, so that the
// machine's drift since its calibration can be told from what is wrong with the predictions. With several threads,
// visits in which processors were far from each other are told apart, too: a host moves virtual ones, every few
// seconds.
//
//   predictions_benchmark --machine NAME [--largest SIDE] [--only TEXT] [--rounds N] [--threads N] [--steps]
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <numeric>
#include <optional>
#include <thread>

#include "regret/pipelines.hpp"
#include "tilewright/benchdb/store.hpp"
#include "tilewright/calibrate/sentinels.hpp"
#include "tilewright/core/statistics.hpp"
#include "tilewright/core/units.hpp"
#include "tilewright/runtime/executor.hpp"
#include "tilewright/scheduler/planner.hpp"
#include "tilewright/session/failure.hpp"

namespace tilewright {
namespace {

using regret::Kind;
using regret::PipelineChoice;

constexpr double asked_error = 0.1;
constexpr double seconds_a_visit = 50e-3;
constexpr double sentinels_s = 20e-3;        // after each visit
constexpr std::int64_t largest_bank = 1024;  // larger ones take as long as everything else together

struct Options {
  std::string database, machine;
  std::string only;  ///< cases whose name has this in it
  std::int64_t largest = 4096;
  int rounds = 9;
  int threads = 1;  ///< that a plan may choose
  bool steps = false;
};

struct Step {
  std::string name;
  double predicted_s = 0;
  std::vector<double> seconds = {};
};

struct Case {
  PipelineChoice choice;
  std::int64_t side = 0;
  double predicted_s = 0;
  std::vector<double> seconds = {};
  std::vector<double> drifts = {};  ///< of the machine, at each visit; none where the profile has no sentinels
  std::vector<double> trips = {};   ///< trip_seconds(), at each visit, of several threads
  std::vector<Step> steps = {};     ///< if asked for

  [[nodiscard]] std::string name() const {
    // Of a chain, the first scale names it.
    const auto named = choice.kind == Kind::bank ? choice.sigmas : std::vector<double>{choice.sigmas.front()};
    return fmt::format("{} s{:g} {}x{}", regret::to_string(choice.kind), fmt::join(named, ","), side, side);
  }
  [[nodiscard]] double error() const { return predicted_s / median(seconds) - 1; }
  /// What is left of it without the drift, visit by visit.
  [[nodiscard]] double error_without_drift() const {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < drifts.size(); ++i) ratios.push_back(predicted_s * (1 + drifts[i]) / seconds[i]);
    return ratios.empty() ? error() : median(ratios) - 1;
  }
};

/// Of a word from one thread to another and back. Near processors share a cache; far ones take five times as long.
double trip_seconds() {
  constexpr int trips = 3000;
  std::atomic<int> word{0};
  std::thread other([&] {
    for (int trip = 0; trip < trips; ++trip) {
      while (word.load(std::memory_order_acquire) != 2 * trip + 1) {
      }
      word.store(2 * trip + 2, std::memory_order_release);
    }
  });
  std::vector<double> seconds;
  for (int trip = 0; trip < trips; ++trip) {
    const auto start = std::chrono::steady_clock::now();
    word.store(2 * trip + 1, std::memory_order_release);
    while (word.load(std::memory_order_acquire) != 2 * trip + 2) {
    }
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  other.join();
  return median(seconds);
}

std::vector<Case> cases(const Options& options) {
  std::vector<Case> all;
  for (std::int64_t side = 64; side <= options.largest; side *= 2) {
    for (const double sigma : {1.0, 3.0, 5.0}) {
      for (const Kind kind : {Kind::one_derivative, Kind::five_derivatives, Kind::gradient_threshold}) {
        all.push_back({{.kind = kind, .sigmas = {sigma}}, side});
      }
    }
    all.push_back({{.kind = Kind::chain, .sigmas = {1, 2, 3}}, side});
    all.push_back({{.kind = Kind::iterations}, side});
    if (side > largest_bank) continue;
    for (const std::vector<double>& sigmas : {std::vector<double>{2}, std::vector<double>{1, 3}}) {
      all.push_back({{.kind = Kind::bank, .sigmas = sigmas}, side});
    }
  }
  std::erase_if(all, [&](const Case& one) { return one.name().find(options.only) == std::string::npos; });
  if (all.empty()) throw ParameterError(fmt::format("no case has '{}' in its name", options.only));
  return all;
}

/// Runs `once`, which returns the seconds of its parts, for a visit's time, and returns each part's mean. The first
/// fifth, two runs at least, takes memory and does not count. All of what is left counts, for where a rank has a share
/// of a core its time comes in slices, between which most runs never wait.
template <class Once>
std::vector<double> mean_seconds(const Once& once) {
  const auto runs_of = [&](double wanted_s, int fewest) {
    std::vector<double> means;
    int runs = 0;
    for (double spent_s = 0; runs < fewest || spent_s < wanted_s; ++runs) {
      const std::vector<double> parts = once();
      means.resize(parts.size());
      std::ranges::transform(means, parts, means.begin(), std::plus());
      spent_s += std::accumulate(parts.begin(), parts.end(), 0.0);
    }
    for (double& mean : means) mean /= runs;
    return means;
  };
  (void)runs_of(seconds_a_visit / 5, 2);
  return runs_of(seconds_a_visit, 5);
}

/// Results live until the next run is done, as those of a program do.
double visit(const ExecutablePlan& plan) {
  ExecutionResult results;
  return mean_seconds([&] {
           const auto start = std::chrono::steady_clock::now();
           results = plan.execute();
           return std::vector{std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
         })
      .front();
}

void visit_steps(Case& one, const ExecutablePlan& executable, const Plan& plan) {
  if (one.steps.empty()) {
    for (const PlanStep& step : plan.steps) {
      one.steps.push_back({fmt::format("{} {:.60}", to_string(step.kind), step.operation), *step.predicted_seconds});
    }
  }
  ExecutionResult results;
  const std::vector<double> seconds = mean_seconds([&] {
    results = executable.execute({.timing = Timing::each_step});
    std::vector<double> of_steps;
    for (const PlanStep& step : results.trace.plan.steps) of_steps.push_back(*step.measured_seconds);
    return of_steps;
  });
  for (std::size_t i = 0; i < one.steps.size(); ++i) one.steps[i].seconds.push_back(seconds[i]);
}

void measure(std::vector<Case>& all, const MachineProfile& profile, const Options& options) {
  const Communicator alone = Communicator::alone();
  const auto model = make_cost_model("", profile);
  SearchSpace space;
  space.max_ranks = 1;
  space.cores_per_node = options.threads;
  for (int round = 0; round < options.rounds; ++round) {
    for (Case& one : all) {
      const Pipeline pipeline = regret::record_choice(one.choice, {one.side, one.side});
      const Plan plan = plan_pipeline(pipeline, profile, *model, space);
      if (!plan.predicted_seconds) throw ParameterError(one.name() + ": the profile lacks what it is priced by");
      one.predicted_s = *plan.predicted_seconds;
      const ExecutablePlan executable(plan, pipeline, alone);
      const double trip_before_s = options.threads > 1 ? trip_seconds() : 0;
      one.seconds.push_back(visit(executable));
      if (options.threads > 1) one.trips.push_back(std::max(trip_before_s, trip_seconds()));
      std::vector<double> drifts;
      for (const Sentinel& sentinel : measure_sentinel_operators(profile, sentinels_s))
        drifts.push_back(sentinel.drift());
      if (!drifts.empty()) one.drifts.push_back(median(drifts));
      if (options.steps) visit_steps(one, executable, plan);
    }
  }
}

void print_sum(const char* what, const std::vector<double>& errors) {
  const auto within = std::count_if(errors.begin(), errors.end(), [](double error) { return error <= asked_error; });
  fmt::print("{}: mean error {:.1f} %, nine in ten within {:.1f} %, worst {:.1f} %; {:.0f} % within {:.0f} %\n", what,
             100 * mean(errors), 100 * quantile(errors, 0.9), 100 * *std::max_element(errors.begin(), errors.end()),
             100.0 * static_cast<double>(within) / static_cast<double>(errors.size()), 100 * asked_error);
}

/// Of the visits in which a word did not take longer than that; none if there were none.
std::optional<double> error_of_near(const Case& one, double longest_trip_s) {
  std::vector<double> seconds;
  for (std::size_t i = 0; i < one.trips.size(); ++i) {
    if (one.trips[i] <= longest_trip_s) seconds.push_back(one.seconds[i]);
  }
  if (seconds.empty()) return std::nullopt;
  return one.predicted_s / median(seconds) - 1;
}

void print_near(const std::vector<Case>& all) {
  std::vector<double> trips;
  for (const Case& one : all) trips.insert(trips.end(), one.trips.begin(), one.trips.end());
  if (trips.empty()) return;
  std::ranges::sort(trips);
  const double longest_s = 2 * quantile(trips, 0.1);
  const auto far = std::ranges::count_if(trips, [&](double trip_s) { return trip_s > longest_s; });
  fmt::print("a word went from one thread to the other and back in {} to {}; in {} of {} visits processors were far\n",
             format_seconds(trips.front()), format_seconds(trips.back()), far, trips.size());
  std::vector<double> errors;
  for (const Case& one : all) {
    if (const auto error = error_of_near(one, longest_s)) errors.push_back(std::abs(*error));
  }
  print_sum(fmt::format("the other visits, {} cases", errors.size()).c_str(), errors);
}

void print(const std::vector<Case>& all, int threads) {
  std::vector<double> errors, without_drift;
  fmt::print("{:<36} {:>12} {:>12} {:>8} {:>15}\n", fmt::format("one rank, up to {} threads", threads), "predicted",
             "measured", "error", "without drift");
  for (const Case& one : all) {
    errors.push_back(std::abs(one.error()));
    without_drift.push_back(std::abs(one.error_without_drift()));
    fmt::print("{:<36} {:>12} {:>12} {:>+7.1f} % {:>+13.1f} %{}\n", one.name(), format_seconds(one.predicted_s),
               format_seconds(median(one.seconds)), 100 * one.error(), 100 * one.error_without_drift(),
               without_drift.back() > asked_error ? "  over" : "");
    for (const Step& step : one.steps) {
      const double seconds = median(step.seconds);
      fmt::print("  {:<34.34} {:>12} {:>12} {:>+7.1f} %\n", step.name, format_seconds(step.predicted_s),
                 format_seconds(seconds), 100 * (step.predicted_s / seconds - 1));
    }
  }
  print_sum(fmt::format("{} cases", errors.size()).c_str(), errors);
  print_sum("the machine's drift since its calibration taken out", without_drift);
  print_near(all);
}

}  // namespace
}  // namespace tilewright

int main(int argc, char** argv) {
  using namespace tilewright;
  Options options;
  CLI::App app("How well one rank's computing is predicted, on this machine");
  app.add_option("--db", options.database, "database (default as for tilewright)");
  app.add_option("--machine", options.machine, "profile of one rank that had the machine to itself")->required();
  app.add_option("--largest", options.largest, "side of the largest tile")->check(CLI::Range(64, 8192));
  app.add_option("--only", options.only, "cases with this in their names, as 'bank s2 512x512' (default all)");
  app.add_option("--rounds", options.rounds, "over all cases")->check(CLI::Range(1, 1000));
  app.add_option("--threads", options.threads, "that a plan may choose (default 1)")->check(CLI::Range(1, 1024));
  app.add_flag("--steps", options.steps, "each step by itself, too");
  CLI11_PARSE(app, argc, argv);
  install_failure_handler();
  Communicator communicator = Communicator::start();
  try {
    const MachineProfile profile =
        Store(default_database(options.database), OpenMode::existing).profile(options.machine);
    std::vector<Case> all = cases(options);
    measure(all, profile, options);
    print(all, options.threads);
  } catch (const std::exception& error) {
    fail(error);
  }
  communicator.finish();
  return 0;
}
