// How a rank passes the time until something has happened.
#pragma once

#include <chrono>

#include "arrivals.hpp"
#include "tilewright/runtime/communicator.hpp"

namespace tilewright {

/// One wait. Call pause() after every test that failed. Fast: no pause at first, for a sleep costs more than most
/// messages take; a wait that has become long yields the core. Polite: a few tests, then yield, then short sleeps that
/// grow, because whoever is waited for may need this very core (REFERENCE 6: 932 ms against 80 ms). `share`: of a core
/// that is this rank's. Every test takes some of it, so the smaller the share the fewer tests and the longer sleeps: a
/// rank with 2 % of a core that tests 2000 times a second has nothing left to work with when its message comes. What
/// arrives through the kernel ends a sleep. Resting: sleeps from the first on, which are longer.
class Patience {
 public:
  /// `arrivals` must outlive it.
  Patience(WaitPolicy policy, double share, Arrivals& arrivals);
  void pause();

 private:
  [[nodiscard]] std::chrono::microseconds shortest_sleep() const;
  [[nodiscard]] std::chrono::steady_clock::duration waited();

  WaitPolicy policy_;
  Arrivals& arrivals_;
  int tests_before_yield_;
  int tests_before_sleep_;
  std::chrono::microseconds longest_sleep_;
  std::chrono::microseconds interval_;  ///< between arrivals that are answered, in a long wait
  std::chrono::duration<double> growth_;
  int tests_ = 0;
  int arrivals_seen_ = 0;
  bool look_again_ = false;
  std::chrono::microseconds sleep_{0};
  std::chrono::steady_clock::time_point begin_{};
};

}  // namespace tilewright
