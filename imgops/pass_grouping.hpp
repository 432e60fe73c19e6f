// Which operators of a pipeline are computed in one pass.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tilewright/pipeline/pipeline.hpp"

namespace tilewright {

/// Images that are computed in one pass, at the place of the first.
struct PassGroup {
  std::size_t task = 0;        ///< of the first member
  std::vector<int> joint;      ///< images of operators with a neighbourhood
  std::vector<int> pointwise;  ///< images of operators without, in order
  bool may_grow = true;        ///< false: its operator works alone
};

/// In the order of computing.
[[nodiscard]] std::vector<int> members_of(const PassGroup& group);

struct Passes {
  std::vector<PassGroup> groups;                     ///< those whose members another one has taken in are empty
  std::vector<std::optional<std::size_t>> group_of;  ///< by image of the pipeline; none for a source
};

/// Filters of one image, and operators without a neighbourhood that join them or each other where that spares images.
[[nodiscard]] Passes passes_of(const Pipeline& pipeline);

}  // namespace tilewright
