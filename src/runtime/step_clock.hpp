// How long the steps of a plan take.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <vector>

#include "tilewright/model/plan.hpp"
#include "tilewright/runtime/common_start.hpp"
#include "tilewright/runtime/communicator.hpp"

namespace tilewright {

/// Times a run on this rank. If steps are timed one by one, all ranks begin each of them together, so that none
/// pays for the one before; a step's time is then that of the slowest rank.
class StepClock {
 public:
  /// Collective.
  StepClock(const Communicator& communicator, bool each_step);
  void begin_step();
  /// Ends steps that were begun together; each took its part of the time.
  void end_steps(std::span<const double> parts);
  /// The plan with its measured times, on the root; elsewhere the plan. Collective.
  [[nodiscard]] Trace trace(const Plan& plan, std::int64_t peak_bytes) const;

 private:
  using Clock = std::chrono::steady_clock;
  const Communicator& communicator_;
  std::optional<CommonStart> start_;  ///< of each step, if steps are timed one by one
  Clock::time_point begin_;
  Clock::time_point step_begin_;
  std::vector<double> seconds_;
};

}  // namespace tilewright
