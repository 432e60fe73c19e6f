#include "root_steps.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "banded_computation.hpp"
#include "concurrent_writes.hpp"
#include "edge_computation.hpp"
#include "tilewright/model/concurrent_steps.hpp"

namespace tilewright {
namespace {

/// Whether the border that the operator reads can be filled in around the image.
bool has_room(const Raster& raster, const Operator& op) {
  return op.halo().empty() || op.makes_border() || (!raster.is_lent() && raster.halo().covers(op.halo()));
}

std::vector<ConstView> whole_inputs(StepContext& context, const PipelineImage& result, bool has_borders) {
  std::vector<ConstView> inputs;
  for (const int input : result.inputs) {
    HeldImage& held = context.store.at(input);
    const ConstView view = std::as_const(held.whole).view();
    const bool is_filled = has_borders && !result.op->makes_border();
    if (is_filled) context.fill(held.whole.view(), held.whole.halo(), held.whole_border, input, *result.op);
    inputs.push_back(is_filled ? view : view.stored_within(view.area()));
  }
  return inputs;
}

/// Takes a reduction's part of each band.
class Accumulation final : public ImageWriter {
 public:
  /// Both must outlive it.
  Accumulation(const ReductionMethod& method, std::span<std::byte> partial)
      : method_(method), partial_(partial), of_band_(partial.size()) {}

  void put(const ConstView& rows) override {
    method_.accumulate(rows, is_first_ ? partial_ : std::span(of_band_));
    if (!is_first_) method_.merge(partial_, of_band_, rows.format());
    is_first_ = false;
  }
  void finish() override {}

 private:
  const ReductionMethod& method_;
  std::span<std::byte> partial_;
  std::vector<std::byte> of_band_;
  bool is_first_ = true;
};

}  // namespace

void compute_whole(StepContext& context, const PlanStep& step, const StepPreparation& prepared) {
  const PipelineImage& result = context.image(step.image);
  const Operator& op = *result.op;
  const bool has_borders = std::all_of(result.inputs.begin(), result.inputs.end(),
                                       [&](int input) { return has_room(context.store.at(input).whole, op); });
  const std::vector<ConstView> inputs = whole_inputs(context, result, has_borders);
  const Rect area = rect_of(result.shape.extent);
  std::vector<Raster> outputs = new_images(step, [&](int made) { return context.new_whole(made); });
  const ComputeContext threads{threads_of(context.plan, step)};
  std::int64_t copied = 0;
  if (has_borders) {
    op.compute_all(inputs, views_of(outputs, area), threads);
  } else {
    copied = compute_without_border(op, inputs, views_of(outputs, area), threads);
  }
  for (int i = 0; i < step.results; ++i) {
    context.store.put_whole(step.image + i, std::move(outputs[static_cast<std::size_t>(i)]));
  }
  context.store.account().touch(copied + prepared.scratch_bytes);
}

std::vector<double> compute_and_put_out(StepContext& context, std::span<const PlanStep> steps,
                                        const StepPreparation& prepared, std::span<std::vector<std::byte>> partials) {
  const PlanStep& made = steps.front();
  const PipelineImage& first = context.image(made.image);
  BandedComputation computation{first.op.get(),      whole_inputs(context, first, true), {}, {}, made.bands,
                                context.plan.threads};
  for (int result = made.image; result < made.image + made.results; ++result) {
    computation.results.push_back(context.image(result).shape);
  }
  std::int64_t scratch = bytes_of_bands(context.plan, made) + prepared.scratch_bytes;
  for (std::size_t i = 1; i < steps.size(); ++i) {
    const PipelineOutput& output = context.output(steps[i]);
    BandedOutput& taken = computation.outputs.emplace_back();
    taken.result = static_cast<std::size_t>(output.image - made.image);
    if (steps[i].kind == StepKind::reduce) {
      taken.open = [&, i](const ImageShape&) { return std::make_unique<Accumulation>(*output.reduction, partials[i]); };
    } else {
      taken.open = [&](const ImageShape& shape) { return output.sink->open(shape); };
      scratch += output.sink->writer_bytes(context.image(output.image).shape);
    }
  }
  const BandedSeconds seconds = compute_in_bands(computation);
  context.store.account().touch(scratch);
  std::vector<double> parts{seconds.computing};
  parts.insert(parts.end(), seconds.storing.begin(), seconds.storing.end());
  const double sum = std::accumulate(parts.begin(), parts.end(), 0.0);
  for (double& part : parts) part /= sum;
  return parts;
}

void write_whole(StepContext& context, std::span<const PlanStep> steps) {
  std::vector<ImageToStore> images;
  std::vector<std::int64_t> scratch;
  for (const PlanStep& step : steps) {
    const PipelineOutput& output = context.output(step);
    images.push_back(
        {output.sink.get(), std::as_const(context.store.at(output.image).whole).view(), step.predicted_seconds});
    scratch.push_back(output.sink->scratch_bytes(context.image(output.image).shape));
  }
  store_together(images, context.plan.threads);
  context.store.account().touch(bytes_together(std::move(scratch), context.plan.threads));
}

}  // namespace tilewright
