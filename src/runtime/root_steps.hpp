// Steps in which the root computes whole images and stores them.
#pragma once

#include <span>
#include <vector>

#include "step_context.hpp"
#include "step_preparation.hpp"

namespace tilewright {

/// The results of the step's operator, whole.
void compute_whole(StepContext& context, const PlanStep& step, const StepPreparation& prepared);

/// What is computed in bands, and the writes of it. Returns what part of the time each step took.
[[nodiscard]] std::vector<double> compute_and_write(StepContext& context, std::span<const PlanStep> steps,
                                                    const StepPreparation& prepared);

/// Writes that are done at the same time.
void write_whole(StepContext& context, std::span<const PlanStep> steps);

}  // namespace tilewright
