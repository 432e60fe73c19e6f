// Wall-clock time, and the processor time of this thread, in seconds.
#pragma once

namespace tilewright {

[[nodiscard]] double now_s();

[[nodiscard]] double processor_s();

/// A stretch of time to be used up.
class Deadline {
 public:
  explicit Deadline(double seconds) : end_s_(now_s() + seconds) {}
  [[nodiscard]] double remaining_s() const { return end_s_ - now_s(); }

 private:
  double end_s_;
};

}  // namespace tilewright
