// The page: figures, plots and the table of all cases.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "figures.hpp"
#include "regret_plots.hpp"
#include "tilewright/explain/page.hpp"
#include "tilewright/explain/plots.hpp"

namespace tilewright::regret {
namespace {

using namespace plots;

/// The series that names get one after another where the planner's two blues mean nothing: unlike ones first.
int distinct_series(std::size_t place) {
  constexpr int order[series_colours] = {0, 2, 3, 5, 4, 1};
  return order[place % series_colours];
}

int same_series(std::size_t place) {
  return static_cast<int>(place);
}

std::string legend(const std::vector<std::string>& names, int (*series)(std::size_t)) {
  std::string text = "<div class=\"legend\">";
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += fmt::format("<span>{}{}</span>", legend_mark(series(i)), escaped(names[i]));
  }
  return text + "</div>\n";
}

/// The place of a name in a list, to which it is added if it is new.
std::size_t place_of(std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  const auto place = static_cast<std::size_t>(found - names.begin());
  if (found == names.end()) names.push_back(name);
  return place;
}

std::string errors_label(double predicted_s, double measured_s) {
  return fmt::format("predicted {}, measured {} ({})", seconds_text(predicted_s), seconds_text(measured_s),
                     percent_text(relative_error(predicted_s, measured_s)));
}

std::vector<std::string> strategy_names(const std::vector<CaseResult>& cases) {
  std::vector<std::string> names;
  for (const Strategy& strategy : strategies_of(all_of(cases))) names.push_back(strategy.name);
  return names;
}

// --- what was asked ---

std::string goal_tile(const Goal& goal) {
  const char* verdict = !goal.known ? "not measured" : goal.met ? "met" : "missed";
  const char* style = !goal.known ? "" : verdict;
  return fmt::format(
      "<div class=\"goal\"><div class=\"what\">{}</div><div class=\"found\">{}</div>"
      "<div class=\"asked\">{} · <span class=\"{}\">{}</span></div></div>\n",
      escaped(goal.what), goal.found, goal.asked, style, verdict);
}

std::string goals_section(const std::vector<CaseResult>& cases) {
  const std::vector<Goal> goals = goals_of(cases);
  if (goals.empty()) return {};
  std::string tiles = "<div class=\"goals\">\n";
  for (const Goal& goal : goals) tiles += goal_tile(goal);
  return section("What is asked at 100 Mbit/s", "Over all cases on that network.", tiles + "</div>\n");
}

// --- figures by network and share ---

/// A mean, and below it what else there is to say.
std::string figure_cell(const std::string& average, const std::string& rest) {
  return fmt::format("<td class=\"n\"><b>{}</b><br><span class=\"rest\">{}</span></td>", average, rest);
}

std::string regret_figure(const Group& group, const std::string& name) {
  for (const Strategy& strategy : strategies_of(group)) {
    if (strategy.name != name || strategy.regrets.empty()) continue;
    const Summary summary = summary_of(strategy.regrets);
    return figure_cell(percent_text(summary.mean), percent_text(summary.p95) + ", " + percent_text(summary.worst));
  }
  return "<td class=\"n\">–</td>";
}

std::string prediction_figure(const Prediction& prediction) {
  if (prediction.count == 0) return "<td class=\"n\">–</td>";
  return figure_cell(percent_text(prediction.mean_error),
                     percent_text(prediction.p90_error) + ", " + percent_text(prediction.worst_error));
}

std::string share_figure(const Prediction& prediction) {
  return figure_cell(percent_text(prediction.share_within), fmt::format("of {}", prediction.count));
}

std::string ratio_figure(const Ratios& ratios) {
  if (ratios.count == 0) return "<td class=\"n\">–</td>";
  return figure_cell(ratio_text(ratios.mean), ratio_text(ratios.worst));
}

std::string ranking_figure(const Ranking& ranking) {
  if (ranking.count == 0) return "<td class=\"n\">–</td>";
  return figure_cell(ratio_text(ranking.mean_tau), ratio_text(ranking.worst_tau));
}

template <class Cell>
std::string figure_row(const std::vector<Group>& groups, std::string_view what, std::string_view rest,
                       const Cell& cell) {
  std::string text = fmt::format("<tr><td>{}<br><span class=\"rest\">{}</span></td>", escaped(what), rest);
  for (const Group& group : groups) text += cell(group);
  return text + "</tr>\n";
}

std::string figure_rows(const std::vector<Group>& groups, const std::vector<std::string>& strategies) {
  std::string text;
  for (const std::string& name : strategies) {
    text += figure_row(groups, "regret, " + name, "mean; p95, worst",
                       [&](const Group& group) { return regret_figure(group, name); });
  }
  text += figure_row(groups, "error of predicted transfers", "mean; p90, worst",
                     [](const Group& group) { return prediction_figure(transfer_prediction(group)); });
  text += figure_row(groups, "error of predicted pipelines", "mean; p90, worst",
                     [](const Group& group) { return prediction_figure(pipeline_prediction(group)); });
  text += figure_row(groups, "pipelines within " + limit_text(prediction_tolerance), "share; cases",
                     [](const Group& group) { return share_figure(pipeline_prediction(group)); });
  text += figure_row(groups, "the same, the root's drift since its calibration taken out", "share; cases",
                     [](const Group& group) { return share_figure(pipeline_prediction_now(group)); });
  text += figure_row(groups, "Kendall τ of the plans' order", "mean; worst",
                     [](const Group& group) { return ranking_figure(ranking_of(group)); });
  text += figure_row(groups, "transfers over hand-written, as many ranks", "geometric mean; worst",
                     [](const Group& group) { return ratio_figure(transfer_ratios(group)); });
  return text + figure_row(groups, "whole over hand-written, best rank counts", "geometric mean; worst",
                           [](const Group& group) { return ratio_figure(whole_ratios(group)); });
}

std::string figures_section(const std::vector<CaseResult>& cases) {
  std::vector<Group> groups = groups_of(cases);
  if (groups.size() > 1) groups.push_back(all_of(cases));
  std::string text = "<div class=\"wide\"><table class=\"solid\">\n<thead><tr><th></th>";
  for (const Group& group : groups) {
    const std::size_t comma = group.name.rfind(", ");  // before the share
    const std::string share = comma == std::string::npos ? "" : escaped(group.name.substr(comma + 2)) + "<br>";
    text += fmt::format("<th class=\"n\">{}<br><span class=\"rest\">{}{} cases</span></th>",
                        escaped(group.name.substr(0, comma)), share, group.cases.size());
  }
  text += "</tr></thead>\n<tbody>\n" + figure_rows(groups, strategy_names(cases));
  return section("Figures by network and share of a core",
                 "Regret is the measured time over that of the best plan, minus 1.", text + "</tbody></table></div>\n");
}

// --- predicted against measured ---

std::string transfers_section(const std::vector<CaseResult>& cases) {
  std::vector<std::string> operations;
  std::vector<PredictedPoint> points;
  for (const CaseResult& result : cases) {
    for (const TransferRow& row : result.transfers) {
      if (!is_measured(row.measured_s) || !is_measured(row.predicted_s)) continue;
      const std::string label =
          fmt::format("{}, {}: {}", transfer_text(row), result.id, errors_label(row.predicted_s, row.measured_s));
      points.push_back({row.predicted_s, row.measured_s, distinct_series(place_of(operations, row.operation)), label});
    }
  }
  return section("Transfers: predicted against measured",
                 "The band is ±10 %. Errors beyond ±50 % are drawn at the edge.",
                 legend(operations, distinct_series) + "<div class=\"wide\">" +
                     prediction_plot(points, prediction_tolerance) + "</div>\n");
}

void add_plans(std::vector<PredictedPoint>& points, const CaseResult& result, int series) {
  for (const PlanRow& plan : result.plans) {
    if (plan.chosen || !is_measured(plan.measured_s) || !is_measured(plan.predicted_s)) continue;
    const std::string label =
        fmt::format("{}, {}: {}{}", result.id, plan_text(plan), errors_label(plan.predicted_s, plan.measured_s),
                    plan.dropped_early ? "; dropped early" : "");
    points.push_back({plan.predicted_s, plan.measured_s, series, label, true});
  }
  if (!is_measured(result.measured_s) || !is_measured(result.predicted_s)) return;
  points.push_back(
      {result.predicted_s, result.measured_s, series,
       fmt::format("{}, the chosen plan: {}", result.id, errors_label(result.predicted_s, result.measured_s))});
}

std::string pipelines_section(const std::vector<CaseResult>& cases) {
  std::vector<std::string> names;
  std::vector<PredictedPoint> points;
  for (const Group& group : groups_of(cases)) {
    const int series = distinct_series(place_of(names, group.name));
    for (const CaseResult* result : group.cases) add_plans(points, *result, series);
  }
  return section("Pipelines: predicted against measured",
                 "The chosen plan of each case; small and grey, the other plans that were tried.",
                 legend(names, distinct_series) + "<div class=\"wide\">" +
                     prediction_plot(points, prediction_tolerance) + "</div>\n");
}

// --- regrets ---

DotRow regret_row(const CaseResult& result, std::vector<std::string>& names) {
  DotRow row{case_text(result), {}, false};
  const auto add = [&](const std::string& name, double regret) {
    if (!std::isfinite(regret)) return;
    row.dots.push_back(
        {regret, same_series(place_of(names, name)), fmt::format("{}: {}, {}", result.id, name, percent_text(regret))});
  };
  add(free_strategy, result.regret_free);
  if (!result.fixed.empty()) add(fixed_strategy, result.regret_fixed);
  for (const HabitRow& habit : result.habits) add(habit.habit, habit.regret);
  return row;
}

std::string regrets_section(const std::vector<CaseResult>& cases) {
  std::vector<std::string> names = strategy_names(cases);
  std::vector<DotRow> rows;
  for (const Group& group : groups_of(cases)) {
    rows.push_back({group.name, {}, true});
    for (const CaseResult* result : group.cases) rows.push_back(regret_row(*result, names));
  }
  const std::string plot = regret_rows(rows, regret_to_explain);
  return section("Regret in every case",
                 "What the chosen plan loses against the best plan found, and what fixed habits lose; beyond the "
                 "dashed line it must be explained. With the ranks given: "
                 "the mean over the rank counts.",
                 legend(names, same_series) + "<div class=\"wide\">" + plot + "</div>\n");
}

std::string distribution_section(const std::vector<CaseResult>& cases) {
  const std::vector<Strategy> strategies = strategies_of(all_of(cases));
  std::vector<Distribution> distributions;
  for (std::size_t i = 0; i < strategies.size(); ++i) {
    distributions.push_back({static_cast<int>(i), strategies[i].name, strategies[i].regrets});
  }
  return section("Distribution of regret", "The further up and left, the better.",
                 legend(strategy_names(cases), same_series) + "<div class=\"wide\">" +
                     regret_distribution(distributions, regret_to_explain) + "</div>\n");
}

// --- the hand-written rival ---

DotRow ratio_row(const Group& group, int series, const std::string& text, double (*ratio_of)(const CaseResult&)) {
  DotRow row{text, {}, false};
  for (const CaseResult* result : group.cases) {
    const double ratio = ratio_of(*result);
    if (!std::isfinite(ratio)) continue;
    row.dots.push_back({ratio, series, fmt::format("{}: {}", result->id, ratio_text(ratio))});
  }
  return row;
}

std::string rival_section(const std::vector<CaseResult>& cases) {
  std::vector<DotRow> rows;
  for (const Group& group : groups_of(cases)) {
    rows.push_back({group.name, {}, true});
    rows.push_back(ratio_row(group, 0, "transfers, as many ranks", transfer_ratio));
    rows.push_back(ratio_row(group, 2, "whole, each at its best rank count", whole_ratio));
  }
  return section("Against row strips written by hand",
                 "MPI_Scatterv, MPI_Sendrecv, cv::sepFilter2D, MPI_Gatherv; a dot a case.",
                 "<div class=\"wide\">" + ratio_rows(rows) + "</div>\n");
}

// --- the table of all cases ---

std::string text_cell(std::string_view text) {
  return fmt::format("<td>{}</td>", escaped(text));
}

/// A cell that sorts by its value.
std::string value_cell(double value, const std::string& text, std::string_view style = "") {
  return fmt::format("<td class=\"n {}\" data-v=\"{}\">{}</td>", style, value, text);
}

std::string regret_cell(double regret) {
  return value_cell(regret, percent_text(regret), regret > regret_to_explain ? "missed" : "");
}

std::string short_plan_text(const PlanRow& plan) {
  if (plan.ranks == 1) return plan.grid;
  return fmt::format("{} {} {}", plan.grid, plan.tree, plan.distribution);
}

std::string case_row(const CaseResult& result) {
  const PlanRow* chosen = chosen_plan(result);
  const double error = relative_error(result.predicted_s, result.measured_s);
  const bool known = is_measured(result.measured_s);
  std::string text = "<tr>" + text_cell(result.id) + text_cell(result.pipeline);
  text +=
      value_cell(static_cast<double>(result.width * result.height), fmt::format("{}x{}", result.width, result.height));
  text += text_cell(result.network) + text_cell(fmt::format("{} %", result.shares));
  text += value_cell(result.max_ranks, std::to_string(result.max_ranks)) + text_cell(result.model);
  text += text_cell(chosen == nullptr ? "–" : short_plan_text(*chosen));
  text += value_cell(result.predicted_s, seconds_text(result.predicted_s));
  text += value_cell(result.measured_s, seconds_text(result.measured_s));
  text += value_cell(known ? error : NAN, known ? percent_text(error) : "–");
  text += regret_cell(result.regret_free) + regret_cell(result.fixed.empty() ? NAN : result.regret_fixed);
  text += value_cell(result.kendall_tau, ratio_text(result.kendall_tau));
  text += value_cell(transfer_ratio(result), ratio_text(transfer_ratio(result)));
  text += value_cell(whole_ratio(result), ratio_text(whole_ratio(result)));
  return text + fmt::format("<td class=\"note\">{}</td></tr>\n", escaped(result.note));
}

std::string cases_section(const std::vector<CaseResult>& cases) {
  std::string text =
      "<div class=\"wide\"><table class=\"sortable solid\">\n<thead><tr><th>case</th><th>pipeline</th>"
      "<th class=\"n\">image</th><th>network</th>";
  for (const char* name : {"share", "ranks,<br>at most"}) text += fmt::format("<th class=\"n\">{}</th>", name);
  text += "<th>model</th><th>chosen plan</th>";
  for (const char* name : {"predicted", "measured", "error", "regret,<br>ranks free", "regret,<br>ranks given",
                           "Kendall τ", "transfers<br>over by hand", "whole<br>over by hand"}) {
    text += fmt::format("<th class=\"n\">{}</th>", name);
  }
  text += "<th>note</th></tr></thead>\n<tbody>\n";
  for (const Group& group : groups_of(cases)) {
    for (const CaseResult* result : group.cases) text += case_row(*result);
  }
  return section("All cases", "A click on a column's head sorts by it.", text + "</tbody></table></div>\n");
}

// --- what has to be explained ---

std::string timed_plan_cell(const PlanRow* plan) {
  if (plan == nullptr) return "<td>–</td>";
  return fmt::format("<td>{}<br><span class=\"rest\">predicted {}<br>measured {}</span></td>",
                     escaped(short_plan_text(*plan)), seconds_text(plan->predicted_s), seconds_text(plan->measured_s));
}

std::string explanation_row(const CaseResult& result) {
  std::string text =
      fmt::format("<tr><td>{}<br><span class=\"rest\">{}<br>{}, {} % of a core</span></td>", escaped(result.id),
                  escaped(case_text(result)), escaped(result.network), result.shares);
  text += regret_cell(result.regret_free) + "<td class=\"n\">";
  for (const FixedRegret& fixed : result.fixed) {
    if (fixed.regret > regret_to_explain) text += fmt::format("{}: {}<br>", fixed.ranks, percent_text(fixed.regret));
  }
  text += "</td>" + timed_plan_cell(chosen_plan(result)) + timed_plan_cell(best_plan(result));
  return text + fmt::format("<td class=\"note\">{}</td></tr>\n", escaped(result.note));
}

std::string explanations_section(const std::vector<CaseResult>& cases) {
  const std::vector<const CaseResult*> found = cases_to_explain(cases);
  const std::string title =
      fmt::format("Cases with a regret above {}: {}", limit_text(regret_to_explain), found.size());
  if (found.empty()) return section(title, "", "");
  std::string text =
      "<div class=\"wide\"><table class=\"solid\">\n<thead><tr><th>case</th><th class=\"n\">regret,<br>ranks free</th>"
      "<th class=\"n\">with so many<br>ranks</th><th>chosen plan</th><th>best plan</th><th>cause</th></tr></thead>\n"
      "<tbody>\n";
  for (const CaseResult* result : found) text += explanation_row(*result);
  return section(title, "Worst first.", text + "</tbody></table></div>\n");
}

std::string heading(const std::vector<CaseResult>& cases) {
  std::set<std::string> networks;
  std::set<std::string> models;
  for (const CaseResult& result : cases) {
    networks.insert(result.network);
    models.insert(result.model);
  }
  std::string lead = fmt::format("{} cases · networks:", cases.size());
  for (const std::string& network : networks) lead += " " + network;
  lead += " · model:";
  for (const std::string& model : models) lead += " " + model;
  return fmt::format("<h1>The regret of every plan</h1>\n<p class=\"lead\">{}</p>\n", escaped(lead));
}

std::string body(const std::vector<CaseResult>& cases, const std::string& more) {
  if (cases.empty()) return "<h1>The regret of every plan</h1>\n<p class=\"empty\">There is no case.</p>\n" + more;
  std::string text = heading(cases) + goals_section(cases);
  text += "<div class=\"pair\">\n" + transfers_section(cases) + pipelines_section(cases) + "</div>\n";
  text += distribution_section(cases) + regrets_section(cases) + rival_section(cases);
  return text + more + figures_section(cases) + explanations_section(cases) + cases_section(cases);
}

}  // namespace

std::string html_page(const std::vector<CaseResult>& cases, const std::string& more) {
  return page("The regret of every plan", body(cases, more));
}

}  // namespace tilewright::regret
