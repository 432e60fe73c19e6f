// Statistics by their definitions; the lists are short.
#include "tilewright/core/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace tilewright {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> result(values.begin(), values.end());
  std::sort(result.begin(), result.end());
  return result;
}

int sign_of(double value) {
  return (value > 0 ? 1 : 0) - (value < 0 ? 1 : 0);
}

/// The probability that exactly k of n fair coins show heads; by logarithms, for n may be large.
double fair_binomial(std::size_t n, std::size_t k) {
  const auto log_factorial = [](std::size_t m) { return std::lgamma(static_cast<double>(m) + 1); };
  return std::exp(log_factorial(n) - log_factorial(k) - log_factorial(n - k) - static_cast<double>(n) * std::log(2.0));
}

}  // namespace

double mean(std::span<const double> values) {
  if (values.empty()) return nothing;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double quantile(std::span<const double> values, double q) {
  if (!(q >= 0 && q <= 1)) throw std::invalid_argument("quantile: q must be from 0 to 1");
  if (values.empty()) return nothing;
  const std::vector<double> ordered = sorted(values);
  const double place = q * static_cast<double>(ordered.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const double part = place - static_cast<double>(below);
  if (part == 0) return ordered[below];  // its neighbour may be infinite
  return ordered[below] + part * (ordered[below + 1] - ordered[below]);
}

double median(std::span<const double> values) {
  return quantile(values, 0.5);
}

double median_of_nearest(std::vector<PointOnLine> points, double at, std::size_t most) {
  std::stable_sort(points.begin(), points.end(), [at](const PointOnLine& a, const PointOnLine& b) {
    return std::abs(a.at - at) < std::abs(b.at - at);
  });
  points.resize(std::min(points.size(), most));
  std::vector<double> values;
  for (const PointOnLine& point : points) values.push_back(point.value);
  return median(values);
}

double kendall_tau_b(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) throw std::invalid_argument("kendall_tau_b: there must be as many a as b");
  double agreement = 0;
  double distinct_a = 0;
  double distinct_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = i + 1; j < a.size(); ++j) {
      const int order_a = sign_of(a[j] - a[i]);
      const int order_b = sign_of(b[j] - b[i]);
      agreement += order_a * order_b;
      distinct_a += std::abs(order_a);
      distinct_b += std::abs(order_b);
    }
  }
  if (distinct_a == 0 || distinct_b == 0) return nothing;
  return agreement / std::sqrt(distinct_a * distinct_b);
}

Summary summary_of(std::span<const double> regrets) {
  return {regrets.size(), mean(regrets), quantile(regrets, 0.95), quantile(regrets, 1)};
}

double share_within(std::span<const double> values, double tolerance) {
  if (values.empty()) return nothing;
  const auto within =
      std::count_if(values.begin(), values.end(), [&](double value) { return std::abs(value) <= tolerance; });
  return static_cast<double>(within) / static_cast<double>(values.size());
}

double relative_error(double predicted, double measured) {
  return (predicted - measured) / measured;
}

Interval median_interval_95(std::span<const double> values) {
  if (values.empty()) return {nothing, nothing, nothing};
  const std::vector<double> ordered = sorted(values);
  const std::size_t n = ordered.size();
  // The k-th value from either end (from 0) misses the median if at most k values lie on one side of it.
  std::size_t from_end = 0;
  double missed = 2 * fair_binomial(n, 0);
  while (2 * (from_end + 1) < n - 1) {
    const double next = missed + 2 * fair_binomial(n, from_end + 1);
    if (next > 0.05) break;
    missed = next;
    ++from_end;
  }
  return {ordered[from_end], ordered[n - 1 - from_end], n == 1 ? 0 : 1 - missed};
}

}  // namespace tilewright
