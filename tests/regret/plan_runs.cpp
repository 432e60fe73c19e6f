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
  if (warm_up > 0) run = executable.execute({.timing = Timing::each_step});  // what times steps takes its time at first
  run = executable.execute({.timing = Timing::each_step});
  return run.trace.plan;
}

}  // namespace tilewright::regret
