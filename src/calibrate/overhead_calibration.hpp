// Measures what short messages take of the processor of a rank that computes.
#pragma once

#include "operator_calibration.hpp"
#include "tilewright/runtime/communicator.hpp"

namespace tilewright {

/// The root's samples of message_overhead_cell(); none on other ranks, nor of one rank. It computes, tells all others
/// a number, computes, and hears one of each, as reductions have it. Collective.
[[nodiscard]] OperatorMeasurement calibrate_overheads(const Communicator& communicator);

}  // namespace tilewright
