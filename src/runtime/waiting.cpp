#include "waiting.hpp"

#include <sched.h>

#include <algorithm>
#include <thread>

namespace tilewright {
namespace {

using namespace std::chrono_literals;

// Of a rank with a core of its own.
constexpr int polite_tests = 20;
constexpr int polite_yields = 60;
constexpr auto first_sleep = 20us;
/// Waking up and testing takes some 40 us where messages come through the kernel. A sleep of ten times that, over the
/// share, leaves nine tenths of it.
constexpr auto sleep_over_share = 400us;
/// The parts of a long message follow each other closely, and the sooner they are taken the sooner more are sent.
constexpr auto shortest_limit = 500us;
constexpr auto longest_limit = 10ms;
constexpr int fast_tests_between_clocks = 1024;
constexpr auto fast_patience = 50ms;

int scaled(int tests, double share) {
  return std::max(1, static_cast<int>(tests * share));
}

}  // namespace

Patience::Patience(WaitPolicy policy, double share)
    : policy_(policy),
      tests_before_yield_(scaled(polite_tests, std::min(1.0, share))),
      tests_before_sleep_(tests_before_yield_ + scaled(polite_yields, std::min(1.0, share))),
      longest_sleep_(std::clamp<std::chrono::microseconds>(
          std::chrono::duration_cast<std::chrono::microseconds>(sleep_over_share / std::max(share, 1e-3)),
          shortest_limit, longest_limit)) {}

void Patience::pause() {
  ++tests_;
  if (policy_ == WaitPolicy::fast) {
    if (tests_ % fast_tests_between_clocks != 0) return;
    const auto now = std::chrono::steady_clock::now();
    if (begin_ == std::chrono::steady_clock::time_point{}) begin_ = now;
    if (now - begin_ > fast_patience) sched_yield();
    return;
  }
  if (tests_ <= tests_before_yield_) return;
  if (tests_ <= tests_before_sleep_) {
    sched_yield();
    return;
  }
  // A tenth of the longest sleep is reached at once where the share is small, and the longest after some 20 times that.
  const auto shortest_sleep = std::max<std::chrono::microseconds>(first_sleep, (longest_sleep_ - shortest_limit) / 10);
  sleep_ = std::clamp<std::chrono::microseconds>(sleep_ * 21 / 20 + 1us, shortest_sleep, longest_sleep_);
  std::this_thread::sleep_for(sleep_);
}

}  // namespace tilewright
