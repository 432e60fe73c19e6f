// Which samples of a calibration's launches tell of a state of the machine.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "launch_samples.hpp"
#include "state_ratios.hpp"

namespace tilewright {

/// Of samples that live longer.
class LaunchStates {
 public:
  /// `state_s`: what the empty message takes there and back in the state that is asked for; 0: each launch's own, the
  /// one that prevailed in it. It is asked for of messages that are not within a node of several.
  LaunchStates(const LaunchSamples& samples, double state_s);

  /// Of a cell in a launch: those of the state, if there are any, else all, as they would be in it. None of a launch
  /// that never was in the state that is asked for, if another one was.
  [[nodiscard]] std::vector<PlacedSample> that_count(const CellSamples& cell, int launch) const;

  /// Of the empty message, those that were not taken in the state.
  [[nodiscard]] std::vector<double> other_round_trips() const;
  /// Which share of the cells that the state tells of has samples of it.
  [[nodiscard]] double share_of_cells() const { return share_of_cells_; }

 private:
  [[nodiscard]] std::vector<double> seconds_of(const CellSamples& cell, int launch, bool in_state) const;
  bool compare(const CellSamples& cell);

  const LaunchSamples& samples_;
  bool is_asked_for_;
  std::map<LaunchSamples::Place, MachineState> counting_;
  StateRatios ratios_;
  std::set<int> launches_;  ///< that were in it
  double share_of_cells_ = 0;
};

}  // namespace tilewright
