#include "tilewright/scheduler/objective.hpp"

#include <fmt/format.h>

#include "tilewright/core/error.hpp"

namespace tilewright {

std::string_view to_string(Objective objective) {
  return objective == Objective::time ? "time" : "node-hours";
}

Objective parse_objective(std::string_view text) {
  for (const Objective objective : {Objective::time, Objective::node_hours}) {
    if (text == to_string(objective)) return objective;
  }
  throw ParameterError(fmt::format("'{}' is no objective: use time or node-hours", text));
}

}  // namespace tilewright
