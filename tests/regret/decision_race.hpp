// Runs a decision's case with the decision free and with it forbidden, in turns.
#pragma once

#include <functional>

#include "decision_report.hpp"
#include "decisions.hpp"
#include "measurement.hpp"

namespace tilewright::regret {

/// A pipeline's folder of files is made in `folder`, which all ranks see. `profile` matters on the root only, where the
/// result is. Collective.
[[nodiscard]] DecisionResult measure_decision(Decision decision, const std::string& folder, const Ground& ground,
                                              const Effort& effort, const MachineProfile& profile,
                                              const Communicator& communicator,
                                              const std::function<void(const std::string&)>& tell);

}  // namespace tilewright::regret
