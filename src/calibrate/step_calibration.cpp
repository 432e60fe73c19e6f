#include "step_calibration.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "disturbance.hpp"
#include "stopwatch.hpp"
#include "tilewright/imgops/files.hpp"
#include "tilewright/model/step_overhead.hpp"
#include "tilewright/pipeline/pipeline.hpp"
#include "tilewright/runtime/executor.hpp"

namespace tilewright {
namespace {

/// In a round of the operators.
constexpr int samples = 8;
/// Of a sample: a millisecond or so.
constexpr int runs = 500;
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

}  // namespace

OperatorMeasurement calibrate_steps(Switches switches) {
  const Communicator alone = Communicator::alone();
  const Pipeline pipeline = chain_of_nothing();
  const Plan plan = plan_of(pipeline);
  const ExecutablePlan executable(plan, pipeline, alone);
  DisturbanceWatch watch(switches);
  OperatorMeasurement measurement;
  OperatorSeries series{step_overhead_cell(), false, {}, false};
  for (int i = -1; i < samples; ++i) {  // the first one warms up
    watch.begin();
    const double start_s = now_s();
    const double processor_start_s = processor_s();
    for (int run = 0; run < runs; ++run) (void)executable.execute();
    const double steps = runs * static_cast<double>(plan.steps.size());
    const double processor = (processor_s() - processor_start_s) / steps;
    const double elapsed = (now_s() - start_s) / steps;
    if (i < 0) continue;
    series.samples.push_back({processor, elapsed, watch.was_disturbed()});
    measurement.computing.processor_s += steps * processor;
    measurement.computing.elapsed_s += steps * elapsed;
  }
  measurement.series.push_back(std::move(series));
  return measurement;
}

}  // namespace tilewright
