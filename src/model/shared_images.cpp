#include "tilewright/model/shared_images.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tilewright {

std::vector<bool> images_in_shared_memory(const Plan& plan) {
  std::vector<bool> shared(plan.images.size(), false);
  for (const PlanStep& step : plan.steps) {
    if (step.algorithm == Algorithm::shared) shared[static_cast<std::size_t>(step.image)] = true;
  }
  return shared;
}

std::string why_too_few_share(const Plan& plan, int sharing_ranks) {
  const bool shares = std::any_of(plan.steps.begin(), plan.steps.end(),
                                  [](const PlanStep& step) { return step.algorithm == Algorithm::shared; });
  if (!shares || plan.ranks <= sharing_ranks) return {};
  return fmt::format("moves images through memory that {} ranks share, but {} are on the node of the root", plan.ranks,
                     sharing_ranks);
}

}  // namespace tilewright
