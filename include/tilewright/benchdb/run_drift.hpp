// Whether what runs take still is what a profile predicts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tilewright/benchdb/stored_run.hpp"

namespace tilewright {

/// Measured over predicted, where runs are off together.
struct RunDrift {
  double factor = 1;  ///< the median
  int runs = 0;       ///< that it is of
};

/// None unless at least five of the newest twenty runs tell, and three quarters of those that tell took longer than
/// predicted by a quarter or more, or so much less. Runs of less than 10 ms do not tell: a step more or less in a
/// cache, or the first touch of memory, is a large part of them. `newest_first`.
[[nodiscard]] std::optional<RunDrift> drift_of_runs(const std::vector<StoredRun>& newest_first);

/// "the last 20 runs took 1.50 times as long as predicted"
[[nodiscard]] std::string to_string(const RunDrift& drift);

/// The same, what it means for the machine's profile, and what tells more and mends it.
[[nodiscard]] std::string warning_of(const RunDrift& drift, const std::string& machine);

}  // namespace tilewright
