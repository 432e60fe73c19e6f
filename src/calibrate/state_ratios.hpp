// What messages take in one state of the machine that were measured in another one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "tilewright/core/statistics.hpp"
#include "tilewright/model/cells.hpp"

namespace tilewright {

/// In a calibration, some sizes are added late, and the machine may have gone from one state to another by then: where
/// processors of a virtual machine had moved apart, a row of messages of 1.7 us got one of 3.0 among them. Those that
/// were measured in both states tell what the others would have taken.
class StateRatios {
 public:
  /// A cell that has samples of the prevailing state, and of other ones. Seconds; neither is empty.
  void add(const PathCell& cell, int launch, const std::vector<double>& prevailing, const std::vector<double>& others);

  /// By how much longer the cell's message takes in the prevailing state than in others, as those of nearly its size
  /// tell that are alike; none where there are none.
  [[nodiscard]] std::optional<double> of(const PathCell& cell, int launch) const;

 private:
  /// Of one launch, placement, path, layout and packing, and whether in the paper's blocks.
  using Key = std::tuple<int, bool, Path, Layout, Packing, bool>;

  [[nodiscard]] static Key key_of(const PathCell& cell, int launch);

  std::map<Key, std::vector<PointOnLine>> ratios_;  ///< by the logarithm of the size
};

}  // namespace tilewright
