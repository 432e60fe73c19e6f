#include <fmt/format.h>

#include <algorithm>

#include "alternatives.hpp"
#include "node_words.hpp"
#include "renderers.hpp"
#include "text_table.hpp"
#include "tilewright/core/units.hpp"
#include "totals.hpp"
#include "words.hpp"

namespace tilewright {
namespace {

constexpr std::size_t alternatives_shown = 5;

/// "  label       text", the text wrapped under itself.
std::string labelled(const std::string& label, const std::string& text) {
  constexpr std::size_t indent = 14;
  std::string lines;
  std::string head = fmt::format("  {:<{}}", label, indent - 2);
  for (const std::string& line : wrap(one_line(text), terminal_width - indent)) {
    lines += head + line + "\n";
    head = std::string(indent, ' ');
  }
  return lines;
}

std::string memory_text(const Plan& plan) {
  const std::string root = fmt::format("root {}", format_bytes(plan.root_bytes));
  return plan.rank_bytes == 0 ? root : fmt::format("{}, each other rank at most {}", root, format_bytes(plan.rank_bytes));
}

std::string headline(const Plan& plan) {
  std::string text = labelled("machine", plan.machine) + labelled("model", plan.model);
  text += labelled("runs on", configuration_text(plan));
  text += labelled("predicted", prediction_text(plan));
  if (plan.tie) text += labelled("tie", tie_text(plan));
  text += labelled("memory", memory_text(plan));
  for (const std::string& note : plan.notes) text += labelled("note", note);
  if (plan.partial) text += labelled("partial", partial_text(plan));
  return text;
}

std::string or_dash(std::string text) {
  return text.empty() ? "-" : text;
}

/// With the packing, where it is not the usual one: a column more would not fit a terminal.
std::string layout_text(const PlanStep& step) {
  if (step.layout.empty()) return "-";
  const bool usual = !step.packing || *step.packing == Packing::datatype;
  return one_line(step.layout) + (usual ? std::string() : fmt::format(" {}", to_string(*step.packing)));
}

TextTable step_table(const Plan& plan) {
  TextTable table;
  table.columns = {{"#", Align::right},        {"step", Align::left},      {"what", Align::left},
                   {"site", Align::left},      {"algorithm", Align::left}, {"layout", Align::left},
                   {"messages", Align::right}, {"bytes", Align::right},    {"predicted", Align::right}};
  table.wrapped = 2;
  if (is_measured(plan)) {
    table.columns.push_back({"measured", Align::right});
    table.columns.push_back({"ratio", Align::right});
  }
  return table;
}

void add_measured(std::vector<std::string>& row, const std::optional<double>& predicted,
                  const std::optional<double>& measured) {
  row.push_back(measured ? format_seconds(*measured) : std::string("-"));
  row.push_back(ratio_text(predicted, measured));
}

std::string steps_text(const Plan& plan) {
  if (plan.steps.empty()) return {};
  TextTable table = step_table(plan);
  const bool measured = is_measured(plan);
  for (const PlanStep& step : plan.steps) {
    std::vector<std::string> row{std::to_string(table.rows.size() + 1),
                                 std::string(to_string(step.kind)),
                                 what_text(plan, step),
                                 std::string(to_string(step.site)),
                                 or_dash(way_text(step)),
                                 layout_text(step),
                                 step.messages == 0 ? "-" : std::to_string(step.messages),
                                 step.bytes == 0 ? "-" : format_bytes(step.bytes),
                                 seconds_text(comparable_prediction(step))};
    if (measured) add_measured(row, comparable_prediction(step), step.measured_seconds);
    table.rows.push_back(std::move(row));
  }
  const StepTotals totals = totals_of(plan.steps);
  std::vector<std::string> row{"",
                               "total",
                               "",
                               "",
                               "",
                               "",
                               std::to_string(totals.messages),
                               format_bytes(totals.bytes),
                               seconds_text(totals.predicted_seconds)};
  if (measured) add_measured(row, totals.predicted_seconds, totals.measured_seconds);
  table.rows.push_back(std::move(row));
  return "\n" + table.render();
}

/// What the plan's transfers do not use; of steps that are alike, of the first.
std::string rejected_text(const Plan& plan) {
  TextTable table;
  table.columns = {{"#", Align::right},
                   {"step", Align::left},
                   {"algorithm", Align::left},
                   {"predicted", Align::right},
                   {"why not", Align::left}};
  table.wrapped = 4;
  std::vector<const PlanStep*> told;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const PlanStep& step = plan.steps[i];
    const bool is_told = std::any_of(told.begin(), told.end(), [&](const PlanStep* other) {
      return other->kind == step.kind && other->rejected == step.rejected;
    });
    if (is_told) continue;
    told.push_back(&step);
    for (const RejectedAlgorithm& other : step.rejected) {
      table.rows.push_back({std::to_string(i + 1), std::string(to_string(step.kind)), rejected_way_text(step, other),
                            seconds_text(other.predicted_seconds), one_line(other.why_not)});
    }
  }
  return table.rows.empty() ? std::string() : "\nTransfers, otherwise\n" + table.render();
}

std::string alternatives_text(const Plan& plan) {
  if (plan.alternatives.empty()) return {};
  const std::vector<Alternative> sorted = best_first(plan.alternatives);
  TextTable table;
  table.columns = {{"", Align::left},
                   {"ranks", Align::right},
                   {"grid", Align::left},
                   {"predicted", Align::right},
                   {"why not", Align::left}};
  table.wrapped = 4;
  const std::size_t shown = std::min(alternatives_shown, sorted.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const Alternative& other = sorted[i];
    table.rows.push_back(
        {"", std::to_string(other.ranks), grids_text(other), seconds_text(other), one_line(other.why_not)});
  }
  const auto bounded = std::count_if(sorted.begin(), sorted.end(),
                                     [](const Alternative& other) { return other.lower_bound_seconds.has_value(); });
  std::string text =
      fmt::format("\nNot chosen ({}{})\n{}", counted(static_cast<std::int64_t>(sorted.size()), "alternative"),
                  bounded > 0 ? fmt::format(", {} of them bounded only", bounded) : "", table.render());
  if (shown < sorted.size()) text += fmt::format("  and {} more\n", sorted.size() - shown);
  return text;
}

std::string curve_text(const std::optional<NodeCurve>& curve) {
  if (!curve) return {};
  TextTable table;
  table.columns = {{"", Align::left},        {"nodes", Align::right},      {"ranks", Align::right},
                   {"grid", Align::left},    {"predicted", Align::right},  {"efficiency", Align::right},
                   {"memory", Align::right}, {"node-hours", Align::right}, {"", Align::left}};
  table.wrapped = 8;
  for (std::size_t i = 0; i < curve->points.size(); ++i) {
    const NodePoint& point = curve->points[i];
    table.rows.push_back({"", std::to_string(point.nodes), std::to_string(point.ranks), to_string(point.grid),
                          seconds_text(point.predicted_seconds), percent_text(efficiency(*curve, point)),
                          format_bytes(point.node_bytes), node_hours_text(node_hours(point)), node_remark(*curve, i)});
  }
  std::string text = fmt::format("\n{}\n{}", node_curve_title(*curve), table.render());
  for (const std::string& sentence : node_advice_sentences(*curve)) text += labelled("nodes", sentence);
  return text;
}

std::string plan_text(const Plan& plan, const std::string& title) {
  return fmt::format("{}\n{}{}{}{}", title, headline(plan), steps_text(plan), rejected_text(plan),
                     alternatives_text(plan));
}

}  // namespace

std::string render_text(const std::vector<Plan>& segments, const std::optional<NodeCurve>& node_curve) {
  if (segments.size() == 1) return plan_text(segments.front(), "Plan") + curve_text(segments.front().node_curve);
  const Plan all = summary_of(segments, node_curve);
  std::string text = fmt::format("Program of {} segments\n", segments.size());
  text += labelled("predicted", prediction_text(all));
  text += labelled("memory", memory_text(all));
  text += curve_text(all.node_curve);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    text += "\n" + plan_text(segments[i], fmt::format("Segment {} of {}", i + 1, segments.size()));
  }
  return text;
}

}  // namespace tilewright
