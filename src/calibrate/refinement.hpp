// Where a row of sizes needs another one.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tilewright/model/machine_profile.hpp"

namespace tilewright {

/// A size of a row that has been measured.
struct RowPoint {
  std::int64_t bytes = 0;
  Estimate time;
};

/// The sizes to be tried next, one for each gap of the row between which a straight line is not known to hold: the
/// middle (geometric) of two neighbours, if at one of them the time leaves the chord between its own neighbours by more
/// than `tolerance` of it and by more than the noise. Gaps that are narrower than a third are left alone, and of 3 %
/// where the time jumps: there a protocol changes, and the row has both sides of the step. `points` ascending; sizes
/// are multiples of `unit`, and smaller ones of a value.
[[nodiscard]] std::vector<std::int64_t> sizes_to_refine(const std::vector<RowPoint>& points, double tolerance,
                                                        std::int64_t unit);

/// Of these, the middles of the gaps where the time jumps.
[[nodiscard]] std::vector<std::int64_t> sizes_within_steps(const std::vector<RowPoint>& points, std::int64_t unit);

}  // namespace tilewright
