#include "simplicity.hpp"

namespace tilewright {

Complexity complexity_of(const Plan& plan) {
  Complexity complexity{plan.ranks, 0, 0, plan.grid.x};
  for (const PlanStep& step : plan.steps) {
    complexity.transfers += step.messages > 0;
    complexity.strided_transfers += step.layout.find('n') != std::string::npos;
  }
  return complexity;
}

}  // namespace tilewright
