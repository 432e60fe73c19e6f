// Measures what a step of a plan takes besides its work.
#pragma once

#include "operator_calibration.hpp"

namespace tilewright {

/// This rank's samples of step_overhead_cell(): plans of a few steps that have nothing to do, on one rank.
[[nodiscard]] OperatorMeasurement calibrate_steps(Switches switches);

}  // namespace tilewright
