// The samples of a calibration by cell and launch, with where each was taken.
#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "machine_states.hpp"
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

struct CellSamples {
  std::optional<PathCell> path;  ///< none of what is no message or transfer
  std::map<int, std::vector<PlacedSample>> launches;
};

struct LaunchSamples {
  using Place = std::pair<int, bool>;  ///< a launch, and whether within a node

  /// In the order in which they were taken.
  explicit LaunchSamples(const std::vector<RawSample>& samples);

  std::map<std::string, CellSamples> cells;  ///< by name
  std::map<Place, MachineStates> states;     ///< as the empty message tells them
};

}  // namespace tilewright
