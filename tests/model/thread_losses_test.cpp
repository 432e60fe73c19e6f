#include "tilewright/model/thread_losses.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

constexpr auto f32 = PixelType::f32;

TEST(ThreadLosses, AreNoneUnlessMeasured) {
  const ThreadLosses none;
  EXPECT_EQ(none.seconds("filter", f32, 0, 100, 2), std::nullopt);
  ThreadLosses losses;
  losses.add("filter", f32, 0, 100, 2, 1);
  EXPECT_EQ(losses.seconds("filter", PixelType::f64, 0, 100, 2), std::nullopt);
  EXPECT_EQ(losses.seconds("other", f32, 0, 100, 2), std::nullopt);
  EXPECT_EQ(losses.seconds("filter", f32, 0, 100, 2), 1);
}

TEST(ThreadLosses, OfATileAreATimeOfItsOwnAndOneForEachPixel) {
  const auto a_unit = [](double pixels) { return 50 / pixels + 0.25; };
  ThreadLosses losses;
  for (const double pixels : {100.0, 1000.0}) losses.add("filter", f32, 0, pixels, 2, a_unit(pixels));
  for (const double pixels : {100.0, 300.0, 1000.0}) {
    EXPECT_DOUBLE_EQ(*losses.seconds("filter", f32, 0, pixels, 2), a_unit(pixels)) << pixels;
  }
  EXPECT_DOUBLE_EQ(*losses.seconds("filter", f32, 0, 10, 2), 10 * a_unit(100)) << "as much a tile";
  EXPECT_DOUBLE_EQ(*losses.seconds("filter", f32, 0, 1e6, 2), a_unit(1000)) << "as much a pixel";
}

TEST(ThreadLosses, GainsDoNotGrowWhereTilesShrink) {
  ThreadLosses losses;
  losses.add("filter", f32, 0, 100, 2, -0.1);
  EXPECT_EQ(losses.seconds("filter", f32, 0, 100, 2), 0) << "noise, at the smallest size";
  EXPECT_EQ(losses.seconds("filter", f32, 0, 10, 2), 0);
  EXPECT_DOUBLE_EQ(*losses.seconds("filter", f32, 0, 1000, 2), -0.1);
}

TEST(ThreadLosses, LieBetweenThoseOfTwoParameters) {
  ThreadLosses losses;
  losses.add("filter", f32, 10, 100, 2, 4);
  losses.add("filter", f32, 30, 100, 2, 2);
  EXPECT_DOUBLE_EQ(*losses.seconds("filter", f32, 20, 100, 2), 3);
  EXPECT_DOUBLE_EQ(*losses.seconds("filter", f32, 1, 100, 2), 4);
  EXPECT_DOUBLE_EQ(*losses.seconds("filter", f32, 100, 100, 2), 2);
}

TEST(ThreadLosses, OfAllThreadsGrowLinearlyWithTheirNumber) {
  ThreadLosses losses;
  losses.add("filter", f32, 0, 100, 4, 3);
  losses.add("filter", f32, 0, 100, 8, 4);
  EXPECT_DOUBLE_EQ(*losses.seconds("filter", f32, 0, 100, 2), 4.0 / 2) << "a third of 12, by each of two";
  EXPECT_DOUBLE_EQ(*losses.seconds("filter", f32, 0, 100, 4), 3);
  EXPECT_DOUBLE_EQ(*losses.seconds("filter", f32, 0, 100, 6), 22.0 / 6);
  EXPECT_DOUBLE_EQ(*losses.seconds("filter", f32, 0, 100, 8), 4);
  EXPECT_DOUBLE_EQ(*losses.seconds("filter", f32, 0, 100, 16), 2) << "beyond, threads lose no more in sum";
}

}  // namespace
}  // namespace tilewright
