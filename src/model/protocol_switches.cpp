#include "tilewright/model/protocol_switches.hpp"

#include <cmath>

namespace tilewright {
namespace {

constexpr double widest_gap = 1.5;
constexpr double smallest_step = 1.25;
constexpr double smallest_fall = 0.9;

bool are_neighbours(const PathCell& a, const PathCell& b) {
  return a.path == b.path && a.layout == b.layout && a.packing == b.packing && a.has_paper_blocks() &&
         b.has_paper_blocks() && a.bytes > 0 &&
         static_cast<double>(b.bytes) <= widest_gap * static_cast<double>(a.bytes);
}

bool is_step(const PathCell& a, const PathCell& b) {
  const double factor = b.time.seconds / a.time.seconds;
  const double noise = a.time.spread_s + b.time.spread_s;
  if (std::abs(b.time.seconds - a.time.seconds) <= noise) return false;
  return factor > smallest_step * static_cast<double>(b.bytes) / static_cast<double>(a.bytes) || factor < smallest_fall;
}

}  // namespace

std::vector<ProtocolSwitch> protocol_switches(const std::vector<PathCell>& cells) {
  // Cells are in order of path, layout, size and packing; neighbours of one row may have another packing between them.
  std::vector<ProtocolSwitch> switches;
  for (const Packing packing : all_packings) {
    const PathCell* before = nullptr;
    for (const PathCell& cell : cells) {
      if (cell.packing != packing || !cell.has_paper_blocks() || cell.within_node) continue;
      if (before != nullptr && are_neighbours(*before, cell) && before->time.seconds > 0 && is_step(*before, cell)) {
        switches.push_back(
            {cell.path, cell.layout, packing, cell.bytes, before->bytes, cell.time.seconds / before->time.seconds});
      }
      before = &cell;
    }
  }
  return switches;
}

}  // namespace tilewright
