#include "refit.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "kriging.hpp"
#include "launch_states.hpp"
#include "marked_samples.hpp"
#include "speed_of_goes.hpp"
#include "tilewright/calibrate/fit.hpp"
#include "tilewright/core/statistics.hpp"
#include "tilewright/model/cell_names.hpp"

namespace tilewright {
namespace {

using Replicates = std::map<Replicate, std::vector<double>>;
using Samples = std::map<std::string, Replicates>;  // by cell

/// Those that count: of the state, and what was disturbed of a replicate is told by its other samples.
Samples grouped(const LaunchSamples& samples, double state_s) {
  const LaunchStates states(samples, state_s);
  Samples by_cell;
  for (const auto& [name, cell] : samples.cells) {
    std::map<Replicate, std::vector<PlacedSample>> replicates;
    for (const auto& [launch, own] : cell.launches) {
      for (const PlacedSample& sample : states.that_count(cell, launch)) replicates[sample.replicate].push_back(sample);
    }
    for (const auto& [replicate, of_it] : replicates) by_cell[name][replicate] = counted(of_it);
  }
  return by_cell;
}

/// The round trips of the empty message of the same go, of the cell's layout and ends; else of another one of the
/// launch; null without any.
const std::vector<double>* empty_of(const Samples& samples, const PathCell& cell, const Replicate& replicate) {
  const PathCell empty_cell{Path::full, cell.layout, 0, {}, Packing::datatype, 0, 0, cell.within_node};
  const auto empty = samples.find(cell_name(empty_cell));
  if (empty == samples.end()) return nullptr;
  const auto of_go = empty->second.find(replicate);
  if (of_go != empty->second.end()) return &of_go->second;
  const auto of_launch = empty->second.lower_bound({replicate.launch, 0});
  const bool is_of_launch = of_launch != empty->second.end() && of_launch->first.launch == replicate.launch;
  return is_of_launch ? &of_launch->second : nullptr;
}

struct GoesOfLaunch {
  TimesOfGoes times;
  std::map<int, std::vector<double>> samples;  ///< of one way
};

/// Samples as the times of one way, of which the go's time is the middle.
std::vector<double> one_way(std::vector<double> samples, double time_s) {
  const double way_back_s = fit(samples).seconds - time_s;
  for (double& sample : samples) sample = std::max(0.0, sample - way_back_s);
  return samples;
}

std::map<int, GoesOfLaunch> launches_of(const Samples& samples, const PathCell& cell, const Replicates& replicates) {
  std::map<int, GoesOfLaunch> launches;
  for (const auto& [replicate, seconds] : replicates) {
    const auto time = fit_path(cell, seconds, empty_of(samples, cell, replicate));
    if (!time) continue;
    GoesOfLaunch& goes = launches[replicate.launch];
    goes.times[replicate.go] = *time;
    goes.samples[replicate.go] = one_way(seconds, time->seconds);
  }
  return launches;
}

struct TimedCell {
  PathCell cell;
  std::map<int, GoesOfLaunch> launches;
};

/// What a plan takes in the mean of all goes, whatever the state. Of messages between two ranks it is the median of all
/// samples, each as in that mean: a go has few of a cell, and strangers that come for seconds would have its middle. Of
/// what all ranks do at once, which takes one time in one go and another one in the next, the mean of the goes.
Estimate time_of_launch(const PathCell& cell, int launch, const GoesOfLaunch& goes, const SpeedOfGoes& speed) {
  const Estimate time = *combined(speed.in_the_mean(cell, launch, goes.times), mean);
  if (goes.times.size() == 1 || !is_told_by_state(cell.path)) return time;
  std::vector<double> level;
  for (const auto& [go, seconds] : goes.samples) {
    const double factor = speed.factor(cell, launch, go);
    for (const double sample : seconds) level.push_back(sample / factor);
  }
  const Estimate middle = fit(level);
  return {middle.seconds, std::max(middle.spread_s, time.spread_s), time.samples};
}

/// Between launches the median, for one of them may have been spoilt as a whole.
std::vector<PathCell> fitted_paths(const Samples& samples) {
  std::vector<TimedCell> all;
  SpeedOfGoes speed;
  for (const auto& [name, replicates] : samples) {
    const auto cell = path_cell_named(name);
    if (!cell) continue;
    all.push_back({*cell, launches_of(samples, *cell, replicates)});
    for (const auto& [launch, goes] : all.back().launches) speed.add(*cell, launch, goes.times);
  }
  std::vector<PathCell> fitted;
  for (auto& [cell, launches] : all) {
    std::vector<Estimate> times;
    for (const auto& [launch, goes] : launches) times.push_back(time_of_launch(cell, launch, goes, speed));
    const auto time = combined(times, median);
    if (!time) continue;
    cell.time = *time;
    fitted.push_back(cell);
  }
  return fitted;
}

std::optional<Estimate> time_of(const Replicates& launches) {
  std::vector<Estimate> times;
  for (const auto& [launch, seconds] : launches) times.push_back(fit(seconds));
  return combined(times, median);
}

}  // namespace

MachineProfile fitted_profile(const std::string& name, const Fingerprint& fingerprint, const LaunchSamples& samples,
                              double state_s) {
  const Samples by_cell = grouped(samples, state_s);
  std::vector<OperatorCell> operators;
  for (const auto& [cell, replicates] : by_cell) {
    if (auto operation = operator_cell_named(cell)) {
      operation->time_per_unit = *time_of(replicates);
      operators.push_back(*operation);
    }
  }
  std::vector<PathCell> paths = fitted_paths(by_cell);
  if (fingerprint.nodes > 1) paths = kriged(std::move(paths));
  return {name, fingerprint, std::move(paths), std::move(operators)};
}

}  // namespace tilewright
