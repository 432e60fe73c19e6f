// What several segments, or the steps of one, come to together.
#pragma once

#include <optional>
#include <vector>

#include "tilewright/model/plan.hpp"

namespace tilewright {

/// Sums over the steps of one plan.
struct StepTotals {
  std::int64_t messages = 0;
  std::int64_t bytes = 0;                   ///< of all steps
  std::optional<double> predicted_seconds;  ///< without hidden ones; none if one of the steps is unknown
  std::optional<double> measured_seconds;   ///< none if no step was measured
};
[[nodiscard]] StepTotals totals_of(const std::vector<PlanStep>& steps);

/// One plan that stands for all segments, which run one after another: times are sums (none if one is unknown; the
/// uncertainties too, for segments are priced by the same cells), memory
/// is the largest, and the configuration that of the segment with the most ranks. Its steps and images are empty, its
/// notes are those of all, each once. Its node curve is the one that is given, else it has the counts that all segments
/// show. `segments` must not be empty.
[[nodiscard]] Plan summary_of(const std::vector<Plan>& segments, const std::optional<NodeCurve>& node_curve = {});

/// True if a step of `plan` was measured.
[[nodiscard]] bool is_measured(const Plan& plan);

}  // namespace tilewright
