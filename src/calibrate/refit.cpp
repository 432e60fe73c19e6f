#include "refit.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "tilewright/calibrate/fit.hpp"
#include "tilewright/core/statistics.hpp"
#include "tilewright/model/cell_names.hpp"

namespace tilewright {
namespace {

using Launches = std::map<int, std::vector<double>>;  // samples by launch
using Samples = std::map<std::string, Launches>;      // by cell

/// Disturbed samples only where the launch has no others.
Samples grouped(const std::vector<RawSample>& samples) {
  Samples by_cell;
  for (const RawSample& sample : samples) {
    if (!sample.disturbed) by_cell[sample.cell][sample.launch].push_back(sample.seconds);
  }
  Samples disturbed;
  for (const RawSample& sample : samples) {
    if (sample.disturbed) disturbed[sample.cell][sample.launch].push_back(sample.seconds);
  }
  for (const auto& [cell, launches] : disturbed) by_cell[cell].insert(launches.begin(), launches.end());
  return by_cell;
}

/// One cell's time from those of its launches.
std::optional<Estimate> combined(const std::vector<Estimate>& launches) {
  if (launches.empty()) return std::nullopt;
  if (launches.size() == 1) return launches.front();
  std::vector<double> seconds, spreads;
  Estimate all;
  for (const Estimate& launch : launches) {
    seconds.push_back(launch.seconds);
    spreads.push_back(launch.spread_s);
    all.samples += launch.samples;
  }
  all.seconds = median(seconds);
  const double between = (quantile(seconds, 0.75) - quantile(seconds, 0.25)) / 2;
  all.spread_s = std::max(median(spreads), between);
  return all;
}

/// The round trips of the empty message of that launch, of the cell's layout and ends; null without any.
const std::vector<double>* empty_of(const Samples& samples, const PathCell& cell, int launch) {
  const PathCell empty_cell{Path::full, cell.layout, 0, {}, Packing::datatype, 0, 0, cell.within_node};
  const auto empty = samples.find(cell_name(empty_cell));
  if (empty == samples.end()) return nullptr;
  const auto of_launch = empty->second.find(launch);
  return of_launch == empty->second.end() ? nullptr : &of_launch->second;
}

std::optional<Estimate> time_of(const Samples& samples, const PathCell& cell, const Launches& launches) {
  std::vector<Estimate> times;
  for (const auto& [launch, seconds] : launches) {
    if (const auto time = fit_path(cell, seconds, empty_of(samples, cell, launch))) times.push_back(*time);
  }
  return combined(times);
}

std::optional<Estimate> time_of(const Launches& launches) {
  std::vector<Estimate> times;
  for (const auto& [launch, seconds] : launches) times.push_back(fit(seconds));
  return combined(times);
}

}  // namespace

MachineProfile fitted_profile(const std::string& name, const Fingerprint& fingerprint,
                              const std::vector<RawSample>& samples) {
  const Samples by_cell = grouped(samples);
  std::vector<PathCell> paths;
  std::vector<OperatorCell> operators;
  for (const auto& [cell, launches] : by_cell) {
    if (auto path = path_cell_named(cell)) {
      const auto time = time_of(by_cell, *path, launches);
      if (!time) continue;
      path->time = *time;
      paths.push_back(*path);
    } else if (auto operation = operator_cell_named(cell)) {
      operation->time_per_unit = *time_of(launches);
      operators.push_back(*operation);
    }
  }
  return {name, fingerprint, std::move(paths), std::move(operators)};
}

}  // namespace tilewright
