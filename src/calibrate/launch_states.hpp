// Which samples of a calibration's launches tell of a state of the machine.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "machine_states.hpp"
#include "state_ratios.hpp"
#include "tilewright/model/cells.hpp"
#include "tilewright/model/machine_profile.hpp"

namespace tilewright {

/// Where samples were taken: in which launch, and there between which rounds of operators. A processor may be in one
/// state for half a minute and in another one after that: what was measured at one go tells of one state.
struct Replicate {
  int launch = 0;
  int go = 0;  ///< of messages; 0 for operators
  auto operator<=>(const Replicate&) const = default;
};

/// As MarkedSample.
struct PlacedSample {
  double seconds = 0;
  bool disturbed = false;
  Replicate replicate;
  std::size_t moment = 0;  ///< of MachineStates
};

/// Reads samples in the order in which they were taken, and tells in which state of the machine that was.
class LaunchStates {
 public:
  /// `state_s`: what the empty message takes there and back in the state that is asked for; 0: each launch's own, the
  /// one that prevailed in it. It is asked for of messages that are not within a node of several.
  explicit LaunchStates(double state_s) : state_s_(state_s) {}

  /// The moment of the sample that is read.
  std::size_t read(const RawSample& sample, const std::optional<PathCell>& cell);
  /// Of a cell in a launch. All are to be compared before any is asked for.
  void compare(const std::vector<PlacedSample>& samples, const std::optional<PathCell>& cell, int launch);
  /// Of a cell in a launch: those of the state, if there are any, else all, as they would be in it. None of a launch
  /// that never was in the state that is asked for, if another one was.
  [[nodiscard]] std::vector<PlacedSample> that_count(const std::vector<PlacedSample>& samples,
                                                     const std::optional<PathCell>& cell, int launch) const;

  /// Of the empty message, those that were not taken in the state.
  [[nodiscard]] std::vector<double> other_round_trips() const;
  /// Which share of the cells that the state tells of has samples of it.
  [[nodiscard]] double share_of_cells() const;

 private:
  using Place = std::pair<int, bool>;  ///< a launch, and whether within a node

  [[nodiscard]] MachineState state_in(const Place& place) const;

  double state_s_ = 0;
  std::map<Place, MachineStates> states_;
  std::map<Place, MachineState>
      counting_;  ///< found when the first cell is compared, for all round trips are looked at
  StateRatios ratios_;
  std::set<std::pair<int, std::string>> with_, without_;  ///< launches and their cells that have samples of the state
  std::set<int> launches_;                                ///< that were in it
};

}  // namespace tilewright
