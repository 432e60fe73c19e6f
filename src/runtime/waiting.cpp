#include "waiting.hpp"

#include <sched.h>

#include <algorithm>
#include <thread>

namespace tilewright {
namespace {

using namespace std::chrono_literals;

constexpr int polite_tests = 20;
constexpr int polite_yields = 60;
constexpr auto first_sleep = 20us;
constexpr auto longest_sleep =
    500us;  // reached after some 10 ms, for the parts of a long message follow each other closely
constexpr int fast_tests_between_clocks = 1024;
constexpr auto fast_patience = 50ms;

}  // namespace

void Patience::pause() {
  ++tests_;
  if (policy_ == WaitPolicy::fast) {
    if (tests_ % fast_tests_between_clocks != 0) return;
    const auto now = std::chrono::steady_clock::now();
    if (begin_ == std::chrono::steady_clock::time_point{}) begin_ = now;
    if (now - begin_ > fast_patience) sched_yield();
    return;
  }
  if (tests_ <= polite_tests) return;
  if (tests_ <= polite_tests + polite_yields) {
    sched_yield();
    return;
  }
  sleep_ = std::clamp<std::chrono::microseconds>(sleep_ * 21 / 20 + 1us, first_sleep, longest_sleep);
  std::this_thread::sleep_for(sleep_);
}

}  // namespace tilewright
