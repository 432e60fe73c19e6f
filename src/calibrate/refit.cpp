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

/// What a name says; it is read once for all samples of a cell.
struct NamedCell {
  std::optional<PathCell> path;
  bool is_operator = false;
};

class CellNames {
 public:
  const NamedCell& operator[](const std::string& name) {
    const auto [known, is_new] = cells_.try_emplace(name);
    if (is_new) known->second = {path_cell_named(name), operator_cell_named(name).has_value()};
    return known->second;
  }

 private:
  std::map<std::string, NamedCell> cells_;
};

/// Tells the replicates of samples, which it is asked in the order in which they were taken.
class ReplicateCounter {
 public:
  Replicate of(const RawSample& sample, bool is_operator) {
    if (is_operator) {
      after_operators_ = true;
      return {sample.launch, 0};
    }
    if (sample.launch != launch_) {
      launch_ = sample.launch;
      go_ = 0;
    } else if (after_operators_) {
      ++go_;
    }
    after_operators_ = false;
    return {launch_, go_};
  }

 private:
  int launch_ = -1;
  int go_ = 0;
  bool after_operators_ = false;
};

using SamplesOfLaunches = std::map<int, std::vector<PlacedSample>>;

/// Those that count: of the state, and what was disturbed of a replicate is told by its other samples.
Samples grouped(const std::vector<RawSample>& samples, double state_s) {
  std::map<std::string, SamplesOfLaunches> all;
  ReplicateCounter counter;
  LaunchStates states(state_s);
  CellNames cells;
  for (const RawSample& sample : samples) {
    const NamedCell& cell = cells[sample.cell];
    const Replicate replicate = counter.of(sample, cell.is_operator);
    const std::size_t moment = states.read(sample, cell.path);
    all[sample.cell][sample.launch].push_back({sample.seconds, sample.disturbed, replicate, moment});
  }
  for (const auto& [name, launches] : all) {
    for (const auto& [launch, own] : launches) states.compare(own, cells[name].path, launch);
  }
  Samples by_cell;
  for (const auto& [name, launches] : all) {
    for (const auto& [launch, own] : launches) {
      std::map<Replicate, std::vector<PlacedSample>> replicates;
      for (const PlacedSample& sample : states.that_count(own, cells[name].path, launch)) {
        replicates[sample.replicate].push_back(sample);
      }
      for (const auto& [replicate, of_it] : replicates) by_cell[name][replicate] = counted(of_it);
    }
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

std::map<int, TimesOfGoes> times_of(const Samples& samples, const PathCell& cell, const Replicates& replicates) {
  std::map<int, TimesOfGoes> times;
  for (const auto& [replicate, seconds] : replicates) {
    const auto time = fit_path(cell, seconds, empty_of(samples, cell, replicate));
    if (time) times[replicate.launch][replicate.go] = *time;
  }
  return times;
}

struct TimedCell {
  PathCell cell;
  std::map<int, TimesOfGoes> times;  ///< by launch
};

/// A launch's time is the mean of what its goes tell: what a plan takes in the mean, whatever the state. Between
/// launches the median, for one of them may have been spoilt as a whole.
std::vector<PathCell> fitted_paths(const Samples& samples) {
  std::vector<TimedCell> all;
  SpeedOfGoes speed;
  for (const auto& [name, replicates] : samples) {
    const auto cell = path_cell_named(name);
    if (!cell) continue;
    all.push_back({*cell, times_of(samples, *cell, replicates)});
    for (const auto& [launch, goes] : all.back().times) speed.add(*cell, launch, goes);
  }
  std::vector<PathCell> fitted;
  for (auto& [cell, times] : all) {
    std::vector<Estimate> launches;
    for (const auto& [launch, goes] : times) launches.push_back(*combined(speed.in_the_mean(cell, launch, goes), mean));
    const auto time = combined(launches, median);
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

MachineProfile fitted_profile(const std::string& name, const Fingerprint& fingerprint,
                              const std::vector<RawSample>& samples, double state_s) {
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
