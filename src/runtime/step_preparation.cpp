#include "step_preparation.hpp"

#include "tilewright/transfers/plan_transfer.hpp"

namespace tilewright {
namespace {

ProcessGrid ranks_at(const PlanStep& step, const Plan& plan, const Pipeline& pipeline, int started) {
  if (step.kind != StepKind::broadcast) return grid_of(plan, step);
  return goes_to_all(step, pipeline) && started > plan.ranks ? ProcessGrid{1, started} : plan.grid;
}

Schedule schedule_of(const Plan& plan, const PlanStep& step, const ProcessGrid& grid) {
  TransferSpec spec = transfer_of(plan, step);
  spec.grid = grid;
  return make_schedule(spec);
}

std::int64_t scratch_of(const Plan& plan, const Pipeline& pipeline, const PlanStep& step, int rank) {
  if (step.site == Site::root && rank != 0) return 0;
  const PipelineImage& result = pipeline.images[static_cast<std::size_t>(step.image)];
  const Extent whole = result.shape.extent;
  const Rect area = step.site == Site::tiles ? grown(tile_of(whole, grid_of(plan, step), rank), step.margin, whole)
                                             : tile_of(whole, {1, step.bands}, 0);
  if (area.empty()) return 0;
  return threads_of(plan, step) *
         result.op->scratch_bytes(pipeline.input_shapes(step.image), Extent{area.width(), area.height()});
}

}  // namespace

bool goes_to_all(const PlanStep& step, const Pipeline& pipeline) {
  return step.kind == StepKind::broadcast && step.algorithm != Algorithm::shared && pipeline.is_fetched(step.image);
}

std::vector<StepPreparation> prepare_steps(const Plan& plan, const Pipeline& pipeline, int rank, int started) {
  std::vector<StepPreparation> all(plan.steps.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const PlanStep& step = plan.steps[i];
    const ProcessGrid grid = ranks_at(step, plan, pipeline, started);
    if (rank >= grid.ranks()) continue;
    if (transfer_kind(step.kind)) all[i].schedule = schedule_of(plan, step, grid);
    if (step.kind == StepKind::compute) all[i].scratch_bytes = scratch_of(plan, pipeline, step, rank);
  }
  return all;
}

}  // namespace tilewright
