// Ranks that stay on a core for a while.
#include <gtest/gtest.h>
#include <sched.h>

#include <set>
#include <vector>

#include "support/mpi_environment.hpp"
#include "tilewright/runtime/pinned_rank.hpp"

namespace tilewright {
namespace {

using test::world;

/// That this thread may run on.
std::vector<int> cores() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof(mask), &mask) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &mask)) cores.push_back(core);
  }
  return cores;
}

TEST(PinnedRank, IsOnOneCoreAndThenOnThoseBefore) {
  const std::vector<int> before = cores();
  const bool is_possible = PinnedRank::is_possible(world());
  EXPECT_FALSE(is_possible && world().ranks() == 1) << "a rank alone changes places with nobody";
  EXPECT_FALSE(is_possible && before.size() < static_cast<std::size_t>(world().ranks())) << "they would wait in line";
  std::vector<int> of_place[2];
  for (const int shift : {0, 1}) {
    const PinnedRank pinned(world(), shift);
    of_place[shift] = cores();
    EXPECT_FALSE(is_possible && PinnedRank::is_possible(world())) << "a launcher, or another one, has chosen";
  }
  EXPECT_EQ(cores(), before);
  for (const std::vector<int>& in_place : of_place) {
    if (is_possible) {
      EXPECT_EQ(in_place.size(), 1U);
    } else {
      EXPECT_EQ(in_place, before);
    }
  }
  EXPECT_EQ(of_place[0] != of_place[1], is_possible);
  // No two ranks are on one core.
  const double own = is_possible ? of_place[0].front() : -1 - world().rank();
  const std::vector<double> all = world().gather({&own, 1});
  EXPECT_EQ(std::set<double>(all.begin(), all.end()).size(), all.size());
}

}  // namespace
}  // namespace tilewright
