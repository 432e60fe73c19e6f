// Steps that bring the pixels of sources into the run.
#pragma once

#include "step_context.hpp"

namespace tilewright {

/// Whole, by the root, or by every rank its tile with what is to come along. Throws RuntimeError if a source is not
/// what it was when it was recorded.
void read_source(StepContext& context, const PlanStep& step);

}  // namespace tilewright
