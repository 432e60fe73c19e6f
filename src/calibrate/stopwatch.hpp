// Wall-clock time, and the processor time of this thread, in seconds.
#pragma once

#include <chrono>
#include <ctime>

namespace tilewright {

[[nodiscard]] inline double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

[[nodiscard]] inline double processor_s() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// A stretch of time to be used up.
class Deadline {
 public:
  explicit Deadline(double seconds) : end_s_(now_s() + seconds) {}
  [[nodiscard]] double remaining_s() const { return end_s_ - now_s(); }

 private:
  double end_s_;
};

}  // namespace tilewright
