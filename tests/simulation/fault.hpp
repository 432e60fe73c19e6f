// Ways to spoil a schedule, which show that the checks of a simulated transfer can fail.
#pragma once

#include <cstdint>
#include <string_view>

#include "tilewright/transfers/schedule.hpp"

namespace tilewright::simulation {

enum class Fault : std::uint8_t {
  none,
  cycle,     ///< rank 1 goes through its rounds backwards, so that it and its neighbours wait for each other
  lost,      ///< the sender of the last message does not know of it, but the receiver does
  dropped,   ///< nobody knows of the last message
  repeated,  ///< the last message is sent twice
};
/// Throws ParameterError for an unknown name.
[[nodiscard]] Fault parse_fault(std::string_view text);

/// The schedule as `rank` takes it to be.
[[nodiscard]] Schedule spoiled(Schedule schedule, Fault fault, int rank);

}  // namespace tilewright::simulation
