// The figures as text, a section for each network and share.
#include <fmt/format.h>

#include <cmath>
#include <set>

#include "figures.hpp"

namespace tilewright::regret {
namespace {

/// Right-aligned by what is seen: a dash takes three bytes and one column.
std::string right(const std::string& text, std::size_t columns) {
  std::size_t seen = 0;
  for (const char c : text) seen += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
  return std::string(seen < columns ? columns - seen : 0, ' ') + text;
}

std::string regrets_text(const Group& group) {
  std::string text = fmt::format("  {:<28}{:>5}{:>10}{:>10}{:>10}\n", "regret", "n", "mean", "p95", "worst");
  for (const Strategy& strategy : strategies_of(group)) {
    const Summary summary = summary_of(strategy.regrets);
    text += fmt::format("    {:<26}{:>5}{}{}{}\n", strategy.name, summary.count, right(percent_text(summary.mean), 10),
                        right(percent_text(summary.p95), 10), right(percent_text(summary.worst), 10));
  }
  return text;
}

std::string prediction_text(const char* what, const Prediction& prediction) {
  if (prediction.count == 0) return fmt::format("    {:<13} none measured\n", what);
  return fmt::format("    {:<13}{:>4}: mean error {}, nine in ten within {}, {} within {}; worst {} ({})\n", what,
                     prediction.count, percent_text(prediction.mean_error), percent_text(prediction.p90_error),
                     percent_text(prediction.share_within), limit_text(prediction_tolerance),
                     percent_text(prediction.worst_error), prediction.worst);
}

std::string ranking_text(const Ranking& ranking) {
  if (ranking.count == 0) return {};
  return fmt::format("    {:<12}{:>5}: Kendall tau {:.2f} on average, {:.2f} at worst ({})\n", "ranking", ranking.count,
                     ranking.mean_tau, ranking.worst_tau, ranking.worst_case);
}

std::string ratios_text(const char* what, const Ratios& ratios) {
  if (ratios.count == 0) return fmt::format("    {:<26} not measured\n", what);
  return fmt::format("    {:<26}{:>5}: {} of its time on average, {} at worst ({})\n", what, ratios.count,
                     ratio_text(ratios.mean), ratio_text(ratios.worst), ratios.worst_case);
}

std::string group_text(const Group& group) {
  std::string text = fmt::format("{} ({} cases)\n", group.name, group.cases.size());
  text += regrets_text(group);
  text += "  predicted against measured\n";
  text += prediction_text("transfers", transfer_prediction(group));
  text += prediction_text("pipelines", pipeline_prediction(group));
  text += prediction_text("without drift", pipeline_prediction_now(group));
  text += ranking_text(ranking_of(group));
  text += "  against row strips written by hand\n";
  text += ratios_text("transfers, as many ranks", transfer_ratios(group));
  text += ratios_text("whole, best rank counts", whole_ratios(group));
  return text + "\n";
}

std::string goals_text(const std::vector<Goal>& goals) {
  if (goals.empty()) return {};
  std::string text = "What is asked at 100mbit\n";
  for (const Goal& goal : goals) {
    text += fmt::format("  {:<42}{:<18}{}  {}\n", goal.what, goal.asked, right(goal.found, 8),
                        !goal.known ? "not measured"
                        : goal.met  ? "met"
                                    : "MISSED");
  }
  return text + "\n";
}

std::string explanation_text(const CaseResult& result) {
  std::string text = fmt::format("  {}: {}; {}, {} % of a core; {}\n", result.id, case_text(result), result.network,
                                 result.shares, result.model);
  text += fmt::format("    regret {}", percent_text(result.regret_free));
  for (const FixedRegret& fixed : result.fixed) {
    text += fmt::format("; with {} ranks {}", fixed.ranks, percent_text(fixed.regret));
  }
  text += "\n";
  for (const auto& [name, plan] : {std::pair("chosen", chosen_plan(result)), std::pair("best", best_plan(result))}) {
    if (plan == nullptr) continue;
    text += fmt::format("    {:<7} {}: predicted {}, measured {}\n", name, plan_text(*plan),
                        seconds_text(plan->predicted_s), seconds_text(plan->measured_s));
  }
  if (!result.note.empty()) text += fmt::format("    note    {}\n", result.note);
  return text;
}

std::string explanations_text(const std::vector<CaseResult>& cases) {
  const std::vector<const CaseResult*> found = cases_to_explain(cases);
  std::string text = fmt::format("Cases with a regret above {}: {}\n", limit_text(regret_to_explain), found.size());
  for (const CaseResult* result : found) text += explanation_text(*result);
  return text;
}

}  // namespace

std::string text_summary(const std::vector<CaseResult>& cases) {
  if (cases.empty()) return "Regret report: no case\n";
  std::set<std::string> models;
  for (const CaseResult& result : cases) models.insert(result.model);
  std::string text = fmt::format("Regret report: {} cases; model", cases.size());
  for (const std::string& model : models) text += " " + model;
  text += "\n\n" + goals_text(goals_of(cases));
  const std::vector<Group> groups = groups_of(cases);
  for (const Group& group : groups) text += group_text(group);
  if (groups.size() > 1) text += group_text(all_of(cases));
  return text + explanations_text(cases);
}

}  // namespace tilewright::regret
