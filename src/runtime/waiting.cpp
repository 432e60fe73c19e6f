#include "waiting.hpp"

#include <sched.h>

#include <algorithm>
#include <thread>
#include <utility>

namespace tilewright {
namespace {

using namespace std::chrono_literals;

// Of a rank with a core of its own.
constexpr int polite_tests = 20;
constexpr int polite_yields = 60;
constexpr auto first_sleep = 20us;
/// Of a rank that rests. Each time that it looks, others' threads wait for the one whose core it takes (measured: two
/// threads' millisecond took two, with the sleeps above). Nobody waits for what it does.
constexpr auto first_sleep_at_rest = 200us;
/// Waking up and testing takes some 40 us where messages come through the kernel. Over the share of a core, that often:
/// while parts of a message arrive, which the sender waits to have taken;
/// the first few arrivals of a wait are answered at once, for they may be all of it: small messages have one part;
constexpr int prompt_answers = 3;
constexpr auto interval_over_share = 150us;
constexpr auto longest_interval = 5ms;
/// and in a short wait more often than in a long one, lest the last part, which may be there any moment, is left for as
/// long as all others took: so far into it the interval has its length (docs/design.md), sooner where the share is
/// small, for there waking up takes what is needed when the message is there;
constexpr auto growth_in_share = 15ms;
/// and while nothing is known of what arrives.
constexpr auto blind_over_share = 100us;
constexpr auto shortest_limit = 500us;
constexpr auto longest_limit = 5ms;
/// Where arrivals end the sleep, all others are but a precaution, and disturb those who compute.
constexpr auto watching_limit = 10ms;
constexpr int fast_tests_between_clocks = 1024;
constexpr auto fast_patience = 50ms;

int scaled(int tests, double share) {
  return std::max(1, static_cast<int>(tests * share));
}

std::chrono::microseconds over_share(std::chrono::microseconds time, double share) {
  return std::chrono::microseconds(
      static_cast<std::int64_t>(static_cast<double>(time.count()) / std::max(share, 1e-3)));
}

using Clock = std::chrono::steady_clock;

}  // namespace

Patience::Patience(WaitPolicy policy, double share, Arrivals& arrivals)
    : policy_(policy),
      arrivals_(arrivals),
      tests_before_yield_(scaled(polite_tests, std::min(1.0, share))),
      tests_before_sleep_(tests_before_yield_ + scaled(polite_yields, std::min(1.0, share))),
      longest_sleep_(arrivals.are_seen() ? std::chrono::microseconds(watching_limit)
                                         : std::clamp<std::chrono::microseconds>(over_share(blind_over_share, share),
                                                                                 shortest_limit, longest_limit)),
      interval_(
          std::clamp<std::chrono::microseconds>(over_share(interval_over_share, share), first_sleep, longest_interval)),
      growth_(std::min(share, 1.0) * growth_in_share) {
  if (policy == WaitPolicy::resting) tests_before_yield_ = tests_before_sleep_ = 1;
}

/// A tenth of the longest sleep is reached at once where the share is small, and the longest after some 20 times that.
std::chrono::microseconds Patience::shortest_sleep() const {
  const auto first = policy_ == WaitPolicy::resting ? first_sleep_at_rest : first_sleep;
  return std::max<std::chrono::microseconds>(first, (longest_sleep_ - shortest_limit) / 10);
}

void Patience::pause() {
  ++tests_;
  // A test lets a collective operation go on before it takes in messages: what one test brought, the next one uses.
  if (std::exchange(look_again_, false)) return;
  if (policy_ == WaitPolicy::fast) {
    if (tests_ % fast_tests_between_clocks != 0) return;
    if (waited() > fast_patience) sched_yield();
    return;
  }
  if (tests_ <= tests_before_yield_) return;
  if (tests_ <= tests_before_sleep_) {
    sched_yield();
    return;
  }
  sleep_ = std::clamp<std::chrono::microseconds>(sleep_ * 21 / 20 + 1us, shortest_sleep(), longest_sleep_);
  const std::chrono::duration<double> so_far = waited();
  const double grown = arrivals_seen_ < prompt_answers ? 0 : std::min(1.0, so_far / growth_);
  look_again_ = arrivals_.sleep(sleep_, std::chrono::duration_cast<std::chrono::microseconds>(grown * interval_));
  if (look_again_) ++arrivals_seen_;
}

/// Since the first call.
Clock::duration Patience::waited() {
  const auto now = Clock::now();
  if (begin_ == Clock::time_point{}) begin_ = now;
  return now - begin_;
}

}  // namespace tilewright
