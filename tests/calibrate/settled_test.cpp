#include "../../src/calibrate/settled.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

/// As many samples around `middle`, evenly up to `reach` of it on either side.
std::vector<double> around(double middle, double reach, int count = 11) {
  std::vector<double> samples;
  for (int i = 0; i < count; ++i) samples.push_back(middle * (1 + reach * (2.0 * i / (count - 1) - 1)));
  return samples;
}

TEST(Settled, NeedsSamplesAndANarrowInterval) {
  EXPECT_TRUE(is_settled(around(1, 0.02), {}));
  EXPECT_FALSE(is_settled(around(1, 0.02, 5), {})) << "five tell nothing of the median";
  EXPECT_FALSE(is_settled(around(1, 0.08), {}));
  EXPECT_TRUE(is_settled(around(1, 0.08, 101), {})) << "many samples narrow it";
}

TEST(Settled, AWiderIntervalIsEnoughWhereTheChoiceIsClear) {
  const auto own = around(1, 0.08);
  const auto near = around(1.05, 0.08), far = around(2, 0.08), few = around(2, 0, 3);
  EXPECT_TRUE(is_settled(own, {far}));
  EXPECT_FALSE(is_settled(own, {near}));
  EXPECT_FALSE(is_settled(own, {far, near}));
  EXPECT_FALSE(is_settled(own, {far, few})) << "of which too little is known";
  EXPECT_FALSE(is_settled(around(1, 0.4), {far})) << "too wide for a price";
}

}  // namespace
}  // namespace tilewright
