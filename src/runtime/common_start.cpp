#include "tilewright/runtime/common_start.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tilewright/runtime/point_to_point.hpp"

namespace tilewright {
namespace {

using namespace std::chrono_literals;

constexpr int questions = 8;
constexpr int tag = 11;
/// Of a rank that sleeps until the instant, and of ranks that all stay awake.
constexpr auto shortest_notice = 5ms;
constexpr auto shortest_awake_notice = 100us;
constexpr int barriers = 5;  ///< that are measured
/// Over the time of a barrier, which word of the instant takes about half of.
constexpr int notice_in_barriers = 3;

std::string kernel_name() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string name;
  file >> name;
  return name;
}

template <class Value>
Block whole(Value& value) {
  return {&value, 1, sizeof(Value), sizeof(Value)};
}

std::int64_t nanoseconds_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(CommonStart::Clock::now().time_since_epoch()).count();
}

}  // namespace

CommonStart::CommonStart(const Communicator& communicator, Clocks clocks) : communicator_(communicator) {
  if (communicator.ranks() == 1) return;
  const std::string kernel = kernel_name();
  const std::vector<std::string> kernels = communicator.gather(kernel);
  const bool one_clock = clocks == Clocks::of_kernels && !kernel.empty() &&
                         std::count(kernels.begin(), kernels.end(), kernel) == std::ssize(kernels);
  if (!communicator.of_root(one_clock)) compare_clocks();
  const std::string awake = "awake";
  const std::vector<std::string> states = communicator.gather(stays_awake() ? awake : "sleeps");
  const bool all_awake = std::count(states.begin(), states.end(), awake) == std::ssize(states);
  notice_ = std::max<Clock::duration>(all_awake ? Clock::duration(shortest_awake_notice) : shortest_notice,
                                      notice_in_barriers * typical_barrier());
}

/// All but the slowest take no longer, which may have met the end of somebody's ration: every start would wait as long.
CommonStart::Clock::duration CommonStart::typical_barrier() const {
  std::array<Clock::duration, barriers> took{};
  communicator_.barrier();
  for (Clock::duration& one : took) {
    const auto begin = Clock::now();
    communicator_.barrier();
    one = Clock::now() - begin;
  }
  std::ranges::sort(took);
  return took[barriers - 2];
}

/// Cristian's way: the shortest of several round trips tells best what the other clock showed in its middle.
void CommonStart::compare_clocks() {
  for (int rank = 1; rank < communicator_.ranks(); ++rank) {
    if (communicator_.is_root()) ask(rank);
    if (communicator_.rank() == rank) ahead_of_root_ = answer_root();
  }
}

/// Root.
void CommonStart::ask(int rank) const {
  std::int64_t shortest = 0, ahead = 0;
  for (int question = 0; question < questions; ++question) {
    std::int64_t theirs = 0;
    const std::int64_t asked = nanoseconds_now();
    send_block(communicator_, {}, rank, tag);
    receive_block(communicator_, whole(theirs), rank, tag);
    const std::int64_t answered = nanoseconds_now();
    if (question > 0 && answered - asked >= shortest) continue;
    shortest = answered - asked;
    ahead = theirs - (asked + shortest / 2);
  }
  send_block(communicator_, whole(ahead), rank, tag);
}

CommonStart::Clock::duration CommonStart::answer_root() const {
  for (int question = 0; question < questions; ++question) {
    receive_block(communicator_, {}, 0, tag);
    std::int64_t now = nanoseconds_now();
    send_block(communicator_, whole(now), 0, tag);
  }
  std::int64_t ahead = 0;
  receive_block(communicator_, whole(ahead), 0, tag);
  return std::chrono::nanoseconds(ahead);
}

bool CommonStart::stays_awake() const {
  return communicator_.wait_policy() == WaitPolicy::fast;
}

void CommonStart::wait() const {
  if (communicator_.ranks() == 1) return;
  communicator_.barrier();
  const std::int64_t instant =
      communicator_.of_root(nanoseconds_now() + std::int64_t{std::chrono::nanoseconds(notice_).count()});
  const Clock::time_point begin(std::chrono::nanoseconds(instant) + ahead_of_root_);
  if (!stays_awake()) return std::this_thread::sleep_until(begin);
  while (Clock::now() < begin) {
  }
}

double CommonStart::slowest_s(const std::function<void()>& part) const {
  return together(part, [] { return false; }).slowest_s;
}

CommonStart::Together CommonStart::together(const std::function<void()>& part,
                                            const std::function<bool()>& question) const {
  wait();
  const Clock::time_point begin = Clock::now();
  part();
  const std::chrono::duration<double> taken = Clock::now() - begin;
  const std::array<double, 2> own{taken.count(), question() ? 1.0 : 0.0};
  const std::vector<double> by_rank = communicator_.gather(own);
  Together all;
  for (std::size_t i = 0; i < by_rank.size(); i += own.size()) {
    all.slowest_s = std::max(all.slowest_s, by_rank[i]);
    all.any = all.any || by_rank[i + 1] != 0;
  }
  return all;
}

}  // namespace tilewright
