// Groups the cases and condenses them; says numbers as people read them.
#include "figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "tilewright/core/units.hpp"

namespace tilewright::regret {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
constexpr const char* network_with_goals = "100mbit";

void add(std::vector<Strategy>& strategies, const std::string& name, double regret) {
  if (!std::isfinite(regret)) return;
  const auto same = [&](const Strategy& strategy) { return strategy.name == name; };
  const auto found = std::find_if(strategies.begin(), strategies.end(), same);
  if (found != strategies.end()) {
    found->regrets.push_back(regret);
  } else {
    strategies.push_back({name, {regret}});
  }
}

/// Collects errors, and what the worst belongs to.
class Errors {
 public:
  void add(double predicted_s, double measured_s, const std::string& what) {
    if (!is_measured(measured_s) || !std::isfinite(predicted_s)) return;
    const double error = relative_error(predicted_s, measured_s);
    if (magnitudes_.empty() || std::abs(error) > std::abs(result_.worst_error)) {
      result_.worst_error = error;
      result_.worst = what;
    }
    magnitudes_.push_back(std::abs(error));
  }
  [[nodiscard]] Prediction prediction() const {
    Prediction result = result_;
    result.count = magnitudes_.size();
    result.mean_error = mean(magnitudes_);
    result.p90_error = quantile(magnitudes_, 0.9);
    result.share_within = share_within(magnitudes_, prediction_tolerance);
    return result;
  }

 private:
  std::vector<double> magnitudes_;
  Prediction result_;
};

Ratios ratios_of(const Group& group, double (*ratio_of)(const CaseResult&)) {
  Ratios result;
  std::vector<double> logarithms;
  for (const CaseResult* entry : group.cases) {
    const double ratio = ratio_of(*entry);
    if (!std::isfinite(ratio)) continue;
    logarithms.push_back(std::log(ratio));
    if (result.worst_case.empty() || ratio > result.worst) {
      result.worst = ratio;
      result.worst_case = entry->id;
    }
  }
  result.count = logarithms.size();
  result.mean = std::exp(mean(logarithms));
  return result;
}

Goal at_most(const std::string& what, double limit, double found) {
  return {what, "at most " + limit_text(limit), percent_text(found), std::isfinite(found), found <= limit};
}

}  // namespace

bool is_measured(double seconds) {
  return std::isfinite(seconds) && seconds > 0;
}

std::vector<Group> groups_of(const std::vector<CaseResult>& cases) {
  std::map<std::pair<std::string, std::string>, Group> groups;
  for (const CaseResult& result : cases) {
    Group& group = groups[{result.network, result.shares}];
    group.name = fmt::format("{}, {} % of a core", result.network, result.shares);
    group.cases.push_back(&result);
  }
  std::vector<Group> list;
  for (auto& [key, group] : groups) list.push_back(std::move(group));
  return list;
}

Group all_of(const std::vector<CaseResult>& cases) {
  Group group{"all", {}};
  for (const CaseResult& result : cases) group.cases.push_back(&result);
  return group;
}

std::vector<Strategy> strategies_of(const Group& group) {
  std::vector<Strategy> strategies = {{free_strategy, {}}, {fixed_strategy, {}}};
  for (const CaseResult* result : group.cases) {
    add(strategies, free_strategy, result->regret_free);
    for (const FixedRegret& fixed : result->fixed) add(strategies, fixed_strategy, fixed.regret);
    for (const HabitRow& habit : result->habits) add(strategies, habit.habit, habit.regret);
  }
  return strategies;
}

Prediction transfer_prediction(const Group& group) {
  Errors errors;
  for (const CaseResult* result : group.cases) {
    for (const TransferRow& row : result->transfers) {
      errors.add(row.predicted_s, row.measured_s, fmt::format("{} in {}", transfer_text(row), result->id));
    }
  }
  return errors.prediction();
}

Prediction pipeline_prediction(const Group& group) {
  Errors errors;
  for (const CaseResult* result : group.cases) errors.add(result->predicted_s, result->measured_s, result->id);
  return errors.prediction();
}

Prediction pipeline_prediction_now(const Group& group) {
  Errors errors;
  for (const CaseResult* result : group.cases) {
    if (is_measured(result->predicted_now_s)) errors.add(result->predicted_now_s, result->measured_s, result->id);
  }
  return errors.prediction();
}

double transfer_ratio(const CaseResult& result) {
  const bool known = is_measured(result.plan_transfers_s) && is_measured(result.baseline_transfers_s);
  return known ? result.plan_transfers_s / result.baseline_transfers_s : nothing;
}

double whole_ratio(const CaseResult& result) {
  const bool known = is_measured(result.measured_s) && is_measured(result.baseline_best_s);
  return known ? result.measured_s / result.baseline_best_s : nothing;
}

