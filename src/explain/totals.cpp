#include "totals.hpp"

#include <algorithm>

namespace tilewright {
namespace {

void add(std::optional<double>& sum, const std::optional<double>& value) {
  if (sum && value) {
    *sum += *value;
  } else {
    sum.reset();
  }
}

void add_notes(Plan& summary, const Plan& segment) {
  for (const std::string& note : segment.notes) {
    const bool known = std::find(summary.notes.begin(), summary.notes.end(), note) != summary.notes.end();
    if (!known) summary.notes.push_back(note);
  }
}

}  // namespace

StepTotals totals_of(const std::vector<PlanStep>& steps) {
  StepTotals totals;
  totals.predicted_seconds = 0;
  for (const PlanStep& step : steps) {
    totals.messages += step.messages;
    totals.bytes += step.bytes;
    add(totals.predicted_seconds, step.predicted_seconds);
    if (step.measured_seconds) totals.measured_seconds = totals.measured_seconds.value_or(0) + *step.measured_seconds;
  }
  return totals;
}

Plan summary_of(const std::vector<Plan>& segments) {
  const Plan& widest = *std::max_element(segments.begin(), segments.end(),
                                         [](const Plan& a, const Plan& b) { return a.ranks < b.ranks; });
  Plan summary;
  summary.machine = widest.machine;
  summary.model = widest.model;
  summary.ranks = widest.ranks;
  summary.threads = widest.threads;
  summary.grid = widest.grid;
  summary.predicted_seconds = 0;
  summary.lower_bound_seconds = 0;
  summary.proven_optimal = true;
  for (const Plan& segment : segments) {
    add(summary.predicted_seconds, segment.predicted_seconds);
    add(summary.lower_bound_seconds, segment.lower_bound_seconds);
    summary.proven_optimal = summary.proven_optimal && segment.proven_optimal;
    summary.partial = summary.partial || segment.partial;
    summary.root_bytes = std::max(summary.root_bytes, segment.root_bytes);
    summary.rank_bytes = std::max(summary.rank_bytes, segment.rank_bytes);
    add_notes(summary, segment);
  }
  return summary;
}

bool is_measured(const Plan& plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(),
                     [](const PlanStep& step) { return step.measured_seconds.has_value(); });
}

}  // namespace tilewright
