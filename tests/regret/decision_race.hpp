// Runs a decision's case with the decision free and with it forbidden, in turns.
#pragma once

#include <functional>

#include "decision_report.hpp"
#include "decisions.hpp"
#include "measurement.hpp"

namespace tilewright::regret {

/// `profile` matters on the root only, where the result is. Collective.
[[nodiscard]] DecisionResult measure_decision(const Decision& decision, const Ground& ground, const Effort& effort,
                                              const MachineProfile& profile, const Communicator& communicator,
                                              const std::function<void(const std::string&)>& tell);

}  // namespace tilewright::regret
