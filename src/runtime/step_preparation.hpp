// What a step needs to know that can be worked out before the first one begins.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tilewright/model/plan.hpp"
#include "tilewright/pipeline/pipeline.hpp"
#include "tilewright/transfers/schedule.hpp"

namespace tilewright {

struct StepPreparation {
  std::optional<Schedule> schedule;  ///< of a transfer
  std::int64_t scratch_bytes = 0;    ///< that a computation takes on this rank, copies of its inputs not counted
};

/// One for each step of the plan, as `rank` needs it; a rank that the plan leaves idle needs nothing.
[[nodiscard]] std::vector<StepPreparation> prepare_steps(const Plan& plan, const Pipeline& pipeline, int rank);

}  // namespace tilewright
