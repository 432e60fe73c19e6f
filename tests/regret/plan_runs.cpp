#include "plan_runs.hpp"

#include <string>

#include "tilewright/explain/render.hpp"

namespace tilewright::regret {

std::vector<Plan> on_all_ranks(const std::vector<Plan>& plans, const Communicator& communicator) {
  const std::string text = communicator.is_root() ? render(plans, PlanFormat::json) : std::string();
  return plans_from_json(communicator.broadcast(text));
}

Plan run_in_steps(const ExecutablePlan& executable, int warm_up) {
  ExecutionResult run;
  for (int i = 0; i < warm_up; ++i) run = executable.execute({.timing = Timing::none});
  run = executable.execute({.timing = Timing::each_step});
  return run.trace.plan;
}

}  // namespace tilewright::regret
