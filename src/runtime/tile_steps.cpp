#include "tile_steps.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "restricted.hpp"
#include "tilewright/core/edges.hpp"
#include "tilewright/runtime/schedule_runner.hpp"

namespace tilewright {
namespace {

/// Of what a tile stores, what is inside the image, and the other side of it where an exchange has brought that.
Rect known_around(const StepContext& context, const Raster& tile, int index, const Operator& op) {
  const Extent whole = context.image(index).shape.extent;
  const Rect stored = tile.stored();
  Rect known = intersection(stored, rect_of(whole));
  const bool is_cyclic = op.border() == Border::wrap;
  if (is_cyclic && tile.area().width() < whole.width) known.x0 = stored.x0, known.x1 = stored.x1;
  if (is_cyclic && tile.area().height() < whole.height) known.y0 = stored.y0, known.y1 = stored.y1;
  return known;
}

/// What lies outside of the image around `area`, the tile with a margin that is inside it. As far out as any of the
/// image's operators reads, not this one alone, if the pixels inside are there: others with the same border then find
/// it filled.
void fill_around(StepContext& context, const Rect& area, const Halo& margin, HeldImage& held, int index,
                 const Operator& op) {
  const Halo readers = context.pipeline.storage_halo(index);
  const Halo stored = held.tile.halo();
  const Halo halo{std::min(readers.x, stored.x - margin.x), std::min(readers.y, stored.y - margin.y)};
  context.fill(held.tile.view().restricted(area), halo, held.tile_border, index, op);
}

/// The tile for an operator that computes `area`, with what lies outside of the image filled in, or left out.
ConstView with_border(StepContext& context, HeldImage& held, const Rect& area, const Halo& margin, int index,
                      const Operator& op) {
  if (!op.makes_border()) fill_around(context, area, margin, held, index, op);
  const ConstView view = std::as_const(held.tile).view().restricted(area);
  return op.makes_border() ? view.stored_within(known_around(context, held.tile, index, op)) : view;
}

/// The inputs of an operator on the tiles, with what it needs around `area`.
std::vector<ConstView> tile_inputs(StepContext& context, const PlanStep& step, const Rect& area, const Halo& margin) {
  const PipelineImage& result = context.image(step.image);
  std::vector<ConstView> inputs;
  for (const int input : result.inputs) {
    inputs.push_back(with_border(context, context.ensure_tile(step, input), area, margin, input, *result.op));
  }
  return inputs;
}

std::vector<Raster> new_tiles(const StepContext& context, const PlanStep& step) {
  const Rect tile = context.own_tile(step, step.image);
  return new_images(
      step, [&](int made) { return Raster(tile, context.storage_halo(made), context.image(made).shape.format); });
}

void put_tiles(StepContext& context, const PlanStep& step, std::vector<Raster> tiles) {
  for (int i = 0; i < step.results; ++i) {
    context.store.put_tile(step.image + i, std::move(tiles[static_cast<std::size_t>(i)]));
  }
}

/// The tile with the margin around it that the step computes as well.
Rect area_of(const StepContext& context, const PlanStep& step, const Halo& margin) {
  return grown(context.own_tile(step, step.image), margin, context.image(step.image).shape.extent);
}

}  // namespace

void compute_tile(StepContext& context, const PlanStep& step, const StepPreparation& prepared) {
  const Halo margin = in_cut_directions(step.margin, grid_of(context.plan, step));
  const Rect area = area_of(context, step, margin);
  const std::vector<ConstView> inputs = tile_inputs(context, step, area, margin);
  std::vector<Raster> outputs = new_tiles(context, step);
  context.image(step.image).op->compute_all(inputs, views_of(outputs, area), {threads_of(context.plan, step)});
  put_tiles(context, step, std::move(outputs));
  context.store.account().touch(prepared.scratch_bytes);
}

std::vector<double> exchange_and_compute(StepContext& context, std::span<const PlanStep> steps,
                                         std::span<const StepPreparation> prepared) {
  const PlanStep& made = steps.back();
  if (!context.has_tile(made)) return {0.5, 0.5};
  const Operator& op = *context.image(made.image).op;
  const ComputeContext threads{threads_of(context.plan, made)};
  const Halo margin = in_cut_directions(made.margin, grid_of(context.plan, made));
  const Rect area = area_of(context, made, margin);
  const Edges edges =
      edges_of_tile(context.own_tile(made, made.image), area, op.halo(), context.image(made.image).shape.extent);
  std::vector<ConstView> inputs;
  if (!edges.middle.empty()) inputs = tile_inputs(context, made, edges.middle, {});
  std::vector<Raster> outputs = new_tiles(context, made);
  HeldImage& exchanged = context.ensure_tile(steps.front(), steps.front().image);

  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  ScheduleUnderWay messages(*prepared.front().schedule, {.tile = exchanged.tile.view()}, context.communicator);
  const auto begun = Clock::now();
  if (!edges.middle.empty()) op.compute_all(inputs, views_of(outputs, edges.middle), threads);
  const auto middle_made = Clock::now();
  messages.finish();
  const auto arrived = Clock::now();
  exchanged.tile_border.reset();
  inputs = tile_inputs(context, made, area, margin);
  for (const Rect& strip : edges.strips) {
    op.compute_all(restricted(std::span<const ConstView>(inputs), strip), views_of(outputs, strip), threads);
  }
  const std::chrono::duration<double> exchanging = (begun - begin) + (arrived - middle_made);
  const double exchange_part = exchanging / std::max<std::chrono::duration<double>>(Clock::now() - begin, exchanging);

  put_tiles(context, made, std::move(outputs));
  context.store.account().touch(prepared.front().schedule->scratch_bytes(context.rank) + prepared.back().scratch_bytes);
  return {exchange_part, 1 - exchange_part};
}

}  // namespace tilewright
