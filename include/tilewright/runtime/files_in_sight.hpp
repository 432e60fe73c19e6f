// Files that ranks read and write in parts: whether all of them see what the root sees, and how they write together.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/pipeline/pipeline.hpp"
#include "tilewright/runtime/communicator.hpp"

namespace tilewright {

/// Of these sources, as the root names them, those that some rank does not see as the root does, with the reason; on
/// the root. Collective.
[[nodiscard]] std::map<int, std::string> unseen_files(const Pipeline& pipeline, const std::vector<int>& images,
                                                      const Communicator& communicator);

/// While it lives: if the root's node goes, the other ranks remove the files that it has been making for the outputs.
/// To be made before the root makes any, for where it is on when it goes nobody knows. Collective; the root returns
/// when all ranks are prepared. Refers to the pipeline.
class DiscardOfParts {
 public:
  DiscardOfParts(const Pipeline& pipeline, const Communicator& communicator);

 private:
  std::optional<LastAct> act_;
};

/// Of these outputs, as the root names them, those whose files some rank would not see while they are made, with the
/// reason; on the root, which makes such a file for the question. To be asked beside a DiscardOfParts. Collective.
[[nodiscard]] std::map<int, std::string> unseen_outputs(const Pipeline& pipeline, const std::vector<int>& outputs,
                                                        const Communicator& communicator);

/// Stores an image of which `part` is this rank's, or null; all or nothing, beside a DiscardOfParts. Throws the same
/// RuntimeError on every rank. Collective.
void write_in_parts(const Sink& sink, const ImageShape& image, const ConstView* part, const Communicator& communicator);

}  // namespace tilewright
