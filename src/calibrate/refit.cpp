#include "refit.hpp"

#include <algorithm>
#include <compare>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "kriging.hpp"
#include "machine_states.hpp"
#include "marked_samples.hpp"
#include "speed_of_goes.hpp"
#include "state_ratios.hpp"
#include "tilewright/calibrate/fit.hpp"
#include "tilewright/core/statistics.hpp"
#include "tilewright/model/cell_names.hpp"

namespace tilewright {
namespace {

/// Where samples were taken: in which launch, and there between which rounds of operators. A processor may be in one
/// state for half a minute and in another one after that: what was measured at one go tells of one state.
struct Replicate {
  int launch = 0;
  int go = 0;  ///< of messages; 0 for operators
  auto operator<=>(const Replicate&) const = default;
};

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

/// As MarkedSample.
struct PlacedSample {
  double seconds = 0;
  bool disturbed = false;
  Replicate replicate;
  std::size_t moment = 0;  ///< of MachineStates
};

using SamplesOfLaunches = std::map<int, std::vector<PlacedSample>>;

/// Reads samples in the order in which they were taken, and tells in which state of the machine that was.
class StatesOfLaunches {
 public:
  /// The moment of the sample that is read.
  std::size_t read(const RawSample& sample, const std::optional<PathCell>& cell) {
    if (!cell || !is_told_by_state(cell->path)) return 0;
    MachineStates& states = states_[{sample.launch, cell->within_node}];
    const std::size_t moment = states.moment();
    if (*cell == message_of_state(cell->within_node)) states.add(sample.seconds);
    return moment;
  }

  /// Of a cell in a launch. All are to be compared before any is asked for.
  void compare(const std::vector<PlacedSample>& samples, const std::optional<PathCell>& cell, int launch) {
    if (!cell || !is_told_by_state(cell->path)) return;
    const MachineStates& states = states_.at({launch, cell->within_node});
    const MachineState prevailing = states.prevailing();
    std::vector<double> of_it, of_others;
    for (const PlacedSample& sample : samples)
      (states.was_in(prevailing, sample.moment) ? of_it : of_others).push_back(sample.seconds);
    if (of_it.empty()) without_.insert({launch, cell_name(*cell)});
    if (!of_it.empty() && !of_others.empty()) ratios_.add(*cell, launch, of_it, of_others);
  }

  /// Of a cell in a launch: those of the state that prevailed, if there are any, else all, as they would be in it.
  [[nodiscard]] std::vector<PlacedSample> in_prevailing(const std::vector<PlacedSample>& samples,
                                                        const std::optional<PathCell>& cell, int launch) const {
    if (!cell || !is_told_by_state(cell->path)) return samples;
    const MachineStates& states = states_.at({launch, cell->within_node});
    std::vector<PlacedSample> own = in_state(samples, states, states.prevailing());
    const auto ratio =
        without_.contains({launch, cell_name(*cell)}) ? ratios_.of(*cell, launch) : std::optional<double>();
    for (PlacedSample& sample : own) sample.seconds *= ratio.value_or(1);
    return own;
  }

 private:
  std::map<std::pair<int, bool>, MachineStates> states_;  ///< by launch and whether within a node
  StateRatios ratios_;
  std::set<std::pair<int, std::string>> without_;  ///< launches and their cells that have no sample of the state
};

/// Those that count: of the state that prevailed, and what was disturbed of a replicate is told by its other samples.
Samples grouped(const std::vector<RawSample>& samples) {
  std::map<std::string, SamplesOfLaunches> all;
  ReplicateCounter counter;
  StatesOfLaunches states;
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
      for (const PlacedSample& sample : states.in_prevailing(own, cells[name].path, launch)) {
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
                              const std::vector<RawSample>& samples) {
  const Samples by_cell = grouped(samples);
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
