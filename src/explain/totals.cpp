#include "totals.hpp"

#include <algorithm>
#include <set>

#include "tilewright/core/error.hpp"
#include "tilewright/core/node_mapping.hpp"
#include "tilewright/explain/render.hpp"

namespace tilewright {
namespace {

void add(std::optional<double>& sum, const std::optional<double>& value) {
  if (sum && value) {
    *sum += *value;
  } else {
    sum.reset();
  }
}

/// The segments one after another: a tie if one of them is.
void add_ties(Plan& summary, const std::vector<Plan>& segments) {
  TieZone sum;
  sum.fastest_grid = summary.grid;
  for (const Plan& segment : segments) {
    sum.fastest_seconds += segment.tie ? segment.tie->fastest_seconds : segment.predicted_seconds.value_or(0);
    sum.zone_seconds += segment.tie ? segment.tie->zone_seconds : 0;
    if (segment.tie && segment.ranks == summary.ranks) sum.fastest_grid = segment.tie->fastest_grid;
  }
  const bool any = std::any_of(segments.begin(), segments.end(), [](const Plan& s) { return s.tie.has_value(); });
  if (any) summary.tie = sum;
}

void add_notes(Plan& summary, const Plan& segment) {
  for (const std::string& note : segment.notes) {
    const bool known = std::find(summary.notes.begin(), summary.notes.end(), note) != summary.notes.end();
    if (!known) summary.notes.push_back(note);
  }
}

/// The point of a segment for so many nodes.
const NodePoint* point_of(const Plan& segment, int nodes) {
  const auto& points = segment.node_curve->points;
  const auto found = std::find_if(points.begin(), points.end(), [&](const NodePoint& p) { return p.nodes == nodes; });
  return found == points.end() ? nullptr : &*found;
}

/// All segments on so many nodes; none if the curve of one of them does not show that count.
std::optional<NodePoint> sum_of_points(const std::vector<Plan>& segments, int nodes) {
  NodePoint sum{nodes, 1, {1, 1}, 0.0, 0};
  for (const Plan& segment : segments) {
    const NodePoint* point = point_of(segment, nodes);
    if (point == nullptr) return std::nullopt;
    if (point->ranks > sum.ranks) {
      sum.ranks = point->ranks;
      sum.grid = point->grid;
    }
    add(sum.predicted_seconds, point->predicted_seconds);
    sum.node_bytes = std::max(sum.node_bytes, point->node_bytes);
  }
  return sum;
}

/// None if a segment has none.
std::optional<NodeCurve> sum_of_curves(const std::vector<Plan>& segments) {
  const bool all =
      std::all_of(segments.begin(), segments.end(), [](const Plan& s) { return s.node_curve.has_value(); });
  if (!all) return std::nullopt;
  NodeCurve sum = *segments.front().node_curve;
  sum.points.clear();
  for (const NodePoint& shown : segments.front().node_curve->points) {
    if (const auto point = sum_of_points(segments, shown.nodes)) sum.points.push_back(*point);
  }
  return sum;
}

}  // namespace

StepTotals totals_of(const std::vector<PlanStep>& steps) {
  StepTotals totals;
  totals.predicted_seconds = 0;
  for (const PlanStep& step : steps) {
    totals.messages += step.messages;
    totals.bytes += step.bytes;
    add(totals.predicted_seconds, step.predicted_seconds);
    if (totals.predicted_seconds) *totals.predicted_seconds -= step.hidden_seconds;
    if (step.measured_seconds) totals.measured_seconds = totals.measured_seconds.value_or(0) + *step.measured_seconds;
  }
  return totals;
}

Plan summary_of(const std::vector<Plan>& segments, const std::optional<NodeCurve>& node_curve) {
  const Plan& widest = *std::max_element(segments.begin(), segments.end(),
                                         [](const Plan& a, const Plan& b) { return a.ranks < b.ranks; });
  Plan summary;
  summary.machine = widest.machine;
  summary.model = widest.model;
  summary.ranks = widest.ranks;
  summary.ranks_per_node = widest.ranks_per_node;
  summary.threads = widest.threads;
  summary.grid = widest.grid;
  summary.predicted_seconds = 0;
  summary.lower_bound_seconds = 0;
  summary.uncertainty_seconds = 0;
  summary.proven_optimal = true;
  for (const Plan& segment : segments) {
    add(summary.predicted_seconds, segment.predicted_seconds);
    add(summary.lower_bound_seconds, segment.lower_bound_seconds);
    add(summary.uncertainty_seconds, segment.uncertainty_seconds);
    summary.proven_optimal = summary.proven_optimal && segment.proven_optimal;
    summary.partial = summary.partial || segment.partial;
    summary.root_bytes = std::max(summary.root_bytes, segment.root_bytes);
    summary.rank_bytes = std::max(summary.rank_bytes, segment.rank_bytes);
    add_notes(summary, segment);
  }
  add_ties(summary, segments);
  summary.node_curve = node_curve ? node_curve : sum_of_curves(segments);
  return summary;
}

std::optional<NodeCurve> unplanned_curve(const std::vector<Plan>& segments) {
  if (segments.empty()) return std::nullopt;
  std::optional<NodeCurve> curve = sum_of_curves(segments);
  return curve && curve->points.empty() ? curve : std::nullopt;
}

std::vector<int> counts_to_plan(const NodeCurve& curve, const std::vector<Plan>& segments) {
  const std::vector<int> shown = shown_node_counts(curve.first, curve.last);
  std::set<int> counts(shown.begin(), shown.end());
  int used = curve.first;
  for (const Plan& plan : segments) used = std::max(used, nodes_of(plan.ranks, plan.ranks_per_node));
  counts.insert(std::min(used, curve.last));
  return {counts.begin(), counts.end()};
}

NodePoint point_of_program(int nodes, const std::vector<Plan>& segments) {
  if (segments.empty()) throw ParameterError("a program that plans nothing takes no nodes");
  const Plan all = summary_of(segments);
  NodePoint point{nodes, all.ranks, all.grid, all.predicted_seconds, 0};
  for (const Plan& plan : segments) point.node_bytes = std::max(point.node_bytes, node_bytes(plan));
  return point;
}

bool is_measured(const Plan& plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(),
                     [](const PlanStep& step) { return step.measured_seconds.has_value(); });
}

}  // namespace tilewright
