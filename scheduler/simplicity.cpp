#include "simplicity.hpp"

namespace tilewright {

Complexity complexity_of(const Plan& plan) {
  Complexity complexity{0, plan.ranks, 0, 0, plan.grid.x, !plan.grid.is_even()};
  for (const PlanStep& step : plan.steps) {
    complexity.changes_of_grid += step.kind == StepKind::redistribute;
    complexity.transfers += step.messages > 0;
    complexity.strided_transfers += step.layout.find('n') != std::string::npos;
  }
  return complexity;
}

}  // namespace tilewright
