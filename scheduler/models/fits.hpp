// How the few parameters of simple models are made from a row of a profile.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tilewright/model/machine_profile.hpp"

namespace tilewright {

/// The size and the blocks at which statements give what depends on them: log_nP's own example (its section 4.1).
inline constexpr std::int64_t stated_bytes = 16384;
inline constexpr BlockShape stated_shape{stated_bytes, 8, 1024};

/// A measured time, and what it is to be proportional to.
struct TimedSize {
  double size = 0;
  double seconds = 0;
};

/// The paper's blocks of a row, sizes ascending. Throws NotMeasured if there are less than two: `model` needs them.
[[nodiscard]] std::vector<TimedSize> measured_row(const MachineProfile& profile, Path path, std::string_view model);

/// constant + slope * size.
struct Line {
  double constant = 0;
  double slope = 0;
};

/// The line whose relative errors have the least sum of squares; neither number is negative.
[[nodiscard]] Line fitted_line(const std::vector<TimedSize>& points);
/// The slope alone, the constant given.
[[nodiscard]] double fitted_slope(const std::vector<TimedSize>& points, double constant);

}  // namespace tilewright
