// Sleeping until the kernel has something for this process.
#pragma once

#include <poll.h>

#include <chrono>
#include <vector>

namespace tilewright {

/// The event queues (epoll) that MPI's transport has opened: where messages come through the kernel, over TCP, one of
/// them becomes readable when something has arrived. MPI itself offers no way to wait but to test again and again.
/// Not thread-safe.
class Arrivals {
 public:
  /// No event queues: a sleep is a sleep.
  Arrivals() = default;
  /// The event queues that this process has now; call it after MPI's start. None on a node with InfiniBand, whose
  /// messages no queue tells of.
  [[nodiscard]] static Arrivals of_this_process();

  [[nodiscard]] bool are_seen() const { return !queues_.empty(); }
  /// Sleeps for `longest`, or until something has arrived, which it tells. Arrivals end it no sooner than `interval` after
  /// they last did: while a long message comes in, there is always something new.
  bool sleep(std::chrono::microseconds longest, std::chrono::microseconds interval);

 private:
  using Clock = std::chrono::steady_clock;
  std::vector<pollfd> queues_;
  Clock::time_point woken_{};
};

}  // namespace tilewright
