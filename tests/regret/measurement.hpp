// Measures one case: the regret of the plan that the planner chooses, and how true its predictions are.
#pragma once

#include <functional>

#include "cases.hpp"
#include "report.hpp"
#include "tilewright/model/machine_profile.hpp"
#include "tilewright/runtime/communicator.hpp"

namespace tilewright::regret {

/// How thoroughly.
struct Effort {
  int rounds = 2;             ///< over the plans that are still in the race
  int fresh_samples = 3;      ///< of those that the figures are about, taken after the race
  int transfer_samples = 5;   ///< of transfers timed one by one
  int transfer_turns = 5;     ///< between the plan and the rival, in which these are taken
  int transfer_warm_up = 0;   ///< runs of the same before each of these, that are not timed
  int transfer_attempts = 1;  ///< at timing transfers in the state that the profile tells of
  double window_s = 0.3;      ///< runs that are shorter are repeated until they last so long
  double operators_s = 2;     ///< for measuring the chosen plan's operators again, after the race
  unsigned seed = 1;          ///< of the order of the runs
};

/// The effort that a ground needs: the smaller the share of a core, the longer the slices in which it comes.
[[nodiscard]] Effort effort_for(const Ground& ground);

/// Races every feasible grid and tree at all of rank_counts(), the planner's own choices, and the rival, in an order
/// that changes with every round. What is more than a little slower than the best of its rank count is dropped, and
/// further rank counts of which the plan that is predicted best is slower than the best of all. Then the winners, the
/// choices and the habits are measured again, for the best of many measurements flatters itself. Transfers are timed
/// before all that. If the machine has changed since `profile_now` was asked for its profile (MachineSigns), it is
/// asked again, and plans are made and transfers timed once more: a prediction tells of the state that it was made in.
/// What `profile_now` yields matters on the root only, where the result is; it is collective, as this is.
[[nodiscard]] CaseResult measure_case(const Case& contested, const Ground& ground, const Effort& effort,
                                      const std::function<MachineProfile()>& profile_now,
                                      const Communicator& communicator,
                                      const std::function<void(const std::string&)>& tell);

}  // namespace tilewright::regret
