#include "source_steps.hpp"

#include <fmt/format.h>

#include <utility>

#include "tilewright/core/edges.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

void read_tile(StepContext& context, const PlanStep& step) {
  if (!context.has_tile(step)) return;
  const PipelineImage& read = context.image(step.image);
  const Rect own = context.own_tile(step, step.image);
  Raster tile(own, context.storage_halo(step.image), read.shape.format);
  const Halo halo = in_cut_directions(step.exchanged, grid_of(context.plan, step));
  read.source->read_part(grown(own, halo, read.shape.extent), tile.view());
  context.store.put_tile(step.image, std::move(tile));
}

Raster loaded_to_shared(const StepContext& context, int index) {
  Raster raster = context.new_whole(index);
  context.image(index).source->load_into(raster.view());
  return raster;
}

Raster loaded(const StepContext& context, int index) {
  const PipelineImage& image = context.image(index);
  const Source& source = *image.source;
  const Halo room = context.whole_halo(index);
  Raster raster = source.load(room);
  if (raster.shape() != image.shape) {
    throw RuntimeError(fmt::format("{} has changed: it was {}, and is now {}", source.describe(),
                                   to_string(image.shape), to_string(raster.shape())));
  }
  const bool is_copied = raster.is_lent() && !is_lent(image, room);
  return is_copied ? raster.copy(room) : std::move(raster);
}

}  // namespace

void read_source(StepContext& context, const PlanStep& step) {
  if (step.site == Site::tiles) {
    read_tile(context, step);
    return;
  }
  if (context.rank != 0) return;
  const bool is_shared = context.is_shared(step.image);
  context.store.put_whole(step.image, is_shared ? loaded_to_shared(context, step.image) : loaded(context, step.image));
  context.store.account().touch(context.image(step.image).source->scratch_bytes());
}

}  // namespace tilewright
