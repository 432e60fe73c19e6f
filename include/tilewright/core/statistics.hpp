// Statistics of measured times and of regrets. Pure functions; no value at all gives NaN.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tilewright {

[[nodiscard]] double mean(std::span<const double> values);

/// The q-quantile, 0 <= q <= 1: linear between the sorted values, the first at 0 and the last at 1.
/// Throws std::invalid_argument for another q.
[[nodiscard]] double quantile(std::span<const double> values, double q);
[[nodiscard]] double median(std::span<const double> values);

struct PointOnLine {
  double at = 0;
  double value = 0;
};
/// The median of the values of those points that are nearest to `at`, `most` of them; of points as near the first.
[[nodiscard]] double median_of_nearest(std::vector<PointOnLine> points, double at, std::size_t most);

/// Kendall's tau-b of pairs (a[i], b[i]): 1 if both rank alike, -1 if one ranks backwards; ties are accounted for.
/// NaN if all of a or all of b are equal. Throws std::invalid_argument unless there are as many a as b.
[[nodiscard]] double kendall_tau_b(std::span<const double> a, std::span<const double> b);

/// What is reported of a strategy's regrets.
struct Summary {
  std::size_t count = 0;
  double mean = 0;
  double p95 = 0;
  double worst = 0;
};
[[nodiscard]] Summary summary_of(std::span<const double> regrets);

/// The share of the values whose magnitude is at most the tolerance.
[[nodiscard]] double share_within(std::span<const double> values, double tolerance);

/// (predicted - measured) / measured.
[[nodiscard]] double relative_error(double predicted, double measured);

struct Interval {
  double low = 0;
  double high = 0;
  double coverage = 0;  ///< the probability with which an interval made so holds the median
};
/// The narrowest pair of order statistics, as far from either end, that holds the median with a probability of at least
/// 95 %, whatever the distribution. Below six values there is none: the smallest and the largest, with their coverage.
[[nodiscard]] Interval median_interval_95(std::span<const double> values);

}  // namespace tilewright
