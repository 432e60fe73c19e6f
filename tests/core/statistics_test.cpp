// Statistics against values worked out by hand and tables of order statistics.
#include "tilewright/core/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace tilewright {
namespace {

using Values = std::vector<double>;

TEST(MedianOfNearest, TakesThoseThatAreNearest) {
  const std::vector<PointOnLine> points{{10, 100}, {1, 1}, {2, 2}, {4, 4}, {20, 1000}};
  EXPECT_EQ(median_of_nearest(points, 2.1, 3), 2);
  EXPECT_EQ(median_of_nearest(points, 50, 1), 1000);
  EXPECT_EQ(median_of_nearest({{1, 5}, {3, 7}}, 2, 1), 5) << "of two as near the first";
  EXPECT_EQ(median_of_nearest(points, 0, 9), 4) << "all, if there are no more";
  EXPECT_TRUE(std::isnan(median_of_nearest({}, 0, 3)));
}

TEST(Statistics, MeanAndQuantiles) {
  const Values values = {4, 1, 3, 2};
  EXPECT_DOUBLE_EQ(mean(values), 2.5);
  EXPECT_DOUBLE_EQ(median(values), 2.5);
  EXPECT_DOUBLE_EQ(quantile(values, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 4);
  EXPECT_DOUBLE_EQ(quantile(values, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(median(Values{7}), 7);
  EXPECT_DOUBLE_EQ(median(Values{9, 1, 5}), 5);
  EXPECT_THROW(static_cast<void>(quantile(values, 1.5)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(quantile(values, std::nan(""))), std::invalid_argument);
}

TEST(Statistics, AnInfiniteNeighbourDoesNotSpoilAQuantile) {
  EXPECT_DOUBLE_EQ(median(Values{1, 2, std::numeric_limits<double>::infinity()}), 2);
}

TEST(Statistics, NothingIsNotANumber) {
  EXPECT_TRUE(std::isnan(mean({})));
  EXPECT_TRUE(std::isnan(median({})));
  EXPECT_TRUE(std::isnan(share_within({}, 1)));
  EXPECT_TRUE(std::isnan(summary_of({}).worst));
  EXPECT_TRUE(std::isnan(kendall_tau_b({}, {})));
  EXPECT_TRUE(std::isnan(median_interval_95({}).low));
}

TEST(Statistics, KendallTau) {
  EXPECT_DOUBLE_EQ(kendall_tau_b(Values{1, 2, 3, 4}, Values{10, 20, 30, 40}), 1);
  EXPECT_DOUBLE_EQ(kendall_tau_b(Values{1, 2, 3, 4}, Values{4, 3, 2, 1}), -1);
  // Of six pairs five agree.
  EXPECT_DOUBLE_EQ(kendall_tau_b(Values{1, 2, 3, 4}, Values{1, 2, 4, 3}), 4.0 / 6.0);
  // 4 pairs agree, none disagrees; one pair is tied in a, one other in b: 4 / sqrt(5 * 5).
  EXPECT_DOUBLE_EQ(kendall_tau_b(Values{1, 1, 2, 3}, Values{1, 2, 3, 3}), 4.0 / 5.0);
  EXPECT_TRUE(std::isnan(kendall_tau_b(Values{1, 1, 1}, Values{1, 2, 3})));
  EXPECT_THROW(static_cast<void>(kendall_tau_b(Values{1, 2}, Values{1})), std::invalid_argument);
}

TEST(Statistics, SummaryOfRegrets) {
  Values regrets(101);
  std::iota(regrets.begin(), regrets.end(), 0);
  const Summary summary = summary_of(regrets);
  EXPECT_EQ(summary.count, 101U);
  EXPECT_DOUBLE_EQ(summary.mean, 50);
  EXPECT_DOUBLE_EQ(summary.p95, 95);
  EXPECT_DOUBLE_EQ(summary.worst, 100);
}

TEST(Statistics, ShareWithinATolerance) {
  EXPECT_DOUBLE_EQ(share_within(Values{-0.1, 0.05, 0.1, 0.11}, 0.1), 0.75);
}

TEST(Statistics, RelativeError) {
  EXPECT_DOUBLE_EQ(relative_error(5, 4), 0.25);
  EXPECT_DOUBLE_EQ(relative_error(1, 2), -0.5);
}

/// The tables of order statistics for the median at 95 %: ranks (from 1) and coverage.
TEST(Statistics, IntervalOfAMedian) {
  struct Expected {
    int n;
    double low;
    double high;
    double coverage;
  };
  for (const Expected& expected :
       {Expected{6, 1, 6, 0.96875}, Expected{9, 2, 8, 0.9609375}, Expected{10, 2, 9, 0.978515625},
        Expected{15, 4, 12, 0.96484375}, Expected{20, 6, 15, 0.958610534667969}, Expected{100, 40, 61, 0.9647998}}) {
    Values values(static_cast<std::size_t>(expected.n));
    std::iota(values.rbegin(), values.rend(), 1);
    const Interval interval = median_interval_95(values);
    EXPECT_EQ(interval.low, expected.low) << expected.n;
    EXPECT_EQ(interval.high, expected.high) << expected.n;
    EXPECT_NEAR(interval.coverage, expected.coverage, 1e-6) << expected.n;
  }
}

TEST(Statistics, TooFewValuesForAnIntervalSayTheirCoverage) {
  EXPECT_DOUBLE_EQ(median_interval_95(Values{3}).coverage, 0);
  const Interval of_two = median_interval_95(Values{2, 1});
  EXPECT_EQ(of_two.low, 1);
  EXPECT_EQ(of_two.high, 2);
  EXPECT_NEAR(of_two.coverage, 0.5, 1e-12);
  EXPECT_NEAR(median_interval_95(Values{1, 2, 3, 4, 5}).coverage, 0.9375, 1e-12);
}

}  // namespace
}  // namespace tilewright
