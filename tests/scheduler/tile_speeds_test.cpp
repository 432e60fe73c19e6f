// Tiles as large as their nodes are fast.
#include "../../scheduler/tile_speeds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/planning.hpp"
#include "scheduler/random_pipelines.hpp"

namespace tilewright {
namespace {

using test::plan_on;
using testing::HasSubstr;

const std::vector<double> two_fast{4, 4, 1, 1};

Pipeline one_filter(const Extent& extent = {100, 100}) {
  return record({test::write(test::filter({test::source({.extent = extent})}, {.halo = {3, 3}}))});
}

SearchSpace four_ranks(const std::vector<double>& speeds) {
  return {.max_ranks = 4, .ranks_per_node = 1, .rank_speeds = speeds};
}

TEST(SharedBySpeed, GivesEachStripWhatItsRankCanDo) {
  EXPECT_EQ(to_string(shared_by_speed({1, 4}, two_fast)), "1x4[4:4:1:1]");
  EXPECT_EQ(to_string(shared_by_speed({4, 1}, two_fast)), "4x1[4:4:1:1]");
  EXPECT_EQ(to_string(shared_by_speed({2, 2}, two_fast)), "2x2[1:1,4:1]");
  EXPECT_EQ(to_string(shared_by_speed({2, 1}, two_fast)), "2x1");
  EXPECT_EQ(to_string(shared_by_speed({1, 6}, two_fast)), "1x6[4:4:1:1:1:1]") << "nobody knows the last two";
  EXPECT_EQ(to_string(shared_by_speed({1, 2}, std::vector{1.004, 1.0})), "1x2");
}

TEST(TilesAtWork, AreThoseeThatOneOfTakesLongest) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    test::Random random(seed);
    const ProcessGrid grid{1 + random.below(4), 1 + random.below(4)};
    std::vector<double> speeds;
    for (int rank = 0; rank < grid.ranks(); ++rank) speeds.push_back(1 << random.below(3));
    const Extent extent{20 + random.below(80), 20 + random.below(80)};
    const Halo margin{random.below(3), random.below(3)};
    for (const ProcessGrid& cut : {grid, shared_by_speed(grid, speeds)}) {
      double longest = 0;
      for (int rank = 0; rank < grid.ranks(); ++rank) {
        const Rect area = grown(tile_of(extent, cut, rank), margin, extent);
        longest = std::max(longest, static_cast<double>(area.pixels()) / speeds[static_cast<std::size_t>(rank)]);
      }
      double found = 0;
      const auto tiles = tiles_at_work(extent, cut, margin, speeds);
      for (const TileAtWork& at_work : tiles) {
        found = std::max(found, static_cast<double>(at_work.tile.pixels()) / at_work.speed);
      }
      EXPECT_EQ(found, longest) << "seed " << seed;
      EXPECT_LE(tiles.size(), 12U);
    }
  }
}

TEST(TileSpeeds, MakeTilesUnequal) {
  SearchSpace rows = four_ranks(two_fast);
  rows.grid = GridPattern{1, 0};
  const Plan plan = plan_on(one_filter(), test::slow_computing, rows);
  EXPECT_EQ(to_string(plan.grid), "1x4[4:4:1:1]");
  EXPECT_THAT(plan.notes, testing::Contains(HasSubstr("ranks are not equally fast (4 4 1 1")));
  SearchSpace alike = rows;
  alike.rank_speeds = {1, 1, 1, 1};
  const Plan even = plan_on(one_filter(), test::slow_computing, alike);
  EXPECT_EQ(to_string(even.grid), "1x4");
  EXPECT_THAT(even.notes, testing::Not(testing::Contains(HasSubstr("equally fast"))));
  // 25 rows of the slowest, or 40 of one that is four times as fast.
  EXPECT_NEAR(*even.predicted_seconds / *plan.predicted_seconds, 2.5, 0.01);
  SearchSpace forced = rows;
  forced.tiles = TileSizes::even;
  const Plan two = plan_on(one_filter(), test::slow_computing, forced);
  EXPECT_EQ(to_string(two.grid), "1x2") << "the slow ones would take longer";
  forced.ranks = 4;
  EXPECT_NEAR(*plan_on(one_filter(), test::slow_computing, forced).predicted_seconds, *even.predicted_seconds, 1e-9);
}

TEST(TileSpeeds, OfTheRootCountWhereItWorksAlone) {
  const SearchSpace alone{.rank_speeds = {4}};
  const Plan slow = plan_on(one_filter(), test::slow_computing, {});
  const Plan fast = plan_on(one_filter(), test::slow_computing, alone);
  EXPECT_NEAR(*slow.predicted_seconds / *fast.predicted_seconds, 4, 0.01);
}

TEST(TileSpeeds, EvenTilesAreSimpler) {
  const Plan plan = plan_on(one_filter(), test::nothing_costs, [] {
    SearchSpace space = four_ranks(two_fast);
    space.ranks = 4;
    return space;
  }());
  EXPECT_EQ(to_string(plan.grid), "1x4");
}

TEST(TileSpeeds, ForcedSharesAreThoseOfThePlan) {
  SearchSpace space = four_ranks({});
  space.grid = parse_grid_pattern("2x2[3:1,1:2]");
  const Plan plan = plan_on(one_filter(), test::slow_computing, space);
  EXPECT_EQ(to_string(plan.grid), "2x2[3:1,1:2]");
  const auto error = [](const SearchSpace& asked) { return test::error_of(one_filter(), test::slow_computing, asked); };
  space.tiles = TileSizes::by_speed;
  EXPECT_THAT(error(space), HasSubstr("says how large tiles are"));
  space.grid.reset();
  EXPECT_THAT(error(space), HasSubstr("calibrate on all"));
  space.rank_speeds = two_fast;
  EXPECT_EQ(error(space), "no error");
  space = four_ranks({});
  space.grid = parse_grid_pattern("1x4[1:1:1:60]");
  EXPECT_THAT(error(space), HasSubstr("1 pixels high, but 3 are needed: use shares that differ less"));
  EXPECT_THROW((void)parse_tile_sizes("odd"), ParameterError);
}

}  // namespace
}  // namespace tilewright
