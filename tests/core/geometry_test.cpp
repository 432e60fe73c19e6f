#include "tilewright/core/geometry.hpp"

#include <gtest/gtest.h>

#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

TEST(Rect, IsHalfOpen) {
  const Rect rect{-2, 3, 5, 4};
  EXPECT_EQ(rect.width(), 7);
  EXPECT_EQ(rect.height(), 1);
  EXPECT_EQ(rect.pixels(), 7);
  EXPECT_FALSE(rect.empty());
  EXPECT_TRUE((Rect{0, 0, 0, 5}).empty());
  EXPECT_TRUE((Rect{3, 0, 2, 5}).empty());
  EXPECT_EQ((Rect{3, 0, 2, -5}).pixels(), 0);  // both sides are negative
}

TEST(Rect, ContainsItselfAndWhatLiesInside) {
  const Rect rect{0, 0, 10, 10};
  EXPECT_TRUE(rect.contains(rect));
  EXPECT_TRUE(rect.contains({3, 4, 10, 10}));
  EXPECT_FALSE(rect.contains({3, 4, 11, 10}));
  EXPECT_FALSE(rect.contains({-1, 4, 5, 5}));
}

TEST(Rect, CanBeMovedGrownAndCut) {
  const Rect rect{1, 2, 4, 8};
  EXPECT_EQ(rect_of({7, 9}), (Rect{0, 0, 7, 9}));
  EXPECT_EQ(padded(rect, {2, 3}), (Rect{-1, -1, 6, 11}));
  EXPECT_EQ(shifted(rect, -3, 10), (Rect{-2, 12, 1, 18}));
  EXPECT_EQ(intersection(rect, {2, 0, 9, 5}), (Rect{2, 2, 4, 5}));
  EXPECT_TRUE(intersection(rect, {4, 2, 9, 5}).empty());  // they touch
  EXPECT_EQ(bounding(rect, {2, 0, 9, 5}), (Rect{1, 0, 9, 8}));
}

TEST(Halo, CoversAndUnites) {
  EXPECT_TRUE((Halo{2, 3}).covers({2, 3}));
  EXPECT_FALSE((Halo{2, 3}).covers({3, 0}));
  EXPECT_FALSE((Halo{2, 3}).covers({0, 4}));
  EXPECT_EQ(united({5, 1}, {2, 3}), (Halo{5, 3}));
  EXPECT_TRUE(Halo{}.empty());
  EXPECT_FALSE((Halo{0, 1}).empty());
}

TEST(Geometry, IsPrinted) {
  EXPECT_EQ(to_string(Extent{512, 256}), "512x256");
  EXPECT_EQ(to_string(Rect{-1, 0, 5, 7}), "[-1,5)x[0,7)");
}

TEST(ParseExtent, ReadsWidthThenHeight) {
  EXPECT_EQ(parse_extent("512x256"), (Extent{512, 256}));
  EXPECT_EQ(parse_extent("1x4000000000"), (Extent{1, 4'000'000'000}));
}

TEST(ParseExtent, RefusesEverythingElse) {
  for (const char* text : {"", "512", "512x", "x512", "512x256x3", "512X256", "512 x 256", "0x5", "5x0", "-5x5", "5x-5",
                           "5.5x5", "99999999999999999999x5"}) {
    EXPECT_THROW((void)parse_extent(text), ParameterError) << text;
  }
}

}  // namespace
}  // namespace tilewright
