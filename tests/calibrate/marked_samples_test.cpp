#include "../../src/calibrate/marked_samples.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

using Samples = std::vector<MarkedSample>;
using Seconds = std::vector<double>;

TEST(MarkedSamples, AreLeftOutWhereTheyAreAQuarterAtMost) {
  EXPECT_EQ(counted(Samples{{1}, {9, true}, {2}, {3}}), (Seconds{1, 2, 3}));
  EXPECT_EQ(counted(Samples{{1}, {2}, {3}, {4}, {9, true}}), (Seconds{1, 2, 3, 4}));
}

TEST(MarkedSamples, AllCountWhereMoreAreMarked) {
  EXPECT_EQ(counted(Samples{{9, true}, {1}, {2}}), (Seconds{9, 1, 2}));
  EXPECT_EQ(counted(Samples{{1}, {9, true}, {8, true}}), (Seconds{1, 9, 8}));
  EXPECT_EQ(counted(Samples{{9, true}}), (Seconds{9}));
  EXPECT_TRUE(counted(Samples{}).empty());
}

}  // namespace
}  // namespace tilewright
