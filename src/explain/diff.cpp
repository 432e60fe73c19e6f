#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "diff_lines.hpp"
#include "tilewright/core/units.hpp"
#include "tilewright/explain/render.hpp"
#include "totals.hpp"
#include "words.hpp"

namespace tilewright {
namespace {

/// "a -> b"; with all digits where the short form hides the difference.
std::string change(const std::string& a, const std::string& b) {
  return fmt::format("{} -> {}", a, b);
}

std::string change(const std::optional<double>& a, const std::optional<double>& b) {
  const std::string short_form = change(seconds_text(a), seconds_text(b));
  if (!a || !b) return short_form;
  const std::string relative = *a > 0 ? fmt::format(" ({:+.1f} %)", 100 * (*b / *a - 1)) : std::string();
  return seconds_text(a) != seconds_text(b) ? short_form + relative : fmt::format("{} s -> {} s", *a, *b);
}

std::string change(std::int64_t a, std::int64_t b) {
  const std::string short_form = change(format_bytes(a), format_bytes(b));
  return format_bytes(a) != format_bytes(b) ? short_form : fmt::format("{} B -> {} B", a, b);
}

/// "name: a -> b" if they differ.
template <class Value>
void add(std::string& text, std::string_view name, const Value& a, const Value& b) {
  if (a != b) text += fmt::format("{:<17}{}\n", fmt::format("{}:", name), change(a, b));
}

std::string tie_line(const Plan& plan) {
  if (!plan.tie) return "none";
  return fmt::format("{} s as {}, zone {} s", plan.tie->fastest_seconds, to_string(plan.tie->fastest_grid),
                     plan.tie->zone_seconds);
}
std::string extent_text(const Plan& plan) {
  return plan.partial ? "partial" : "complete";
}

std::string image_line(const PlanImage& image) {
  return fmt::format("{} {}, halo {}x{}{}", image.name, to_string(image.shape), image.storage_halo.x,
                     image.storage_halo.y, image.stays_on_tiles ? ", stays on the tiles" : "");
}

std::string configuration_text(const Alternative& other) {
  return fmt::format("{} ranks, {}", other.ranks, grids_text(other));
}

std::string alternative_line(const Alternative& other) {
  return one_line(fmt::format("{}, {}: {}", configuration_text(other), seconds_text(other), other.why_not));
}

std::string point_line(const NodePoint& point) {
  return fmt::format("{}: {} as {}, {}, {} of a node", counted(point.nodes, "node"), counted(point.ranks, "rank"),
                     to_string(point.grid), seconds_text(point.predicted_seconds), format_bytes(point.node_bytes));
}

/// All that a step does, without its times.
std::string step_line(const Plan& plan, const PlanStep& step) {
  std::string line = fmt::format("{} {} ({}", to_string(step.kind), what_text(plan, step), to_string(step.site));
  if (const std::string way = way_text(step); !way.empty()) line += ", " + way;
  if (step.packing) line += fmt::format(", {}", to_string(*step.packing));
  if (!step.layout.empty()) line += fmt::format(", {}", one_line(step.layout));
  if (step.messages > 0) line += fmt::format(", {}", counted(step.messages, "message"));
  if (step.bytes > 0) line += fmt::format(", {}", counted(step.bytes, "byte"));
  if (step.output >= 0) line += fmt::format(", output {}", step.output);
  std::vector<std::string> released;
  for (const Release& release : step.releases) {
    released.push_back(image_name(plan, release.image) + (release.whole ? "" : " tiles"));
  }
  if (!released.empty()) line += fmt::format(", releases {}", fmt::join(released, " "));
  return line + ")";
}

/// By what they are alternatives of: there are tens of thousands, in another order once their times differ.
std::string alternatives_diff(const std::vector<Alternative>& a, const std::vector<Alternative>& b) {
  std::multimap<std::string, std::string> others;  // of b, by configuration; equal ones in order
  for (const Alternative& other : b) others.emplace(configuration_text(other), alternative_line(other));
  std::string text;
  for (const Alternative& other : a) {
    const std::string line = alternative_line(other);
    const auto same = others.find(configuration_text(other));
    if (same == others.end()) {
      text += "  - " + line + "\n";
      continue;
    }
    if (same->second != line) text += "  - " + line + "\n  + " + same->second + "\n";
    others.erase(same);
  }
  for (const auto& other : others) text += "  + " + other.second + "\n";
  return text;
}

template <class Element, class Line>
std::vector<std::string> lines_of(const std::vector<Element>& elements, Line&& line) {
  std::vector<std::string> lines;
  for (const Element& element : elements) lines.push_back(one_line(line(element)));
  return lines;
}

void add_section(std::string& text, std::string_view name, const std::string& lines) {
  if (!lines.empty()) text += fmt::format("{}:\n{}", name, lines);
}

std::string configuration_diff(const Plan& a, const Plan& b) {
  std::string text;
  add(text, "machine", one_line(a.machine), one_line(b.machine));
  add(text, "model", one_line(a.model), one_line(b.model));
  add(text, "ranks", std::to_string(a.ranks), std::to_string(b.ranks));
  add(text, "ranks a node", std::to_string(a.ranks_per_node), std::to_string(b.ranks_per_node));
  add(text, "grid", to_string(a.grid), to_string(b.grid));
  add(text, "threads", std::to_string(a.threads), std::to_string(b.threads));
  add(text, "predicted", a.predicted_seconds, b.predicted_seconds);
  add(text, "uncertainty", a.uncertainty_seconds, b.uncertainty_seconds);
  add(text, "lower bound", a.lower_bound_seconds, b.lower_bound_seconds);
  add(text, "proof", proof_text(a), proof_text(b));
  add(text, "tie", tie_line(a), tie_line(b));
  add(text, "extent", extent_text(a), extent_text(b));
  add(text, "pipeline", fmt::format("{:016x}", a.pipeline_hash), fmt::format("{:016x}", b.pipeline_hash));
  add(text, "memory of root", a.root_bytes, b.root_bytes);
  add(text, "memory of ranks", a.rank_bytes, b.rank_bytes);
  return text;
}

/// The times of steps that are the same in both plans.
std::string time_diff(const Plan& a, const Plan& b, const std::vector<LinePair>& common) {
  std::string text;
  for (const auto& [i, j] : common) {
    const PlanStep& left = a.steps[i];
    const PlanStep& right = b.steps[j];
    const std::string name = fmt::format("  {} {}", to_string(left.kind), what_text(a, left));
    if (left.predicted_seconds != right.predicted_seconds) {
      text += fmt::format("{}: predicted {}\n", name, change(left.predicted_seconds, right.predicted_seconds));
    }
    if (left.measured_seconds != right.measured_seconds) {
      text += fmt::format("{}: measured {}\n", name, change(left.measured_seconds, right.measured_seconds));
    }
  }
  return text;
}

std::string steps_diff(const Plan& a, const Plan& b) {
  const auto left = lines_of(a.steps, [&](const PlanStep& step) { return step_line(a, step); });
  const auto right = lines_of(b.steps, [&](const PlanStep& step) { return step_line(b, step); });
  std::string text;
  add_section(text, "steps", diff_lines(left, right));
  add_section(text, "times", time_diff(a, b, common_lines(left, right)));
  return text;
}

std::string plan_diff(const Plan& a, const Plan& b) {
  std::string text = configuration_diff(a, b);
  add_section(text, "notes", diff_lines(lines_of(a.notes, one_line), lines_of(b.notes, one_line)));
  add_section(text, "images", diff_lines(lines_of(a.images, image_line), lines_of(b.images, image_line)));
  text += steps_diff(a, b);
  add_section(text, "not chosen", alternatives_diff(a.alternatives, b.alternatives));
  const auto points = [](const Plan& plan) {
    return plan.node_curve ? plan.node_curve->points : std::vector<NodePoint>();
  };
  add_section(text, "nodes", diff_lines(lines_of(points(a), point_line), lines_of(points(b), point_line)));
  if (text.empty() && a != b) text = "the plans differ in details that this text does not show: compare the JSON\n";
  return text;
}

}  // namespace

std::string diff(const std::vector<Plan>& a, const std::vector<Plan>& b) {
  if (a.size() == 1 && b.size() == 1) return plan_diff(a.front(), b.front());
  std::string text;
  add(text, "segments", std::to_string(a.size()), std::to_string(b.size()));
  if (!a.empty() && !b.empty()) {
    add(text, "predicted", summary_of(a).predicted_seconds, summary_of(b).predicted_seconds);
  }
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    add_section(text, fmt::format("segment {}", i + 1), plan_diff(a[i], b[i]));
  }
  return text;
}

}  // namespace tilewright
