#include "step_calibration.hpp"

#include <cmath>
#include <memory>

#include "tilewright/imgops/files.hpp"
#include "tilewright/model/step_overhead.hpp"
#include "tilewright/pipeline/pipeline.hpp"
#include "tilewright/runtime/executor.hpp"

namespace tilewright {
namespace {

/// In a round of the operators: a millisecond or so each.
constexpr int samples = 8;
constexpr double budget_s = 0.05;
/// As in most pipelines; the run itself, which is about as long as a step, is shared by so many and the read.
constexpr int operators = 4;

const ImageShape one_pixel{{1, 1}, {PixelType::f32, 1}};

/// Leaves its result as it is.
class Nothing final : public Operator {
 public:
  [[nodiscard]] std::string describe() const override { return "nothing"; }
  [[nodiscard]] ImageShape shape(std::span<const ImageShape> inputs) const override { return inputs.front(); }
  [[nodiscard]] std::vector<Work> work(std::span<const ImageShape> /*inputs*/, const Extent& /*tile*/) const override {
    return {};
  }
  void compute(std::span<const ConstView> /*inputs*/, const MutableView& /*output*/,
               const ComputeContext& /*context*/) const override {}
  void reference(std::span<const ConstView> /*inputs*/, const MutableView& /*output*/) const override {}
};

Pipeline chain_of_nothing() {
  Image image(image_in_memory(Raster(one_pixel), "one pixel"));
  for (int i = 0; i < operators; ++i) image = apply(std::make_shared<Nothing>(), {image});
  return record({{OutputKind::keep, image, nullptr, nullptr}});
}

/// One image after another, each let go of when the next one is made.
Plan plan_of(const Pipeline& pipeline) {
  Plan plan;
  plan.pipeline_hash = pipeline.hash();
  for (int i = 0; i <= operators; ++i) {
    plan.images.push_back({pipeline.image(i).name, pipeline.image(i).shape, {}});
    PlanStep& step = plan.steps.emplace_back();
    step.kind = i == 0 ? StepKind::read : StepKind::compute;
    step.image = i;
    if (i > 0) step.releases = {{i - 1, true}};
  }
  return plan;
}

/// A unit is a step.
PreparedBenchmark steps() {
  struct Data {
    Communicator alone = Communicator::alone();
    Pipeline pipeline = chain_of_nothing();
    Plan plan = plan_of(pipeline);
    ExecutablePlan executable{plan, pipeline, alone};
  };
  const auto data = std::make_shared<const Data>();
  return {[data] { (void)data->executable.execute(); }, static_cast<double>(data->plan.steps.size())};
}

}  // namespace

OperatorMeasurement calibrate_steps(Switches switches) {
  const OperatorCell cell = step_overhead_cell();
  const OperatorBenchmark benchmark{
      cell.key, {cell.type}, {cell.parameter}, [](PixelType, double, const Extent&) { return steps(); }};
  const auto side = static_cast<std::int64_t>(std::sqrt(cell.tile_pixels));
  OperatorEffort effort{{side}, samples, budget_s};
  effort.switches = switches;
  Progress silent({}, budget_s);
  return calibrate_operators({benchmark}, effort, silent);
}

}  // namespace tilewright
