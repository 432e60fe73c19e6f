#include "kriging.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <opencv2/core.hpp>
#include <optional>
#include <utility>

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

/// By how much the logarithms of times differ, and within which factor of a size (a logarithm, too) they do not.
struct Scale {
  double deviation = 0;
  double over_bytes = 1;
};

/// What two messages have in common beside the trend over the sizes: the steps where protocols change; how the layouts'
/// data are packed, and which ends pack them, each with steps of its own; and for the same ends the length of the
/// blocks and how far they are apart.
struct Covariance {
  Scale steps;  ///< not smooth
  Scale packing;
  Scale layout;  ///< not smooth
  Scale form;    ///< packing and layout; not smooth
  Scale blocks;
  double over_block = 0;
  double over_gap = 0;
  /// How far messages that are alike in everything differ all the same: the share of the time that no sample takes
  /// away.
  double nugget = 0;
};

using Candidates = std::array<Covariance, 3>;
constexpr Scale none;
/// Of every machine; smooth.
constexpr Scale trend{2, 4};
/// Machines differ in what their messages have in common, so that the one that tells a calibration best is taken. Each
/// is the most likely one of calibrations (docs/design.md): of 1 Gbit/s between slow nodes, where layouts take about
/// the same time; between quicker ones, where each has steps of its own; and of 100 Mbit/s, where the wire tells nearly
/// all. Those of sending and receiving had nothing in which they differed.
constexpr Candidates of_streams{{
    {.steps = {0.4, 0.8},
     .packing = {0.08, 0.85},
     .layout = none,
     .form = none,
     .blocks = {0.26, 3.5},
     .over_block = 0.8,
     .over_gap = 10,
     .nugget = 0.02},
    {.steps = {0.23, 1},
     .packing = {0.06, 8},
     .layout = {0.16, 0.16},
     .form = {0.012, 3},
     .blocks = {0.39, 4},
     .over_block = 3.6,
     .over_gap = 8,
     .nugget = 0.044},
    {.steps = {0.9, 9.5},
     .packing = {0.01, 1},
     .layout = {0.02, 8},
     .form = {0.002, 5},
     .blocks = {0.013, 30},
     .over_block = 90,
     .over_gap = 1.9,
     .nugget = 0.01},
}};
/// Round trips go through all partners.
constexpr Candidates of_round_trips{{
    {.steps = {0.2, 1},
     .packing = {0.15, 2},
     .layout = none,
     .form = none,
     .blocks = {0.15, 6},
     .over_block = 3,
     .over_gap = 5,
     .nugget = 0.02},
    {.steps = {0.11, 0.04},
     .packing = {0.23, 3},
     .layout = {0.11, 0.32},
     .form = {0.15, 0.1},
     .blocks = {0.31, 3.4},
     .over_block = 4.6,
     .over_gap = 9,
     .nugget = 0.005},
    {.steps = {0.21, 0.9},
     .packing = {0.02, 9},
     .layout = {0.004, 2},
     .form = {0.035, 0.27},
     .blocks = {0.02, 1.5},
     .over_block = 50,
     .over_gap = 14,
     .nugget = 0.004},
}};

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

double smooth(const Scale& scale, double log_bytes) {
  return square(scale.deviation) * smooth(log_bytes, scale.over_bytes);
}

double rough(const Scale& scale, double log_bytes) {
  return square(scale.deviation) * rough(log_bytes, scale.over_bytes);
}

double covariance(const Covariance& of, const Place& a, const Place& b) {
  const double bytes = a.log_bytes - b.log_bytes;
  double sum = smooth(trend, bytes) + rough(of.steps, bytes);
  if (a.packing == b.packing) sum += smooth(of.packing, bytes);
  if (a.layout == b.layout) sum += rough(of.layout, bytes);
  if (a.packing != b.packing || a.layout != b.layout) return sum;
  return sum + rough(of.form, bytes) +
         smooth(of.blocks, bytes) * smooth(a.log_block - b.log_block, of.over_block) *
             rough(a.log_gap - b.log_gap, of.over_gap);
}

/// Cells that are measured alike, by their numbers.
using Group = std::vector<std::size_t>;

/// Between nodes: those of round trips, or of streams.
Group group_of(const std::vector<PathCell>& cells, bool is_of_round_trips) {
  Group group;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const PathCell& cell = cells[i];
    const bool is_alike = is_of_round_trips ? cell.path == Path::full : is_of_one_end(cell.path);
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
cv::Mat_<double> covariances_of(const std::vector<Place>& places, const Covariance& kind) {
  const int count = static_cast<int>(places.size());
  cv::Mat_<double> covariances(count, count);
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j <= i; ++j) {
      const Place& a = places[static_cast<std::size_t>(i)];
      covariances(i, j) = covariances(j, i) = covariance(kind, a, places[static_cast<std::size_t>(j)]);
    }
  }
  return covariances;
}

/// How well a covariance tells a group, and what it takes each cell to be.
struct Told {
  double score = 0;
  std::vector<double> posterior;  ///< less the mean
};

/// By the logarithm of the probability with which all other cells together predict each one (Rasmussen and Williams,
/// equations 5.10 to 5.12), up to a constant.
std::optional<Told> told_by(const Covariance& kind, const std::vector<Place>& places,
                            const std::vector<double>& variances, const std::vector<double>& differences) {
  const cv::Mat_<double> of_true_times = covariances_of(places, kind);
  cv::Mat_<double> of_measured_times = of_true_times.clone();
  for (int i = 0; i < of_measured_times.rows; ++i)
    of_measured_times(i, i) += variances[static_cast<std::size_t>(i)] + square(kind.nugget);
  cv::Mat_<double> inverse;
  if (cv::invert(of_measured_times, inverse, cv::DECOMP_CHOLESKY) == 0) return std::nullopt;
  cv::Mat_<double> weights, posterior;
  cv::gemm(inverse, cv::Mat(differences), 1, cv::noArray(), 0, weights);
  cv::gemm(of_true_times, weights, 1, cv::noArray(), 0, posterior);
  Told told{0, {posterior.begin(), posterior.end()}};
  for (int i = 0; i < inverse.rows; ++i)
    told.score += 0.5 * (std::log(inverse(i, i)) - square(weights(i)) / inverse(i, i));
  return told;
}

void krige(std::vector<PathCell>& cells, const Group& group, const Candidates& candidates) {
  if (group.size() < fewest_alike) return;
  const std::vector<double> variances = variances_of(cells, group);
  if (quantile(variances, 0.9) < square(least_error)) return;
  std::vector<Place> places;
  std::vector<double> differences;
  for (const std::size_t i : group) {
    places.push_back(place_of(cells[i]));
    differences.push_back(std::log(cells[i].time.seconds));
  }
  const double middle = mean(differences);
  for (double& difference : differences) difference -= middle;
  std::optional<Told> best;
  for (const Covariance& kind : candidates) {
    auto told = told_by(kind, places, variances, differences);
    if (told && (!best || told->score > best->score)) best = std::move(told);
  }
  if (!best) return;
  for (std::size_t i = 0; i < group.size(); ++i) cells[group[i]].time.seconds = std::exp(middle + best->posterior[i]);
}

}  // namespace

std::vector<PathCell> kriged(std::vector<PathCell> cells) {
  krige(cells, group_of(cells, false), of_streams);
  krige(cells, group_of(cells, true), of_round_trips);
  return cells;
}

}  // namespace tilewright
