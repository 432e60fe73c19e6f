#include "decision_race.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <random>

#include "contest.hpp"
#include "planning.hpp"
#include "tilewright/core/statistics.hpp"

namespace tilewright::regret {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::string grids_text(const Plan& plan) {
  if (plan.ranks == 1) return "1 rank";
  std::string text = fmt::format("{} ranks as {}", plan.ranks, to_string(plan.grid));
  for (const PlanStep& step : plan.steps) {
    if (step.kind == StepKind::redistribute) text += fmt::format(", then {}", to_string(grid_of(plan, step)));
  }
  return text;
}

/// Whether an operator of a plan of several ranks works there.
bool works_at(Site site, const Plan& plan) {
  return plan.ranks > 1 && std::any_of(plan.steps.begin(), plan.steps.end(), [&](const PlanStep& step) {
           return step.kind == StepKind::compute && step.site == site;
         });
}

/// Ranks, grids and transfers: those that are alike once, with their number.
std::string shape_of(const Plan& plan) {
  std::vector<std::pair<std::string, int>> transfers;
  for (const PlanStep& step : plan.steps) {
    if (!step.packing && step.algorithm != Algorithm::shared) continue;
    std::string text(to_string(step.kind));
    if (step.algorithm) text += fmt::format(" {}", to_string(*step.algorithm));
    if (step.in_turn) text += " in turn";
    if (step.packing) text += fmt::format(" {}", to_string(*step.packing));
    if (step.exchanged != Halo{}) text += fmt::format(" {}+{}", step.exchanged.x, step.exchanged.y);
    const auto known = std::find_if(transfers.begin(), transfers.end(), [&](const auto& t) { return t.first == text; });
    if (known == transfers.end())
      transfers.emplace_back(text, 1);
    else
      ++known->second;
  }
  std::string text = grids_text(plan);
  for (const auto& [transfer, count] : transfers) {
    text += ", " + (count > 1 ? fmt::format("{} x ", count) : "") + transfer;
  }
  if (works_at(Site::everywhere, plan)) text += ", part on all ranks";
  return works_at(Site::root, plan) ? text + ", part on the root" : text;
}

/// Samples of the first so many plans, in an order that changes.
std::array<std::vector<double>, 2> samples_of(Contest& contest, std::size_t runnable, const Effort& effort,
                                              const std::function<void(const std::string&)>& tell) {
  std::array<std::vector<double>, 2> samples;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < runnable; ++i) order.push_back(i);
  const auto run = [&](std::size_t plan, double expected_s) {
    return contest.run_plan(plan, repeats_for(expected_s, effort.window_s));
  };
  tell("warm-up");
  std::array<double, 2> expected_s{};
  for (const std::size_t i : order) expected_s[i] = std::max(run(i, effort.window_s), contest.run_plan(i, {}));
  std::mt19937 random(effort.seed);
  const int rounds = 2 * (effort.rounds + effort.fresh_samples) - 1;
  for (int round = 0; round < rounds; ++round) {
    tell(fmt::format("sample {} of {}", round + 1, rounds));
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order) samples[i].push_back(run(i, expected_s[i]));
  }
  return samples;
}

DecidedPlan decided(const Plan& plan, const std::vector<double>& samples, const Started& started) {
  const bool is_measured = !samples.empty();
  return {shape_of(plan), plan.predicted_seconds.value_or(nan), is_measured ? median(samples) : nan,
          is_measured ? (quantile(samples, 0.75) - quantile(samples, 0.25)) / 2 : nan, node_bytes(plan, started)};
}

/// The image that a pipeline of files reads.
void prepare_files(Case& contested, const std::string& folder, const Communicator& communicator) {
  std::string& files = contested.pipeline.folder;
  if (files.empty()) return;
  files = (std::filesystem::path(folder) / files).string();
  if (communicator.is_root()) {
    std::filesystem::create_directories(files);
    write_test_image(files, contested.image);
  }
  communicator.barrier();
}

Started started_ranks(const Communicator& communicator) {
  return {communicator.ranks_per_node(), communicator.sharing_ranks(), communicator.ranks(),
          communicator.node_of_rank(), communicator.has_even_nodes() ? communicator.nodes() : 0};
}

}  // namespace

DecisionResult measure_decision(Decision decision, const std::string& folder, const Ground& ground,
                                const Effort& effort, const MachineProfile& profile, const Communicator& communicator,
                                const std::function<void(const std::string&)>& tell) {
  std::vector<Plan> plans;
  std::vector<const Communicator*> ranks_of_plans;
  prepare_files(decision.contested, folder, communicator);
  if (communicator.is_root()) tell("planning");
  for (const bool is_free : {true, false}) {
    ranks_of_plans.push_back(&ranks_to_plan_for(options_of(decision, is_free), &profile, communicator));
    if (!communicator.is_root()) continue;
    plans.push_back(plan_of(decision, is_free, profile, started_ranks(*ranks_of_plans.back())));
  }
  Contest contest(decision.contested, plans, {}, communicator, ranks_of_plans);
  if (!communicator.is_root()) {
    contest.serve();
    return {};
  }
  const Started started = started_ranks(communicator);
  const std::int64_t memory = decision.contested.node_memory;
  const bool fits = memory <= 0 || node_bytes(plans.back(), started) <= memory;
  const auto samples = samples_of(contest, fits ? 2 : 1, effort, tell);
  return {fmt::format("{} {}%", ground.network, ground.shares),
          decision.name,
          decision.contested.name(),
          fmt::format("{}", fmt::join(decision.given, " ")),
          fmt::format("{}", fmt::join(decision.forbidding, " ")),
          memory,
          decided(plans.front(), samples.front(), started),
          decided(plans.back(), samples.back(), started),
          static_cast<int>(samples.front().size())};
}

}  // namespace tilewright::regret
