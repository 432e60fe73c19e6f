// Whether all ranks see the files that the root sees.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tilewright/pipeline/pipeline.hpp"
#include "tilewright/runtime/communicator.hpp"

namespace tilewright {

/// Of these sources, as the root names them, those that some rank does not see as the root does, with the reason; on
/// the root. Collective.
[[nodiscard]] std::map<int, std::string> unseen_files(const Pipeline& pipeline, const std::vector<int>& images,
                                                      const Communicator& communicator);

}  // namespace tilewright
