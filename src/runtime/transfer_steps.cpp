#include "transfer_steps.hpp"

#include <algorithm>
#include <utility>

#include "message_tags.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/runtime/point_to_point.hpp"
#include "tilewright/runtime/schedule_runner.hpp"

namespace tilewright {
void TransferSteps::transfer(const PlanStep& step, const StepPreparation& prepared) {
  if (!prepared.schedule) return;
  const int rank = context_.rank;
  ImageStore& store = context_.store;
  const PipelineImage& moved = context_.image(step.image);
  HeldImage& held = store.at(step.image);
  if (step.kind == StepKind::scatter) {
    store.put_tile(step.image,
                   Raster(context_.own_tile(step, step.image), context_.storage_halo(step.image), moved.shape.format));
  }
  const bool gets_whole = (step.kind == StepKind::gather && rank == 0) ||
                          (step.kind == StepKind::broadcast && rank != 0) || step.kind == StepKind::allgather;
  if (gets_whole && !step.in_turn) store.put_whole(step.image, context_.new_whole(step.image));
  if (step.in_turn && rank == 0) await_results();
  if (step.in_turn && step.kind == StepKind::gather) {
    collect(step, prepared);
    return;
  }
  ScheduleBuffers buffers;
  if (!held.whole.empty()) buffers.whole = held.whole.view();
  if (!held.tile.empty()) buffers.tile = held.tile.view();
  std::byte* const shared = context_.is_shared(step.image) ? context_.shared_pixels(step.image) : nullptr;
  if (shared != nullptr) {
    const Rect area = rect_of(moved.shape.extent);
    buffers.shared = MutableView(shared, area, area, moved.shape.format);
  }
  run_schedule(*prepared.schedule, buffers, context_.communicator);
  store.account().touch(prepared.schedule->scratch_bytes(rank));
  if (step.kind == StepKind::exchange) held.tile_border.reset();
}

/// The root makes room for what it gathers in turn, and is ready for it from now on.
void TransferSteps::await_results() {
  if (!collections_.empty()) return;
  const std::vector<PlanStep>& steps = context_.plan.steps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const PlanStep& step = steps[i];
    if (step.kind != StepKind::gather || !step.in_turn) continue;
    context_.store.put_whole(step.image, context_.new_whole(step.image));
    collections_.try_emplace(step.image, *prepared_[i].schedule, context_.store.at(step.image).whole.view(),
                             collection_of(step.image), context_.communicator);
  }
}

/// Which of the plan's gathers in turn is that of the image, from 0 on; an image has one (check_plan()).
int TransferSteps::collection_of(int image) const {
  int number = 0;
  for (const PlanStep& step : context_.plan.steps) {
    if (step.kind != StepKind::gather || !step.in_turn) continue;
    if (step.image == image) return number;
    ++number;
  }
  throw InternalError("an image that is not gathered in turn has no collection");
}

void TransferSteps::collect(const PlanStep& step, const StepPreparation& prepared) {
  Raster& tile = context_.store.at(step.image).tile;
  if (context_.rank == 0)
    collections_.at(step.image).finish(std::as_const(tile).view());
  else
    send_to_collection(*prepared.schedule, tile.view(), collection_of(step.image), context_.communicator);
  context_.store.account().touch(prepared.schedule->scratch_bytes(context_.rank));
}

void TransferSteps::redistribute(const PlanStep& step, const StepPreparation& prepared) {
  if (!prepared.schedule) return;
  HeldImage& held = context_.store.at(step.image);
  Raster tile(context_.own_tile(step, step.image), context_.storage_halo(step.image),
              context_.image(step.image).shape.format);
  ScheduleBuffers buffers;
  buffers.tile = tile.view();
  buffers.former = held.tile.view();
  run_schedule(*prepared.schedule, buffers, context_.communicator);
  context_.store.account().touch(tile.bytes() + prepared.schedule->scratch_bytes(context_.rank));
  context_.store.put_tile(step.image, std::move(tile));
}

void TransferSteps::send_to_idle_ranks(int index) {
  const Plan& plan = context_.plan;
  const Communicator& communicator = context_.communicator;
  const bool is_there = std::any_of(plan.steps.begin(), plan.steps.end(), [&](const PlanStep& step) {
    return step.image == index && goes_to_all(step, context_.pipeline);
  });
  if (is_there) return;
  if (!context_.works) context_.store.put_whole(index, Raster(context_.image(index).shape));
  Raster& whole = context_.store.at(index).whole;
  const Block block = block_of(whole.view(), whole.area());
  if (!context_.works) receive_block(communicator, block, 0, idle_tag);
  if (context_.rank != 0) return;
  for (int idle = plan.ranks; idle < communicator.ranks(); ++idle) send_block(communicator, block, idle, idle_tag);
}

}  // namespace tilewright
