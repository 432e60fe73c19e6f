#include "speed_of_goes.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tilewright/core/statistics.hpp"

namespace tilewright {
namespace {

/// So many cells tell of a size: of fewer, one that was disturbed would.
constexpr std::size_t neighbours = 7;

double mean_of(const TimesOfGoes& times) {
  std::vector<double> seconds;
  for (const auto& [go, time] : times) seconds.push_back(time.seconds);
  return mean(seconds);
}

double distance(std::int64_t bytes, std::int64_t other) {
  return std::abs(std::log1p(static_cast<double>(bytes)) - std::log1p(static_cast<double>(other)));
}

}  // namespace

SpeedOfGoes::Key SpeedOfGoes::key_of(const PathCell& cell, int launch) {
  return {launch, cell.path, cell.layout, cell.within_node};
}

void SpeedOfGoes::add(const PathCell& cell, int launch, const TimesOfGoes& times) {
  Alike& alike = all_[key_of(cell, launch)];
  alike.cells.push_back({cell.bytes, times});
  alike.goes = std::max(alike.goes, times.size());
}

double SpeedOfGoes::factor(const Alike& alike, std::int64_t bytes, int go) {
  std::vector<std::pair<double, double>> by_distance;
  for (const Cell& cell : alike.cells) {
    const auto time = cell.times.find(go);
    const bool tells = cell.times.size() == alike.goes && time != cell.times.end() && mean_of(cell.times) > 0;
    if (tells) by_distance.emplace_back(distance(bytes, cell.bytes), time->second.seconds / mean_of(cell.times));
  }
  std::stable_sort(by_distance.begin(), by_distance.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  by_distance.resize(std::min(by_distance.size(), neighbours));
  std::vector<double> factors;
  for (const auto& [away, factor] : by_distance) factors.push_back(factor);
  return factors.empty() || !(median(factors) > 0) ? 1 : median(factors);
}

std::vector<Estimate> SpeedOfGoes::in_the_mean(const PathCell& cell, int launch, const TimesOfGoes& times) const {
  const Alike& alike = all_.at(key_of(cell, launch));
  std::vector<Estimate> all;
  for (const auto& [go, time] : times) {
    const double scale = times.size() == alike.goes ? 1 : 1 / factor(alike, cell.bytes, go);
    all.push_back({scale * time.seconds, scale * time.spread_s, time.samples});
  }
  return all;
}

}  // namespace tilewright
