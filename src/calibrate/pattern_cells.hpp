// What is measured of messages that all ranks take part in.
#pragma once

#include <vector>

#include "path_calibration.hpp"

namespace tilewright {

/// Swaps; of three ranks or more, one of which has two neighbours, shifts as well.
[[nodiscard]] std::vector<PathCell> exchange_cells(const PathEffort& effort, int ranks);

/// What is left of swaps, and of shifts as well where they are; and what is collected meanwhile.
[[nodiscard]] std::vector<PathCell> overlapped_cells(const PathEffort& effort, int ranks);

/// The barrier and each of all_patterns.
[[nodiscard]] std::vector<PathCell> pattern_cells(const PathEffort& effort);

}  // namespace tilewright
