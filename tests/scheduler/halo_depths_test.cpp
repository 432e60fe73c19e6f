// Which depths of halo the search may choose from.
#include "../../scheduler/halo_depths.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "support/test_pipeline.hpp"

namespace tilewright {
namespace {

using testing::ElementsAre;

Image small(const Image& in, Border border = Border::reflect101) {
  static int number = 0;
  return test::filter({in}, {.name = "small" + std::to_string(number++), .halo = {1, 2}, .border = border});
}
Image pointwise(const std::vector<Image>& in) {
  return test::filter(in, {.name = "pointwise"});
}

TEST(HaloDepths, AddUpAlongAChain) {
  const Pipeline pipeline = record({test::write(small(small(small(test::source()))))});
  const HaloDepths depths(pipeline, 8);
  EXPECT_THAT(depths.of(0), ElementsAre(Halo{1, 2}, Halo{2, 4}, Halo{3, 6}));
  EXPECT_THAT(depths.of(2), ElementsAre(Halo{1, 2}));
  EXPECT_THAT(depths.of(3), ElementsAre(Halo{}));
  EXPECT_EQ(depths.first_filled(0), 0);
  EXPECT_EQ(depths.first_filled(3), std::nullopt);
}

TEST(HaloDepths, AreThoseOfTheReadersAloneWithoutGenerations) {
  const Pipeline pipeline = record({test::write(small(small(test::source())))});
  const HaloDepths none(pipeline, 0);
  EXPECT_THAT(none.of(0), ElementsAre(Halo{1, 2}));
  EXPECT_EQ(none.first_filled(0), std::nullopt);
  EXPECT_THAT(HaloDepths(pipeline, 1).of(0), ElementsAre(Halo{1, 2}));
}

TEST(HaloDepths, PassOperatorsWithoutANeighbourhood) {
  const Pipeline pipeline = record({test::write(small(pointwise({test::source()})))});
  const HaloDepths depths(pipeline, 8);
  EXPECT_THAT(depths.of(0), ElementsAre(Halo{}, Halo{1, 2}));
  EXPECT_EQ(depths.first_filled(0), 1);
  EXPECT_FALSE(depths.is_exchanged(0)) << "nobody asks for it";
  EXPECT_TRUE(depths.is_exchanged(1));
}

TEST(HaloDepths, EndWhereTheOtherSideIsWanted) {
  const Pipeline pipeline = record({test::write(small(small(small(test::source()), Border::wrap)))});
  const HaloDepths depths(pipeline, 8);
  EXPECT_THAT(depths.of(0), ElementsAre(Halo{1, 2})) << "what is computed beyond the first tile helps nobody";
  EXPECT_EQ(depths.first_filled(0), 0);
  EXPECT_EQ(depths.first_filled(1), std::nullopt);
  EXPECT_THAT(depths.of(1), ElementsAre(Halo{1, 2}, Halo{2, 4})) << "a cyclic exchange may be deep";
}

TEST(HaloDepths, CoverAllReaders) {
  const Image in = test::source();
  const Image wide = test::filter({in}, {.name = "wide", .halo = {5, 0}});
  const Pipeline pipeline = record({test::write(pointwise({small(small(in)), wide}))});
  EXPECT_THAT(HaloDepths(pipeline, 8).of(0), ElementsAre(Halo{5, 2}, Halo{5, 4}));
}

}  // namespace
}  // namespace tilewright
