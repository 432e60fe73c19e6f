// Sizes at which the message layer changes its ways.
#pragma once

#include <cstdint>
#include <vector>

#include "tilewright/model/cells.hpp"

namespace tilewright {

struct ProtocolSwitch {
  Path path = Path::full;
  Layout layout = Layout::cc;
  Packing packing = Packing::datatype;
  std::int64_t above_bytes = 0;  ///< the larger of the two sizes between which it lies; the smaller is `below_bytes`
  std::int64_t below_bytes = 0;
  double factor = 1;  ///< by which the time changes there
  bool operator==(const ProtocolSwitch&) const = default;
};

/// Steps in the rows of the paper's blocks: neighbouring sizes, at most a half apart, whose times differ by a quarter
/// more than their sizes do, or the larger of which is faster, in either case by more than the noise. `cells` are in
/// the order of a profile (MachineProfile::paths()). Those of messages within a node do not count; of these
/// MachineProfile::within_nodes() has the rows.
[[nodiscard]] std::vector<ProtocolSwitch> protocol_switches(const std::vector<PathCell>& cells);

}  // namespace tilewright
