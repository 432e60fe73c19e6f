// Steps that compute whole images, on the root or on every rank, and in which the root stores them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "step_context.hpp"
#include "step_preparation.hpp"

namespace tilewright {

/// The results of the step's operator, whole.
void compute_whole(StepContext& context, const PlanStep& step, const StepPreparation& prepared);

/// What is computed in bands, and the writes and reductions of it, whose partial results go to `partials`, by step.
/// Returns what part of the time each step took.
[[nodiscard]] std::vector<double> compute_and_put_out(StepContext& context, std::span<const PlanStep> steps,
                                                      const StepPreparation& prepared,
                                                      std::span<std::vector<std::byte>> partials);

/// Writes that are done at the same time.
void write_whole(StepContext& context, std::span<const PlanStep> steps);

}  // namespace tilewright
