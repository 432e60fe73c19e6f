#include "tilewright/model/shared_images.hpp"

namespace tilewright {

std::vector<bool> images_in_shared_memory(const Plan& plan) {
  std::vector<bool> shared(plan.images.size(), false);
  for (const PlanStep& step : plan.steps) {
    if (step.algorithm == Algorithm::shared) shared[static_cast<std::size_t>(step.image)] = true;
  }
  return shared;
}

}  // namespace tilewright
