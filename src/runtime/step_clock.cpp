#include "step_clock.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

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
  const std::string mine = fmt::format("{} {} {}", peak_bytes, seconds_since(begin_), fmt::join(seconds_, " "));
  Trace trace{plan, 0, {}};
  for (const std::string& text : communicator_.gather(mine)) {
    std::istringstream stream(text);
    std::int64_t bytes = 0;
    double total = 0;
    stream >> bytes >> total;
    trace.peak_bytes.push_back(bytes);
    trace.measured_seconds = std::max(trace.measured_seconds, total);
    double seconds = 0;
    for (std::size_t i = 0; stream >> seconds; ++i) {
      auto& measured = trace.plan.steps[i].measured_seconds;
      measured = std::max(measured.value_or(0), seconds);
    }
  }
  return trace;
}

}  // namespace tilewright
