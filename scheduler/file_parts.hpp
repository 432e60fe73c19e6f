// Files that ranks read in parts, each its own tile: whether that is offered.
#pragma once

#include <string>
#include <vector>

#include "tilewright/model/machine_profile.hpp"
#include "tilewright/scheduler/planner.hpp"

namespace tilewright {

/// Why no rank can read its tile of a source's image by itself; empty if all can.
[[nodiscard]] std::string why_not_in_parts(const Pipeline& pipeline, int image, const MachineProfile& profile,
                                           const SearchSpace& space);

/// By image, whether it is in a file that ranks can read in parts.
[[nodiscard]] std::vector<bool> images_in_parts(const Pipeline& pipeline, const MachineProfile& profile,
                                                const SearchSpace& space);

/// Why ranks cannot write their tiles to an output, each its own; empty if they can.
[[nodiscard]] std::string why_not_written_in_parts(const Pipeline& pipeline, int output, const MachineProfile& profile,
                                                   const SearchSpace& space);

/// By output, whether ranks can write it in parts.
[[nodiscard]] std::vector<bool> outputs_in_parts(const Pipeline& pipeline, const MachineProfile& profile,
                                                 const SearchSpace& space);

}  // namespace tilewright
