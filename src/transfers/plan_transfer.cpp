#include "tilewright/transfers/plan_transfer.hpp"

namespace tilewright {

TransferSpec transfer_of(const Plan& plan, const PlanStep& step) {
  const PlanImage& image = plan.images.at(static_cast<std::size_t>(step.image));
  const bool of_whole = step.kind == StepKind::broadcast;
  return {transfer_kind(step.kind).value(),
          step.algorithm,
          grid_of(plan, step),
          image.shape,
          of_whole ? Halo{} : image.storage_halo,
          step.exchanged,
          step.cyclic,
          step.packing.value_or(Packing::datatype),
          step.former.value_or(ProcessGrid{}),
          step.in_turn};
}

}  // namespace tilewright
