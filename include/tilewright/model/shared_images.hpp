// The images of a plan that lie in memory which ranks share.
#pragma once

#include <string>
#include <vector>

#include "tilewright/model/plan.hpp"

namespace tilewright {

/// By image: whether any step moves it through shared memory. Then the root's whole image lies there from when it comes
/// to exist.
[[nodiscard]] std::vector<bool> images_in_shared_memory(const Plan& plan);

/// What completes "the plan ...", where so many ranks, from the root on, have memory in common: that it needs more of
/// them. Empty if it does not.
[[nodiscard]] std::string why_too_few_share(const Plan& plan, int sharing_ranks);

}  // namespace tilewright
