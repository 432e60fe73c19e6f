#include "tilewright/model/path_row.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

PathRow row_of(const std::vector<PathRow::Point>& points) {
  PathRow row;
  for (const PathRow::Point& point : points) row.add(point);
  row.settle();
  return row;
}

TEST(PathRow, IsLinearBetweenItsPointsAndBeyond) {
  const PathRow row = row_of({{0, 1, 0, 0}, {10, 3, 0, 0}, {20, 4, 0, 0}});
  EXPECT_DOUBLE_EQ(row.seconds(0), 1);
  EXPECT_DOUBLE_EQ(row.seconds(5), 2);
  EXPECT_DOUBLE_EQ(row.seconds(20), 4);
  EXPECT_DOUBLE_EQ(row.seconds(40), 6);
  EXPECT_DOUBLE_EQ(row_of({{100, 7, 0, 1}}).seconds(1), 7) << "one point is constant";
  EXPECT_EQ(row_of({{10, 5, 0, 1}, {20, 1, 0, 1}}).seconds(30), 1) << "what is larger takes no less";
  EXPECT_EQ(row_of({{10, 1, 0, 1}, {20, 5, 0, 1}}).seconds(0), 0) << "no time is negative";
}

TEST(PathRow, WhatFallsWithinTheNoiseIsLevelled) {
  const PathRow row = row_of({{0, 1, 0.1, 3}, {10, 6, 1, 1}, {20, 5, 1, 3}, {30, 8, 1, 3}});
  EXPECT_DOUBLE_EQ(row.seconds(10), 5.25) << "weighted by the samples";
  EXPECT_DOUBLE_EQ(row.seconds(20), 5.25);
  EXPECT_DOUBLE_EQ(row.seconds(30), 8);
}

TEST(PathRow, WhatFallsByMoreIsAnotherProtocol) {
  const PathRow row = row_of({{0, 1, 0.1, 3}, {10, 9, 1, 3}, {20, 5, 1, 3}});
  EXPECT_DOUBLE_EQ(row.seconds(10), 9);
  EXPECT_DOUBLE_EQ(row.seconds(20), 5);
  EXPECT_DOUBLE_EQ(row_of({{10, 2, 0, 0}, {20, 1, 0, 0}}).seconds(10), 2) << "imported numbers are exact";
}

TEST(PathRow, ALevelMayPullInWhatCameBefore) {
  const PathRow row = row_of({{10, 4, 2, 1}, {20, 5, 2, 1}, {30, 2, 2, 1}});
  EXPECT_DOUBLE_EQ(row.seconds(20), 11.0 / 3);
  EXPECT_DOUBLE_EQ(row.seconds(10), 11.0 / 3);
}

}  // namespace
}  // namespace tilewright
