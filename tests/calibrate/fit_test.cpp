#include "tilewright/calibrate/fit.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tilewright/core/error.hpp"
#include "tilewright/core/statistics.hpp"

namespace tilewright {
namespace {

using Samples = std::vector<double>;

TEST(Fit, TakesTheMedianAndHalfTheInterquartileRange) {
  const Estimate odd = fit(Samples{5, 1, 2, 4, 3});
  EXPECT_DOUBLE_EQ(odd.seconds, 3);
  EXPECT_DOUBLE_EQ(odd.spread_s, 1);  // quartiles 2 and 4
  EXPECT_EQ(odd.samples, 5);
  EXPECT_DOUBLE_EQ(fit(Samples{10, 2, 3, 1}).seconds, 2.5);
  EXPECT_DOUBLE_EQ(fit(Samples{10, 2, 3.5, 1}).seconds, 2) << "the lower one of a middle two that are so unlike";
  EXPECT_DOUBLE_EQ(fit(Samples{700, 17}).seconds, 17);
}

TEST(Fit, IsNotMovedByOneDisturbedSample) {
  EXPECT_DOUBLE_EQ(fit(Samples{1, 1, 1, 1, 1000}).seconds, 1);
  EXPECT_DOUBLE_EQ(fit(Samples{1, 1, 1, 1, 1000}).spread_s, 0);
}

TEST(Fit, OfOneSampleIsThatSample) {
  EXPECT_EQ(fit(Samples{7}), (Estimate{7, 0, 1}));
  EXPECT_THROW((void)fit(Samples{}), ParameterError);
}

TEST(FitFull, OfTheEmptyMessageIsHalfItsRoundTrip) {
  const Estimate full = fit_empty_full(Samples{8, 10, 12});
  EXPECT_DOUBLE_EQ(full.seconds, 5);
  EXPECT_DOUBLE_EQ(full.spread_s, 0.5);
  EXPECT_EQ(full.samples, 3);
}

TEST(FitFull, SubtractsTheEmptyWayBack) {
  // P-3PC Fig. 8 yields t_a = 110 - 2 * 5; T = t_a + t_cf = 100 + 5.
  const Estimate full = fit_full(Samples{100, 110, 120}, Samples{8, 10, 12});
  EXPECT_DOUBLE_EQ(full.seconds, 105);
  EXPECT_DOUBLE_EQ(full.spread_s, 5);
  EXPECT_EQ(full.samples, 3);
}

TEST(FitFull, OfARoundTripShorterThanAnEmptyOneIsHalfOfIt) {
  EXPECT_FALSE(is_plausible_full(Samples{4}, Samples{10}));
  EXPECT_TRUE(is_plausible_full(Samples{5}, Samples{10}));
  const Estimate impossible = fit_full(Samples{4, 4, 4}, Samples{10});
  EXPECT_DOUBLE_EQ(impossible.seconds, 2) << "it is not cut for its value";
  EXPECT_DOUBLE_EQ(impossible.spread_s, 3) << "by as much the samples contradict each other";
  EXPECT_DOUBLE_EQ(fit_full(Samples{8}, Samples{10}).seconds, 4);
  EXPECT_DOUBLE_EQ(fit_full(Samples{10}, Samples{10}).seconds, 5) << "as of the empty message itself";
  EXPECT_DOUBLE_EQ(fit_full(Samples{11}, Samples{10}).seconds, 6);
  const PathCell cell{Path::full, Layout::cc, 8, {}};
  const std::vector<double> empty{10};
  EXPECT_TRUE(fit_path(cell, {4}, &empty));
  EXPECT_FALSE(fit_path(cell, {4}, nullptr));
}

TEST(Combined, TellsWhatReplicatesTellAndHowFarTheyAreApart) {
  EXPECT_EQ(combined({}, mean), std::nullopt);
  EXPECT_EQ(combined({{3, 1, 5}}, mean), (Estimate{3, 1, 5}));
  const Estimate apart = *combined({{1, 0.1, 4}, {5, 0.1, 6}}, mean);
  EXPECT_DOUBLE_EQ(apart.seconds, 3);
  EXPECT_DOUBLE_EQ(apart.spread_s, 1) << "half of what lies between their quartiles";
  EXPECT_EQ(apart.samples, 10);
  EXPECT_DOUBLE_EQ(combined({{3, 2, 4}, {3, 2, 6}}, mean)->spread_s, 2) << "that within each";
}

TEST(StreamSeconds, AreTheTimeInTheCallsOfASteadyStream) {
  EXPECT_DOUBLE_EQ(stream_seconds({.in_calls_s = 1.0, .other_end_s = 1.02}), 1.0);
  EXPECT_DOUBLE_EQ(stream_seconds({.in_calls_s = 0.85, .other_end_s = 1.0}), 0.85);
  EXPECT_DOUBLE_EQ(stream_seconds({.in_calls_s = 2.0, .other_end_s = 1.0}), 2.0);
}

TEST(StreamSeconds, AreTheIntervalBetweenArrivalsWhileBuffersHideTheCost) {
  // 200 KB at 100 Mbit/s: the call returned after 117 us, the wire needed 17 ms.
  EXPECT_DOUBLE_EQ(stream_seconds({.in_calls_s = 117e-6, .other_end_s = 17e-3}), 17e-3);
}

TEST(StreamSeconds, AreTheIntervalBetweenDeparturesWhereMessagesCameBeforeTheBurst) {
  // 2 MB at 1 Gbit/s: of two messages that count, one had come together with the last that does not.
  EXPECT_DOUBLE_EQ(stream_seconds({.in_calls_s = 8.57e-3, .other_end_s = 16.9e-3}), 16.9e-3);
}

}  // namespace
}  // namespace tilewright
