// Files that ranks read and write in parts: whether all of them see what the root sees, and how they write together.
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

/// Of these outputs, as the root names them, those whose files some rank would not see while they are made, with the
/// reason; on the root, which makes such a file for the question. Collective.
[[nodiscard]] std::map<int, std::string> unseen_outputs(const Pipeline& pipeline, const std::vector<int>& outputs,
                                                        const Communicator& communicator);

/// Stores an image of which `part` is this rank's, or null; all or nothing. Throws the same RuntimeError on every rank.
/// Collective.
void write_in_parts(const Sink& sink, const ImageShape& image, const ConstView* part, const Communicator& communicator);

}  // namespace tilewright
