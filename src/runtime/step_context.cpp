#include "step_context.hpp"

#include <fmt/format.h>

#include <utility>

#include "extraction.hpp"
#include "tilewright/core/border_fill.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {

StepContext::StepContext(const Plan& run, const Pipeline& recorded, const Communicator& ranks)
    : plan(run),
      pipeline(recorded),
      communicator(ranks),
      rank(ranks.rank()),
      works(rank < run.ranks),
      store(recorded.images.size()),
      places_(shared_places(run)) {
  if (places_.bytes > 0) shared_ = shared_memory(communicator, places_.bytes);
}

Rect StepContext::own_tile(const PlanStep& step, int index) const {
  return tile_of(image(index).shape.extent, grid_of(plan, step), rank);
}

HeldImage& StepContext::ensure_tile(const PlanStep& step, int index) {
  HeldImage& held = store.at(index);
  if (const Rect tile = own_tile(step, index); tile.empty()) {
    held.tile = Raster(tile, {}, image(index).shape.format);
  } else if (held.tile.empty()) {
    if (held.whole.empty()) throw ParameterError(fmt::format("the plan uses {} before it is there", image(index).name));
    store.put_tile(index, extract_tile(std::as_const(held.whole).view(), own_tile(step, index), storage_halo(index)));
  }
  return held;
}

std::byte* StepContext::shared_pixels(int index) const {
  return shared_ ? shared_->data() + *places_.offset[static_cast<std::size_t>(index)] : nullptr;
}

Raster StepContext::new_whole(int index) const {
  const ImageShape& shape = image(index).shape;
  if (rank != 0 || !is_shared(index)) return {shape, whole_halo(index)};
  return Raster::placed(std::shared_ptr<std::byte>(shared_, shared_pixels(index)), shape);
}

void StepContext::fill(const MutableView& view, const Halo& halo, std::optional<BorderFill>& filled, int index,
                       const Operator& op) const {
  if (op.halo().empty()) return;
  const BorderFill wanted{op.border(), op.border_value(), padded(view.area(), halo)};
  if (filled && filled->covers(wanted)) return;
  fill_border(view, image(index).shape.extent, halo, wanted.border, wanted.value);
  filled = wanted;
}

std::vector<MutableView> views_of(std::vector<Raster>& rasters, const Rect& area) {
  std::vector<MutableView> views;
  for (Raster& raster : rasters) views.push_back(raster.view().restricted(area));
  return views;
}

}  // namespace tilewright
