// What a calibration must fulfil beyond what MachineProfile itself asks for.
#pragma once

#include <string>
#include <vector>

#include "tilewright/model/machine_profile.hpp"

namespace tilewright {

/// Throws ParameterError for a machine without name, or whose name is no text of UTF-8 without control characters, or a
/// number that is not finite: such a one cannot be kept.
void require_storable(const Calibration& calibration);

/// What is suspicious in a stored calibration, each as a sentence: times that cannot be, samples of no cell, rows of
/// paths that are missing.
[[nodiscard]] std::vector<std::string> problems_of(const Calibration& calibration);

}  // namespace tilewright
