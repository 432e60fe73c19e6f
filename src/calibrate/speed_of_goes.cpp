#include "speed_of_goes.hpp"

#include <algorithm>
#include <utility>

#include "place_of_size.hpp"
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
  std::vector<PointOnLine> factors;
  for (const Cell& cell : alike.cells) {
    const auto time = cell.times.find(go);
    if (cell.times.size() < alike.goes || time == cell.times.end()) continue;
    const double mean_s = mean_of(cell.times);
    if (mean_s > 0) factors.push_back({place_of_size(cell.bytes), time->second.seconds / mean_s});
  }
  const double factor = median_of_nearest(std::move(factors), place_of_size(bytes), neighbours);
  return factor > 0 ? factor : 1;
}

double SpeedOfGoes::factor(const PathCell& cell, int launch, int go) const {
  return factor(all_.at(key_of(cell, launch)), cell.bytes, go);
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
