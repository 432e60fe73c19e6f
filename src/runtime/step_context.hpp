// What the steps of one run of a plan have in common on this rank.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "image_store.hpp"
#include "shared_places.hpp"
#include "tilewright/model/plan.hpp"
#include "tilewright/pipeline/pipeline.hpp"
#include "tilewright/runtime/communicator.hpp"
#include "tilewright/runtime/shared_memory.hpp"

namespace tilewright {

class StepContext {
 public:
  /// All three must outlive it. Collective over the ranks that share memory, if the plan has images there.
  StepContext(const Plan& plan, const Pipeline& pipeline, const Communicator& communicator);

  const Plan& plan;
  const Pipeline& pipeline;
  const Communicator& communicator;
  const int rank;
  const bool works;  ///< whether the plan has work for this rank
  ImageStore store;

  [[nodiscard]] const PipelineImage& image(int index) const { return pipeline.images[static_cast<std::size_t>(index)]; }
  [[nodiscard]] const PipelineOutput& output(const PlanStep& step) const {
    return pipeline.outputs[static_cast<std::size_t>(step.output)];
  }
  [[nodiscard]] Halo storage_halo(int index) const { return plan.images[static_cast<std::size_t>(index)].storage_halo; }
  /// Whole images have a halo only where they are never moved.
  [[nodiscard]] Halo whole_halo(int index) const { return plan.ranks == 1 ? storage_halo(index) : Halo{}; }

  [[nodiscard]] Rect own_tile(const PlanStep& step, int index) const;
  /// Whether this rank has a tile that the step works on. A root that only communicates has none.
  [[nodiscard]] bool has_tile(const PlanStep& step) const { return works && !own_tile(step, step.image).empty(); }
  /// The tile; cut out of the whole image where that is what this rank has. Of no pixels, it is there at once. Throws
  /// ParameterError if neither is there.
  [[nodiscard]] HeldImage& ensure_tile(const PlanStep& step, int index);

  [[nodiscard]] bool is_shared(int index) const { return places_.offset[static_cast<std::size_t>(index)].has_value(); }
  /// Where an image lies that ranks share; null for a rank that has no part in it.
  [[nodiscard]] std::byte* shared_pixels(int index) const;
  /// Room for a whole image of this rank.
  [[nodiscard]] Raster new_whole(int index) const;

  /// Fills in what lies outside of the image around the view's area, as `op` wants it, unless that is there already.
  void fill(const MutableView& view, const Halo& halo, std::optional<BorderFill>& filled, int index,
            const Operator& op) const;

 private:
  SharedPlaces places_;
  std::shared_ptr<SharedMemory> shared_;  // none if the plan needs none, or if this rank has no part in it
};

/// Room for all images that a step makes.
template <class NewImage>
[[nodiscard]] std::vector<Raster> new_images(const PlanStep& step, const NewImage& new_image) {
  std::vector<Raster> images;
  for (int made = step.image; made < step.image + step.results; ++made) images.push_back(new_image(made));
  return images;
}

/// Each of them, for `area` to be written.
[[nodiscard]] std::vector<MutableView> views_of(std::vector<Raster>& rasters, const Rect& area);

}  // namespace tilewright
