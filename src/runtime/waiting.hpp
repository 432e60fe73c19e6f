// How a rank passes the time until something has happened.
#pragma once

#include <chrono>

#include "tilewright/runtime/communicator.hpp"

namespace tilewright {

/// One wait. Call pause() after every test that failed. Fast: no pause at first, for a sleep costs more than most
/// messages take; a wait that has become long yields the core. Polite: a few tests, then yield, then short sleeps that
/// grow, because whoever is waited for may need this very core (REFERENCE 6: 932 ms against 80 ms).
class Patience {
 public:
  explicit Patience(WaitPolicy policy) : policy_(policy) {}
  void pause();

 private:
  WaitPolicy policy_;
  int tests_ = 0;
  std::chrono::microseconds sleep_{0};
  std::chrono::steady_clock::time_point begin_{};
};

}  // namespace tilewright
