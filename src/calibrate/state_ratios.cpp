#include "state_ratios.hpp"

#include "place_of_size.hpp"

namespace tilewright {
namespace {

/// So many cells tell of a size: of fewer, one that was disturbed would.
constexpr std::size_t neighbours = 5;

}  // namespace

StateRatios::Key StateRatios::key_of(const PathCell& cell, int launch) {
  return {launch, cell.within_node, cell.path, cell.layout, cell.packing, cell.has_paper_blocks()};
}

void StateRatios::add(const PathCell& cell, int launch, const std::vector<double>& prevailing,
                      const std::vector<double>& others) {
  const double other_s = median(others);
  if (other_s > 0) ratios_[key_of(cell, launch)].push_back({place_of_size(cell.bytes), median(prevailing) / other_s});
}

std::optional<double> StateRatios::of(const PathCell& cell, int launch) const {
  const auto alike = ratios_.find(key_of(cell, launch));
  if (alike == ratios_.end()) return std::nullopt;
  return median_of_nearest(alike->second, place_of_size(cell.bytes), neighbours);
}

}  // namespace tilewright
