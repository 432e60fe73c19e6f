// Where the images of a plan lie in the memory that ranks share.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tilewright/model/plan.hpp"

namespace tilewright {

struct SharedPlaces {
  std::int64_t bytes = 0;                           ///< that all of them need
  std::vector<std::optional<std::int64_t>> offset;  ///< by image; none: it does not lie there
};

/// Images that the root has at different times may have the same place. Every rank works out the same.
[[nodiscard]] SharedPlaces shared_places(const Plan& plan);

}  // namespace tilewright
