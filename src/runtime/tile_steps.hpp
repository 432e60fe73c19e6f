// Steps in which ranks compute their tiles.
#pragma once

#include <span>
#include <vector>

#include "step_context.hpp"
#include "step_preparation.hpp"

namespace tilewright {

/// The results of the step's operator on this rank's tile, which must not be empty.
void compute_tile(StepContext& context, const PlanStep& step, const StepPreparation& prepared);

/// An exchange whose messages travel while the operator after it computes the middle of the tile; then it computes the
/// rest. What lies beyond the image is filled before the messages leave, which may hold some of it, and again when they
/// have come. Returns what part of the time each of the two steps took: to the exchange counts what is not computed
/// meanwhile.
[[nodiscard]] std::vector<double> exchange_and_compute(StepContext& context, std::span<const PlanStep> steps,
                                                       std::span<const StepPreparation> prepared);

}  // namespace tilewright
