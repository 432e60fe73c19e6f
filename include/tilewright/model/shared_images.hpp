// The images of a plan that lie in memory which ranks share.
#pragma once

#include <vector>

#include "tilewright/model/plan.hpp"

namespace tilewright {

/// By image: whether any step moves it through shared memory. Then the root's whole image lies there from when it comes
/// to exist.
[[nodiscard]] std::vector<bool> images_in_shared_memory(const Plan& plan);

}  // namespace tilewright
