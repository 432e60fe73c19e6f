#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>

#include "support/mpi_environment.hpp"
#include "tilewright/runtime/common_start.hpp"

namespace tilewright {
namespace {

using test::world;
using Clock = CommonStart::Clock;
using Clocks = CommonStart::Clocks;

/// Of all ranks, on the root; nanoseconds.
std::vector<std::int64_t> gathered(Clock::duration mine) {
  std::vector<std::int64_t> all;
  for (const std::string& text : world().gather(std::to_string(std::chrono::nanoseconds(mine).count()))) {
    all.push_back(std::stoll(text));
  }
  return all;
}

class CommonStartOf : public testing::TestWithParam<Clocks> {};
INSTANTIATE_TEST_SUITE_P(Clocks, CommonStartOf, testing::Values(Clocks::of_kernels, Clocks::compared));

TEST_P(CommonStartOf, NobodyBeginsBeforeTheLastHasCome) {
  const CommonStart start(world(), GetParam());
  if (world().rank() == world().ranks() - 1) std::this_thread::sleep_for(std::chrono::milliseconds(30));
  const auto come = Clock::now();
  start.wait();
  const auto begun = Clock::now();
  const std::vector<std::int64_t> arrivals = gathered(come.time_since_epoch());
  const std::vector<std::int64_t> beginnings = gathered(begun.time_since_epoch());
  if (!world().is_root()) return;
  EXPECT_GE(*std::min_element(beginnings.begin(), beginnings.end()),
            *std::max_element(arrivals.begin(), arrivals.end()));
}

// On one machine the clocks are one, so that a difference is an error of the comparison: at most half a round trip.
TEST(CommonStart, ComparedClocksDifferByNoMoreThanTheComparisonTook) {
  world().barrier();
  const auto begin = Clock::now();
  const CommonStart start(world(), Clocks::compared);
  const auto took = Clock::now() - begin;
  EXPECT_LE(std::chrono::abs(start.ahead_of_root()), took);
  EXPECT_EQ(CommonStart(world()).ahead_of_root(), Clock::duration::zero());
}

TEST(CommonStart, TogetherKnowsTheSlowestAndWhetherAnySaysYes) {
  const CommonStart start(world());
  const bool is_last = world().rank() == world().ranks() - 1;
  const auto part = [&] {
    if (is_last) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  };
  const auto one = start.together(part, [&] { return is_last; });
  const auto none = start.together(part, [] { return false; });
  if (!world().is_root()) return;
  EXPECT_TRUE(one.any);
  EXPECT_FALSE(none.any);
  EXPECT_GE(one.slowest_s, 0.01);
}

}  // namespace
}  // namespace tilewright