Ratios transfer_ratios(const Group& group) {
  return ratios_of(group, transfer_ratio);
}

Ratios whole_ratios(const Group& group) {
  return ratios_of(group, whole_ratio);
}

Ranking ranking_of(const Group& group) {
  Ranking ranking;
  std::vector<double> taus;
  for (const CaseResult* result : group.cases) {
    if (!std::isfinite(result->kendall_tau)) continue;
    taus.push_back(result->kendall_tau);
    if (ranking.worst_case.empty() || result->kendall_tau < ranking.worst_tau) {
      ranking.worst_tau = result->kendall_tau;
      ranking.worst_case = result->id;
    }
  }
  ranking.count = taus.size();
  ranking.mean_tau = mean(taus);
  return ranking;
}

std::vector<Goal> goals_of(const std::vector<CaseResult>& cases) {
  Group group{network_with_goals, {}};
  for (const CaseResult& result : cases) {
    if (result.network == network_with_goals) group.cases.push_back(&result);
  }
  if (group.cases.empty()) return {};
  std::vector<Goal> goals;
  const std::vector<Strategy> strategies = strategies_of(group);
  for (std::size_t i = 0; i < 2; ++i) {
    const Summary summary = summary_of(strategies[i].regrets);
    const std::string ranks = i == 0 ? "ranks free" : "ranks given";
    goals.push_back(at_most("mean regret, " + ranks, 0.02, summary.mean));
    goals.push_back(at_most("p95 regret, " + ranks, 0.10, summary.p95));
  }
  goals.push_back(at_most("mean error of predicted transfers", 0.10, transfer_prediction(group).mean_error));
  const double share = pipeline_prediction(group).share_within;
  goals.push_back({"pipelines predicted within " + limit_text(prediction_tolerance), "at least " + limit_text(0.85),
                   percent_text(share), std::isfinite(share), share >= 0.85});
  const Ratios ratios = transfer_ratios(group);
  const double worst = ratios.count == 0 ? nothing : ratios.worst;
  goals.push_back({"transfers over hand-written ones, worst", "at most 1.03", ratio_text(worst), std::isfinite(worst),
                   worst <= 1.03});
  goals.push_back({"transfers over hand-written ones, mean", "below 1", ratio_text(ratios.mean),
                   std::isfinite(ratios.mean), ratios.mean < 1});
  return goals;
}

double largest_regret(const CaseResult& result) {
  double largest = result.regret_free;
  for (const FixedRegret& fixed : result.fixed) {
    if (!(fixed.regret <= largest)) largest = fixed.regret;
  }
  return largest;
}

std::vector<const CaseResult*> cases_to_explain(const std::vector<CaseResult>& cases) {
  std::vector<const CaseResult*> found;
  for (const CaseResult& result : cases) {
    if (largest_regret(result) > regret_to_explain) found.push_back(&result);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const CaseResult* a, const CaseResult* b) { return largest_regret(*a) > largest_regret(*b); });
  return found;
}

const PlanRow* chosen_plan(const CaseResult& result) {
  const auto found =
      std::find_if(result.plans.begin(), result.plans.end(), [](const PlanRow& plan) { return plan.chosen; });
  return found == result.plans.end() ? nullptr : &*found;
}

const PlanRow* best_plan(const CaseResult& result) {
  const PlanRow* best = nullptr;
  for (const PlanRow& plan : result.plans) {
    if (!is_measured(plan.measured_s)) continue;
    if (best == nullptr || plan.measured_s < best->measured_s) best = &plan;
  }
  return best;
}

std::string percent_text(double fraction) {
  if (std::isnan(fraction)) return "–";
  const double percent = 100 * fraction;
  if (std::abs(percent) >= 99.95) return fmt::format("{:.0f} %", percent);
  const std::string text = fmt::format("{:.1f}", percent);
  return (text == "-0.0" ? "0.0" : text) + " %";
}

std::string limit_text(double fraction) {
  return fmt::format("{:g} %", 100 * fraction);
}

std::string ratio_text(double ratio) {
  return std::isnan(ratio) ? "–" : fmt::format("{:.2f}", ratio);
}

std::string seconds_text(double seconds) {
  return is_measured(seconds) ? format_seconds(seconds) : "–";
}

std::string plan_text(const PlanRow& plan) {
  if (plan.ranks == 1) return "1 rank";
  return fmt::format("{} ranks as {}, {} {}", plan.ranks, plan.grid, plan.tree, plan.distribution);
}

std::string transfer_text(const TransferRow& transfer) {
  const std::string text = transfer.operation + " " + transfer.grid;
  return transfer.algorithm.empty() ? text : text + " " + transfer.algorithm;
}

std::string case_text(const CaseResult& result) {
  return fmt::format("{} {}x{}, at most {} ranks", result.pipeline, result.width, result.height, result.max_ranks);
}

}  // namespace tilewright::regret
