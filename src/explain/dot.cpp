// The path of a plan through the state-transition graph, for Graphviz: states are the placements of all live images,
// edges are steps.
#include <fmt/format.h>

#include "placements.hpp"
#include "renderers.hpp"
#include "words.hpp"

namespace tilewright {
namespace {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : one_line(text)) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

/// The lines of a label, each flushed left.
std::string label(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += escaped(line) + "\\l";
  return text;
}

std::string node(std::size_t segment, std::size_t state, const Placements& placements) {
  const std::vector<std::string> lines = placements.lines();
  return fmt::format("    s{}_{} [label=\"{}\"];\n", segment, state,
                     lines.empty() ? std::string("no image\\l") : label(lines));
}

std::string edge(std::size_t segment, std::size_t index, const Plan& plan, const PlanStep& step) {
  const std::string way = way_text(step);
  const std::string by = step.algorithm ? " by " : " ";
  std::vector<std::string> lines{
      fmt::format("{}. {}{}", index + 1, to_string(step.kind), way.empty() ? std::string() : by + way),
      what_text(plan, step)};
  std::string time = seconds_text(comparable_prediction(step));
  if (step.measured_seconds) time += fmt::format(", measured {}", seconds_text(step.measured_seconds));
  lines.push_back(std::move(time));
  return fmt::format("    s{0}_{1} -> s{0}_{2} [label=\"{3}\"];\n", segment, index, index + 1, label(lines));
}

std::string segment_graph(std::size_t segment, const Plan& plan) {
  std::string text = fmt::format("  subgraph cluster_{} {{\n    label=\"{}\";\n", segment,
                                 escaped(fmt::format("{}, model {}: {}, predicted {}", plan.machine, plan.model,
                                                     configuration_text(plan), seconds_text(plan.predicted_seconds))));
  Placements placements(plan);
  text += node(segment, 0, placements);
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    placements.follow(plan.steps[i]);
    text += node(segment, i + 1, placements) + edge(segment, i, plan, plan.steps[i]);
  }
  return text + "  }\n";
}

}  // namespace

std::string render_dot(const std::vector<Plan>& segments) {
  std::string text =
      "digraph plan {\n  node [shape=box, fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\"];\n";
  for (std::size_t i = 0; i < segments.size(); ++i) {
    text += segment_graph(i, segments[i]);
    if (i > 0) text += fmt::format("  s{}_{} -> s{}_0 [style=dashed];\n", i - 1, segments[i - 1].steps.size(), i);
  }
  return text + "}\n";
}

}  // namespace tilewright
