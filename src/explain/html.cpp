// One page without any other file: what the plan is, a table of its steps with bars, and what was not chosen.
#include <fmt/format.h>

#include <algorithm>

#include "alternatives.hpp"
#include "html_style.hpp"
#include "node_words.hpp"
#include "page_style.hpp"
#include "renderers.hpp"
#include "tilewright/core/units.hpp"
#include "tilewright/explain/page.hpp"
#include "tilewright/explain/plots.hpp"
#include "totals.hpp"
#include "words.hpp"

namespace tilewright {
namespace {

std::string escaped(std::string_view text) {
  return plots::escaped(one_line(text));
}

std::string property(std::string_view name, std::string_view value) {
  return fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, escaped(value));
}

std::string headline(const Plan& plan) {
  std::string text = "<dl>\n";
  text += property("machine", plan.machine) + property("model", plan.model);
  text += property("runs on", configuration_text(plan));
  text += property("predicted", prediction_text(plan));
  if (plan.tie) text += property("tie", tie_text(plan));
  text += property("memory of the root", format_bytes(plan.root_bytes));
  if (plan.rank_bytes > 0) text += property("memory of each other rank", "at most " + format_bytes(plan.rank_bytes));
  for (const std::string& note : plan.notes) text += property("note", note);
  if (plan.partial) text += property("partial", partial_text(plan));
  return text + "</dl>\n";
}

std::string cell(std::string_view text) {
  return fmt::format("<td>{}</td>", escaped(text));
}
std::string number(std::string_view text) {
  return fmt::format("<td class=\"number\">{}</td>", escaped(text));
}

template <class Name>
std::string name_cell(const std::optional<Name>& name) {
  return cell(name ? to_string(*name) : std::string_view());
}

double longest_seconds(const Plan& plan) {
  double longest = 0;
  for (const PlanStep& step : plan.steps) {
    longest = std::max({longest, step.predicted_seconds.value_or(0), step.measured_seconds.value_or(0)});
  }
  return longest;
}

std::string bar(std::string_view kind, const std::optional<double>& seconds, double longest_s) {
  if (!seconds || longest_s <= 0) return {};
  return fmt::format("<div class=\"bar {0}\" style=\"width:{1:.1f}%\" title=\"{0} {2}\"></div>", kind,
                     100 * *seconds / longest_s, format_seconds(*seconds));
}

/// The cells of the times; those of a measurement only where the plan has been measured.
std::string times(const Plan& plan, const std::optional<double>& predicted, const std::optional<double>& measured) {
  std::string text = number(seconds_text(predicted));
  if (is_measured(plan)) {
    text += number(measured ? format_seconds(*measured) : std::string()) + number(ratio_text(predicted, measured));
  }
  return text;
}

std::string step_row(const Plan& plan, std::size_t index, double longest_s) {
  const PlanStep& step = plan.steps[index];
  std::string text = "<tr>" + number(std::to_string(index + 1)) + cell(to_string(step.kind));
  text += fmt::format("<td class=\"what\">{}</td>", escaped(what_text(plan, step)));
  text += cell(to_string(step.site)) + cell(way_text(step)) + cell(step.layout) + name_cell(step.packing);
  text += number(step.messages == 0 ? std::string() : std::to_string(step.messages));
  text += number(step.bytes == 0 ? std::string() : format_bytes(step.bytes));
  text += times(plan, comparable_prediction(step), step.measured_seconds);
  return text + fmt::format("<td class=\"bars\">{}{}</td></tr>\n",
                            bar("predicted", comparable_prediction(step), longest_s),
                            bar("measured", step.measured_seconds, longest_s));
}

std::string total_row(const Plan& plan) {
  const StepTotals totals = totals_of(plan.steps);
  return "<tr class=\"total\"><td></td><td>total</td><td></td><td></td><td></td><td></td><td></td>" +
         number(std::to_string(totals.messages)) + number(format_bytes(totals.bytes)) +
         times(plan, totals.predicted_seconds, totals.measured_seconds) + "<td></td></tr>\n";
}

std::string steps_table(const Plan& plan) {
  const bool measured = is_measured(plan);
  std::string text =
      "<div class=\"wide\"><table>\n<tr><th class=\"number\">#</th><th>step</th><th>what</th><th>site</th>"
      "<th>algorithm</th><th>layout</th><th>packing</th><th class=\"number\">messages</th><th "
      "class=\"number\">bytes</th>"
      "<th class=\"number\">predicted</th>";
  if (measured) text += "<th class=\"number\">measured</th><th class=\"number\">ratio</th>";
  text += "<th><span class=\"key predicted\"></span>predicted";
  if (measured) text += "<span class=\"key measured\"></span>measured";
  text += "</th></tr>\n";
  for (std::size_t i = 0; i < plan.steps.size(); ++i) text += step_row(plan, i, longest_seconds(plan));
  return text + total_row(plan) + "</table></div>\n";
}

/// What the plan's transfers do not use; every step has its rows.
std::string rejected_table(const Plan& plan) {
  std::string rows;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    for (const RejectedAlgorithm& other : plan.steps[i].rejected) {
      rows += "<tr>" + number(std::to_string(i + 1)) + cell(to_string(plan.steps[i].kind)) +
              cell(rejected_way_text(plan.steps[i], other)) + number(seconds_text(other.predicted_seconds)) +
              cell(other.why_not) + "</tr>\n";
    }
  }
  if (rows.empty()) return {};
  return "<h3>Transfers, otherwise</h3>\n<div class=\"wide\"><table>\n<tr><th class=\"number\">#</th><th>step</th>"
         "<th>algorithm</th><th class=\"number\">predicted</th><th>why not</th></tr>\n" +
         rows + "</table></div>\n";
}

