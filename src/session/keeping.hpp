// Where images stay that a segment computes for later ones.
#pragma once

#include <optional>
#include <vector>

#include "tilewright/model/machine_profile.hpp"
#include "tilewright/pipeline/pipeline.hpp"
#include "tilewright/scheduler/planner.hpp"
#include "tilewright/session/options.hpp"

namespace tilewright {

/// Where the program is in its loops.
struct LoopHint {
  int turns = 1;  ///< that are left, this one included, as far as is expected
  int turn = 0;   ///< that this one is, of all loops
};

/// The plan of a pipeline, which comes again in each turn that is left, with what the one before has kept.
///
/// What is kept stays on the tiles where in all that takes no longer than to bring it to the root, if it is once
/// brought there in the end, and if what this turn has to distribute of images that the one before has kept is there
/// already in those that follow, but for its borders. Older images are the same in every turn, and distributed in each.
/// All that the plan tells is of this turn, but why alternatives are not chosen. Without images to be kept it is the
/// plan of make_plan(). Throws as that does, and ParameterError if images are to stay on the tiles and to change grids.
[[nodiscard]] Plan plan_with_keeping(const Pipeline& pipeline, const std::optional<MachineProfile>& profile,
                                     const SearchSpace& space, const SessionOptions& options, const LoopHint& loop);

/// Whether it reads an image that an earlier segment has kept, or keeps one.
[[nodiscard]] bool has_kept_images(const Pipeline& pipeline);

/// The pipeline that brings an image to the root, and what it may choose from.
[[nodiscard]] Pipeline bringing_home(const Image& image);
[[nodiscard]] SearchSpace space_for_bringing_home(const SearchSpace& space);

/// Of the pipeline's sources, by index, those that have to be brought to the root before it can be planned: they are on
/// the tiles of another grid than the first one, or than what is forced.
[[nodiscard]] std::vector<int> strays(const Pipeline& pipeline, const SessionOptions& options);

}  // namespace tilewright
