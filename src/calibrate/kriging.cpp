#include "kriging.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <opencv2/core.hpp>

#include "tilewright/calibrate/message_shape.hpp"
#include "tilewright/core/statistics.hpp"

namespace tilewright {
namespace {

/// Fewer have no more to say than each by itself.
constexpr std::size_t fewest_alike = 24;
/// So many cells tell how far the bursts of one message lie from each other at a size.
constexpr std::size_t neighbours = 31;
/// Fewer samples have no spread.
constexpr std::int64_t fewest_with_spread = 3;
/// Where samples tell nine in ten times to less than this share, they tell them by themselves.
constexpr double least_error = 0.04;
/// How far messages that are alike in everything differ all the same: the share of the time that no sample takes away.
constexpr double nugget = 0.02;

/// By how much the logarithms of times differ, and within which factor of a size (a logarithm, too) they do not.
struct Scale {
  double deviation = 0;
  double over_bytes = 0;
};

/// What two messages have in common: the trend over the sizes, and the steps where protocols change; how the layouts'
/// data are packed; and for the same ends the length of the blocks and how far they are apart.
struct Covariance {
  Scale trend;  ///< smooth
  Scale steps;  ///< not smooth
  Scale packing;
  Scale blocks;
  double over_block = 0;
  double over_gap = 0;
};

/// The most likely ones of two calibrations (eight rationed nodes at 1 Gbit/s; docs/design.md). Those of sending and
/// receiving had nothing in which they differed.
constexpr Covariance of_streams{{2, 4}, {0.4, 0.8}, {0.08, 0.85}, {0.26, 3.5}, 0.8, 10};
/// Round trips go through all partners, and have no steps as steep.
constexpr Covariance of_round_trips{{2, 4}, {0.2, 1}, {0.15, 2}, {0.15, 6}, 3, 5};

/// A message as the covariance sees it.
struct Place {
  double log_bytes = 0;
  double log_block = 0;
  double log_gap = 0;
  Layout layout = Layout::cc;
  Packing packing = Packing::datatype;
};

/// By the end that is not contiguous, if one is not.
Place place_of(const PathCell& cell) {
  const MessageShape shape = sender_contiguous(cell.layout) ? receiver_shape(cell) : sender_shape(cell);
  const auto row = static_cast<double>(shape.row_bytes);
  return {std::log(static_cast<double>(cell.bytes)), std::log(row),
          std::log(static_cast<double>(shape.pitch_bytes) / row), cell.layout, cell.packing};
}

/// Matern's covariance of order 1/2: continuous, and not smooth.
double rough(double distance, double scale) {
  return std::exp(-std::abs(distance) / scale);
}

/// That of order 3/2: smooth.
double smooth(double distance, double scale) {
  const double d = std::sqrt(3.0) * std::abs(distance) / scale;
  return (1 + d) * std::exp(-d);
}

double square(double value) {
  return value * value;
}

double covariance(const Covariance& of, const Place& a, const Place& b) {
  const double bytes = a.log_bytes - b.log_bytes;
  double sum = square(of.trend.deviation) * smooth(bytes, of.trend.over_bytes) +
               square(of.steps.deviation) * rough(bytes, of.steps.over_bytes);
  if (a.packing != b.packing) return sum;
  sum += square(of.packing.deviation) * smooth(bytes, of.packing.over_bytes);
  if (a.layout != b.layout) return sum;
  return sum + square(of.blocks.deviation) * smooth(bytes, of.blocks.over_bytes) *
                   smooth(a.log_block - b.log_block, of.over_block) * rough(a.log_gap - b.log_gap, of.over_gap);
}

/// Cells that are measured alike, by their numbers.
using Group = std::vector<std::size_t>;

/// Between nodes: those of round trips, or of streams.
Group group_of(const std::vector<PathCell>& cells, bool is_of_round_trips) {
  Group group;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const PathCell& cell = cells[i];
    const bool is_alike =
        is_of_round_trips ? cell.path == Path::full : cell.path == Path::send || cell.path == Path::recv;
    if (is_alike && !cell.within_node && cell.bytes > 0 && cell.time.seconds > 0) group.push_back(i);
  }
  return group;
}

/// The standard deviation of a normal distribution over half the interquartile range of so many samples of it, within a
/// tenth.
double deviation_over_spread(std::int64_t samples) {
  return 1.48 * (1 + 2 / static_cast<double>(samples));
}

/// Of the cells' logarithms, the variances with which their samples tell them.
std::vector<double> variances_of(const std::vector<PathCell>& cells, const Group& group) {
  std::vector<PointOnLine> deviations;
  for (const std::size_t i : group) {
    const Estimate& time = cells[i].time;
    if (time.samples >= fewest_with_spread)
      deviations.push_back({std::log(static_cast<double>(cells[i].bytes)),
                            deviation_over_spread(time.samples) * time.spread_s / time.seconds});
  }
  std::vector<double> variances;
  for (const std::size_t i : group) {
    const double at = std::log(static_cast<double>(cells[i].bytes));
    const double deviation = deviations.empty() ? 0 : median_of_nearest(deviations, at, neighbours);
    const auto samples = static_cast<double>(std::max<std::int64_t>(1, cells[i].time.samples));
    variances.push_back(square(deviation) / samples);
  }
  return variances;
}

/// Of the true times' logarithms.
cv::Mat_<double> covariances_of(const std::vector<PathCell>& cells, const Group& group, const Covariance& kind) {
  std::vector<Place> places;
  for (const std::size_t i : group) places.push_back(place_of(cells[i]));
  const int count = static_cast<int>(group.size());
  cv::Mat_<double> covariances(count, count);
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j <= i; ++j) {
      const Place& a = places[static_cast<std::size_t>(i)];
      covariances(i, j) = covariances(j, i) = covariance(kind, a, places[static_cast<std::size_t>(j)]);
    }
  }
  return covariances;
}

void krige(std::vector<PathCell>& cells, const Group& group, const Covariance& kind) {
  if (group.size() < fewest_alike) return;
  const std::vector<double> variances = variances_of(cells, group);
  if (quantile(variances, 0.9) < square(least_error)) return;
  std::vector<double> logarithms;
  for (const std::size_t i : group) logarithms.push_back(std::log(cells[i].time.seconds));
  const double middle = mean(logarithms);
  const cv::Mat_<double> of_true_times = covariances_of(cells, group, kind);
  cv::Mat_<double> of_measured_times = of_true_times.clone();
  cv::Mat_<double> differences(of_true_times.rows, 1);
  for (int i = 0; i < differences.rows; ++i) {
    of_measured_times(i, i) += variances[static_cast<std::size_t>(i)] + square(nugget);
    differences(i, 0) = logarithms[static_cast<std::size_t>(i)] - middle;
  }
  cv::Mat weights, posterior;
  if (!cv::solve(of_measured_times, differences, weights, cv::DECOMP_CHOLESKY)) return;
  cv::gemm(of_true_times, weights, 1, cv::noArray(), 0, posterior);
  for (int i = 0; i < posterior.rows; ++i)
    cells[group[static_cast<std::size_t>(i)]].time.seconds = std::exp(middle + posterior.at<double>(i, 0));
}

}  // namespace

std::vector<PathCell> kriged(std::vector<PathCell> cells) {
  krige(cells, group_of(cells, false), of_streams);
  krige(cells, group_of(cells, true), of_round_trips);
  return cells;
}

}  // namespace tilewright
