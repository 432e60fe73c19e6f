#include "../../scheduler/share_out.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <vector>

namespace tilewright {
namespace {

TEST(ShareOut, DoesEverythingOnce) {
  for (const std::size_t count : {0, 1, 2, 1000}) {
    std::vector<int> done(count, 0);
    share_out(count, [&](std::size_t /*worker*/, std::size_t i) { ++done[i]; });
    EXPECT_EQ(std::ranges::count(done, 1), static_cast<std::ptrdiff_t>(count));
  }
}

TEST(ShareOut, GivesAWorkerOneThingAtATime) {
  std::vector<std::atomic<int>> at_work(static_cast<std::size_t>(worker_count()));
  std::atomic<int> met = 0;
  share_out(2000, [&](std::size_t worker, std::size_t /*i*/) {
    if (++at_work.at(worker) > 1) ++met;
    for (volatile int spent = 0; spent < 1000;) spent = spent + 1;
    --at_work.at(worker);
  });
  EXPECT_EQ(met, 0);
}

TEST(ShareOut, ThrowsWhatTheWorkThrows) {
  const auto fail_at_seven = [](std::size_t /*worker*/, std::size_t i) {
    if (i == 7) throw std::runtime_error("seven");
  };
  EXPECT_THROW(share_out(100, fail_at_seven), std::runtime_error);
  EXPECT_THROW(share_out(8, fail_at_seven), std::runtime_error);
}

}  // namespace
}  // namespace tilewright