std::string alternatives_table(const Plan& plan) {
  if (plan.alternatives.empty()) return {};
  std::string text =
      "<h3>Not chosen</h3>\n<div class=\"wide\"><table>\n<tr><th class=\"number\">ranks</th><th>grid</th>"
      "<th class=\"number\">predicted</th><th>why not</th></tr>\n";
  for (const Alternative& other : best_first(plan.alternatives)) {
    text += "<tr>" + number(std::to_string(other.ranks)) + cell(grids_text(other)) + number(seconds_text(other)) +
            cell(other.why_not) + "</tr>\n";
  }
  return text + "</table></div>\n";
}

std::string node_row(const NodeCurve& curve, std::size_t index) {
  const NodePoint& point = curve.points[index];
  return "<tr>" + number(std::to_string(point.nodes)) + number(std::to_string(point.ranks)) +
         cell(to_string(point.grid)) + number(seconds_text(point.predicted_seconds)) +
         number(percent_text(efficiency(curve, point))) + number(format_bytes(point.node_bytes)) +
         number(node_hours_text(node_hours(point))) + cell(node_remark(curve, index)) + "</tr>\n";
}

std::string node_section(const NodeCurve& curve) {
  std::string text = fmt::format("<h2>{}</h2>\n", escaped(node_curve_title(curve)));
  text += "<ul>\n";
  for (const std::string& sentence : node_advice_sentences(curve)) {
    text += fmt::format("<li>{}</li>\n", escaped(sentence));
  }
  text += "</ul>\n";
  text += fmt::format("<div style=\"max-width:40rem\">{}</div>\n", plots::node_plot(curve));
  text +=
      "<div class=\"wide\"><table>\n<tr><th class=\"number\">nodes</th><th class=\"number\">ranks</th><th>grid</th>"
      "<th class=\"number\">predicted</th><th class=\"number\">efficiency</th>"
      "<th class=\"number\">memory of a node</th><th class=\"number\">node-hours</th><th></th></tr>\n";
  for (std::size_t i = 0; i < curve.points.size(); ++i) text += node_row(curve, i);
  return text + "</table></div>\n";
}

std::string plan_section(const Plan& plan, std::size_t index, std::size_t count) {
  std::string text;
  if (count > 1) text += fmt::format("<h2>Segment {} of {}</h2>\n", index + 1, count);
  return text + headline(plan) + "<h3>Steps</h3>\n" + steps_table(plan) + rejected_table(plan) +
         alternatives_table(plan);
}

}  // namespace

std::string render_html(const std::vector<Plan>& segments, const std::optional<NodeCurve>& node_curve) {
  const Plan all = summary_of(segments, node_curve);
  const std::string style =
      all.node_curve ? fmt::format("{}{}{}", plots::palette, plots::plot_style, html_style) : std::string(html_style);
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\">\n<title>Plan for {}</title>\n<style>{}</style>\n</head>\n"
      "<body>\n<h1>Plan for {}: {}</h1>\n",
      escaped(all.machine), style, escaped(all.machine), seconds_text(all.predicted_seconds));
  // As in the text: what holds for several segments stands before them.
  const std::string nodes = all.node_curve ? node_section(*all.node_curve) : std::string();
  if (segments.size() > 1) text += nodes;
  for (std::size_t i = 0; i < segments.size(); ++i) text += plan_section(segments[i], i, segments.size());
  if (segments.size() == 1) text += nodes;
  return text + "</body>\n</html>\n";
}

}  // namespace tilewright
