#include "plan_steps.hpp"
#include "tilewright/scheduler/planner.hpp"

namespace tilewright {

Plan sequential_plan(const Pipeline& pipeline, int threads) {
  std::vector<Transition> path;
  for (const Task& task : pipeline.tasks) {
    if (task.kind == Task::Kind::obtain) {
      const bool source = pipeline.image(task.index).source != nullptr;
      path.push_back({source ? Transition::Kind::read : Transition::Kind::compute_root, task.index});
      continue;
    }
    switch (pipeline.output(task.index).kind) {
      case OutputKind::write:
        path.push_back({Transition::Kind::write, task.index});
        break;
      case OutputKind::reduce:
        path.push_back({Transition::Kind::reduce_root, task.index});
        break;
      case OutputKind::fetch:
      case OutputKind::keep:
        break;  // where it is made
    }
  }
  Plan plan;
  plan.model = "none";
  plan.threads = threads;
  plan.notes.push_back("one rank alone and no machine profile: there is nothing to decide, and nothing is predicted");
  add_steps(plan, pipeline, path);
  return plan;
}

}  // namespace tilewright
