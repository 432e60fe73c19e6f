#include "step_clock.hpp"

#include <algorithm>
#include <vector>

namespace tilewright {
namespace {

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

StepClock::StepClock(const Communicator& communicator, bool each_step) : communicator_(communicator) {
  if (each_step) start_.emplace(communicator);
  // Whoever has waited long in a barrier sleeps long between its tests and leaves it late; in a second one nobody waits
  // long.
  communicator_.barrier();
  communicator_.barrier();
  begin_ = step_begin_ = Clock::now();
}

void StepClock::begin_step() {
  if (!start_) return;
  start_->wait();
  step_begin_ = Clock::now();
}

void StepClock::end_steps(std::span<const double> parts) {
  if (!start_) return;
  const double seconds = seconds_since(step_begin_);
  for (const double part : parts) seconds_.push_back(part * seconds);
}

Trace StepClock::trace(const Plan& plan, std::int64_t peak_bytes) const {
  std::vector<double> own{static_cast<double>(peak_bytes), seconds_since(begin_)};
  own.insert(own.end(), seconds_.begin(), seconds_.end());
  const std::vector<double> all = communicator_.gather(own);
  Trace trace{plan, 0, {}};
  for (std::size_t first = 0; first < all.size(); first += own.size()) {
    trace.peak_bytes.push_back(static_cast<std::int64_t>(all[first]));
    trace.measured_seconds = std::max(trace.measured_seconds, all[first + 1]);
    for (std::size_t i = 0; i < seconds_.size(); ++i) {
      auto& measured = trace.plan.steps[i].measured_seconds;
      measured = std::max(measured.value_or(0), all[first + 2 + i]);
    }
  }
  return trace;
}

}  // namespace tilewright
