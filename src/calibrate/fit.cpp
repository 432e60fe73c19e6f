#include "tilewright/calibrate/fit.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "tilewright/core/error.hpp"
#include "tilewright/core/statistics.hpp"

namespace tilewright {

namespace {

/// The upper one of the middle two counts as long as it is no more than this many times the lower one.
constexpr double most_between_middle = 1.5;

double middle_of(std::span<const double> samples) {
  std::vector<double> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  const double lower = sorted[(sorted.size() - 1) / 2], upper = sorted[sorted.size() / 2];  // one, of an odd number
  return upper <= most_between_middle * lower ? std::midpoint(lower, upper) : lower;
}

}  // namespace

Estimate fit(std::span<const double> samples) {
  if (samples.empty()) throw ParameterError("fit: there are no samples");
  const double interquartile_range = quantile(samples, 0.75) - quantile(samples, 0.25);
  return {middle_of(samples), interquartile_range / 2, static_cast<std::int64_t>(samples.size())};
}

Estimate fit_empty_full(std::span<const double> empty_round_trips) {
  const Estimate round_trip = fit(empty_round_trips);
  return {round_trip.seconds / 2, round_trip.spread_s / 2, round_trip.samples};
}

bool is_plausible_full(std::span<const double> round_trips, std::span<const double> empty_round_trips) {
  return fit(round_trips).seconds >= fit_empty_full(empty_round_trips).seconds;
}

Estimate fit_full(std::span<const double> round_trips, std::span<const double> empty_round_trips) {
  Estimate full = fit(round_trips);
  const double way_back = fit_empty_full(empty_round_trips).seconds;
  const double most = full.seconds / 2;
  full.spread_s = std::max(full.spread_s, way_back - most);
  full.seconds -= std::min(way_back, most);
  return full;
}

std::optional<Estimate> fit_path(const PathCell& cell, const std::vector<double>& samples,
                                 const std::vector<double>* empty) {
  if (cell.path != Path::full) return fit(samples);
  if (cell.bytes == 0) return fit_empty_full(samples);
  if (empty == nullptr) return std::nullopt;
  return fit_full(samples, *empty);
}

std::optional<Estimate> combined(const std::vector<Estimate>& replicates, double (*middle)(std::span<const double>)) {
  if (replicates.empty()) return std::nullopt;
  if (replicates.size() == 1) return replicates.front();
  std::vector<double> seconds, spreads;
  Estimate all;
  for (const Estimate& replicate : replicates) {
    seconds.push_back(replicate.seconds);
    spreads.push_back(replicate.spread_s);
    all.samples += replicate.samples;
  }
  all.seconds = middle(seconds);
  const double between = (quantile(seconds, 0.75) - quantile(seconds, 0.25)) / 2;
  all.spread_s = std::max(median(spreads), between);
  return all;
}

double stream_seconds(const StreamBurst& burst) {
  const bool steady = burst.in_calls_s >= steady_share * burst.other_end_s;
  return steady ? burst.in_calls_s : burst.other_end_s;
}

}  // namespace tilewright
