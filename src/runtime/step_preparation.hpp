// What a step needs to know that can be worked out before the first one begins.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tilewright/model/plan.hpp"
#include "tilewright/pipeline/pipeline.hpp"
#include "tilewright/transfers/schedule.hpp"

namespace tilewright {

/// Whether the step sends an image that the program fetches to all ranks that were started, also to those that the plan
/// leaves idle, however many it was made for. Those share no memory with it.
[[nodiscard]] bool goes_to_all(const PlanStep& step, const Pipeline& pipeline);

struct StepPreparation {
  std::optional<Schedule> schedule;  ///< of a transfer
  std::int64_t scratch_bytes = 0;    ///< that a computation takes on this rank, copies of its inputs not counted
};

/// One for each step of the plan, as `rank` of `started` ranks needs it.
[[nodiscard]] std::vector<StepPreparation> prepare_steps(const Plan& plan, const Pipeline& pipeline, int rank,
                                                         int started);

}  // namespace tilewright
