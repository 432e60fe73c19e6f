#include "../../src/calibrate/operator_rounds.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

TEST(OperatorRounds, ShareOutTheTime) {
  const OperatorRounds rounds(3, 24);
  EXPECT_EQ(rounds.count(), 3);
  EXPECT_EQ(rounds.most(), 9);
  EXPECT_DOUBLE_EQ(rounds.least_s(), 0.8);
  EXPECT_DOUBLE_EQ(rounds.share_s(0, 24), 8);
  EXPECT_DOUBLE_EQ(rounds.share_s(2, 8), 8);
  EXPECT_DOUBLE_EQ(rounds.share_s(5, 2), 2) << "what the others have left";
  EXPECT_EQ(rounds.share_s(0, -1), 0);
}

TEST(OperatorRounds, AreManyRatherThanLong) {
  const OperatorRounds rounds(1, 1620);
  EXPECT_EQ(rounds.count(), 27);
  double left_s = 1620;
  for (int round = 0; round < rounds.most() && left_s >= rounds.least_s(); ++round) {
    EXPECT_LE(rounds.share_s(round, left_s), 60);
    left_s -= rounds.share_s(round, left_s);
  }
  EXPECT_LT(left_s, rounds.least_s()) << "all of it is used";
  EXPECT_LE(OperatorRounds(1, 1620).share_s(26, 1620), 60) << "where those before took no time";
  EXPECT_GT(OperatorRounds(1, 1e300).most(), 0);
  EXPECT_EQ(OperatorRounds(0, 0).count(), 1);
}

}  // namespace
}  // namespace tilewright
