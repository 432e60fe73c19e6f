// Wall-clock time of this process, in seconds.
#pragma once

#include <chrono>

namespace tilewright {

[[nodiscard]] inline double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
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
