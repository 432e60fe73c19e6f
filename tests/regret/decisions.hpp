// What the planner decides, each with a case in which deciding pays, and the options by which a user forbids it.
#pragma once

#include <string>
#include <vector>

#include "cases.hpp"
#include "tilewright/model/machine_profile.hpp"
#include "tilewright/model/plan.hpp"
#include "tilewright/runtime/communicator.hpp"
#include "tilewright/session/options.hpp"

namespace tilewright::regret {

struct Decision {
  std::string name;
  Case contested;
  std::vector<std::string> given = {};       ///< options of both plans
  std::vector<std::string> forbidding = {};  ///< and of the one without the decision
};

/// Those that are tried on a ground. Throws ParameterError for a ground that has none.
[[nodiscard]] std::vector<Decision> decisions_of(const Ground& ground);

/// The ranks that there are.
struct Started {
  int ranks_per_node = 1;
  int sharing_ranks = 1;
  int ranks = 0;
  std::vector<std::string> node_of_rank = {};
  int mappable_nodes = 1;
};

/// What the plan with the decision free, or forbidden, is made with.
[[nodiscard]] SessionOptions options_of(const Decision& decision, bool is_free);

/// The plan with the decision free, or with it forbidden.
[[nodiscard]] Plan plan_of(const Decision& decision, bool is_free, const MachineProfile& profile,
                           const Started& started);

/// What a plan takes on the root's node, where most is taken. Bytes.
[[nodiscard]] std::int64_t node_bytes(const Plan& plan, const Started& started);

}  // namespace tilewright::regret
