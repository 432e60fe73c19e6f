#include "tilewright/runtime/executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "plan_check.hpp"
#include "root_steps.hpp"
#include "source_steps.hpp"
#include "step_clock.hpp"
#include "step_context.hpp"
#include "step_preparation.hpp"
#include "tile_steps.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/model/concurrent_steps.hpp"
#include "tilewright/pipeline/accumulation.hpp"
#include "tilewright/runtime/files_in_sight.hpp"
#include "tilewright/runtime/reduction_tree.hpp"
#include "transfer_steps.hpp"

namespace tilewright {
namespace {

/// Of all ranks' partial results, on the root.
void merge_on_root(std::vector<std::byte>& partial, const ReductionMethod& method, const PixelFormat& format, int ranks,
                   Algorithm algorithm, const Communicator& communicator) {
  const std::vector<std::byte> all = gather_partials(partial, ranks, algorithm, communicator);
  for (std::size_t begin = partial.size(); begin < all.size(); begin += partial.size()) {
    method.merge(partial, std::span(all).subspan(begin, partial.size()), format);
  }
}

/// Runs the steps of one plan on this rank.
class Execution {
 public:
  Execution(const Plan& plan, const Pipeline& pipeline, const Communicator& communicator)
      : prepared_(prepare_steps(plan, pipeline, communicator.rank(), communicator.ranks())),
        context_(plan, pipeline, communicator),
        transfers_(context_, prepared_) {
    outputs_.resize(pipeline.outputs.size());
  }

  /// Steps that follow each other, at the same time if there are several. Returns what part of the time each of them
  /// took.
  std::vector<double> run(std::size_t first, std::size_t count) {
    const std::span<const PlanStep> steps = std::span(context_.plan.steps).subspan(first, count);
    std::vector<double> parts(count, 1.0 / static_cast<double>(count));
    if (is_banded(steps.front())) {
      parts = run_in_bands(steps, prepared_[first]);
    } else if (steps.front().overlapped) {
      parts = exchange_and_compute(context_, steps, std::span(prepared_).subspan(first, count));
    } else if (steps.front().kind == StepKind::write && steps.front().site == Site::root) {
      if (context_.rank == 0) write_whole(context_, steps);
    } else {
      run(steps.front(), prepared_[first]);
    }
    for (const PlanStep& step : steps) let_go(step);
    return parts;
  }

  /// What the program gets: whole images that were fetched or kept.
  std::vector<OutputResult> finish() {
    const std::vector<PipelineOutput>& wanted = context_.pipeline.outputs;
    std::set<int> fetched;  // once, and before any is handed out: several outputs may be of one image
    for (const PipelineOutput& output : wanted) {
      if (output.kind == OutputKind::fetch && fetched.insert(output.image).second)
        transfers_.send_to_idle_ranks(output.image);
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) hand_out(wanted[i], outputs_[i]);
    return std::move(outputs_);
  }

  [[nodiscard]] std::int64_t peak_bytes() { return context_.store.account().peak(); }

 private:
  void run(const PlanStep& step, const StepPreparation& prepared) {
    switch (step.kind) {
      case StepKind::read:
        read_source(context_, step);
        break;
      case StepKind::scatter:
      case StepKind::gather:
      case StepKind::broadcast:
      case StepKind::allgather:
      case StepKind::exchange:
        transfers_.transfer(step, prepared);
        break;
      case StepKind::redistribute:
        transfers_.redistribute(step, prepared);
        break;
      case StepKind::compute:
        if (step.site == Site::tiles && context_.has_tile(step)) compute_tile(context_, step, prepared);
        if (computes_whole(step)) compute_whole(context_, step, prepared);
        break;
      case StepKind::reduce:
        reduce(step);
        break;
      case StepKind::write:
        write_tile(step);
        break;
    }
  }

  [[nodiscard]] bool computes_whole(const PlanStep& step) const {
    return (step.site == Site::root && context_.rank == 0) || (step.site == Site::everywhere && context_.works);
  }

  void let_go(const PlanStep& step) {
    for (const Release& release : step.releases) {
      if (release.whole)
        context_.store.release_whole(release.image);
      else
        context_.store.release_tile(release.image);
    }
  }

  /// By the root; all ranks hear what was reduced.
  std::vector<double> run_in_bands(std::span<const PlanStep> steps, const StepPreparation& prepared) {
    std::vector<std::vector<std::byte>> partials(steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].kind == StepKind::reduce) partials[i] = new_partial(steps[i]);
    }
    std::vector<double> parts(steps.size(), 0.0);
    if (context_.rank == 0) parts = compute_and_put_out(context_, steps, prepared, partials);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].kind == StepKind::reduce) tell(steps[i], partials[i]);
    }
    return parts;
  }

  void reduce(const PlanStep& step) {
    const ReductionMethod& method = *context_.output(step).reduction;
    std::vector<std::byte> partial = new_partial(step);
    const bool on_tiles = step.site == Site::tiles;
    if (context_.works && (on_tiles || context_.rank == 0)) {
      const Raster& raster =
          on_tiles ? context_.ensure_tile(step, step.image).tile : context_.store.at(step.image).whole;
      accumulate(method, raster.view(), partial, {threads_of(context_.plan, step)});
    }
    if (context_.works && on_tiles && context_.plan.ranks > 1) {
      merge_on_root(partial, method, context_.image(step.image).shape.format, context_.plan.ranks, algorithm_of(step),
                    context_.communicator);
    }
    tell(step, partial);
  }

  [[nodiscard]] std::vector<std::byte> new_partial(const PlanStep& step) const {
    return std::vector<std::byte>(
        context_.output(step).reduction->partial_bytes(context_.image(step.image).shape.format));
  }

  [[nodiscard]] static Algorithm algorithm_of(const PlanStep& reduce) {
    return reduce.algorithm.value_or(Algorithm::oft);
  }

  [[nodiscard]] static std::vector<double> finished(const ReductionMethod& method, std::span<const std::byte> partial,
                                                    const ImageShape& shape) {
    std::vector<double> values = method.finish(partial, shape);
    if (values.size() == static_cast<std::size_t>(shape.format.channels)) return values;
    throw ParameterError(fmt::format("{}: {} values of an image with {} channels, but there is one a channel",
                                     method.describe(), values.size(), shape.format.channels));
  }

  /// Ranks that the plan leaves idle go on with the same program, so they need the same results: the values, which are
  /// shorter than what they are worked out from.
  void tell(const PlanStep& reduce, std::span<const std::byte> partial) {
    const Communicator& communicator = context_.communicator;
    const ImageShape& shape = context_.image(reduce.image).shape;
    std::vector<double> values(static_cast<std::size_t>(shape.format.channels));
    if (context_.rank == 0) values = finished(*context_.output(reduce).reduction, partial, shape);
    if (communicator.ranks() > 1) {
      broadcast_bytes(std::as_writable_bytes(std::span(values)), communicator.ranks(), algorithm_of(reduce),
                      communicator);
    }
    outputs_[static_cast<std::size_t>(reduce.output)].values = std::move(values);
  }

  /// All ranks, those that the plan leaves idle included, hear what became of it.
  void write_tile(const PlanStep& step) {
    const PipelineOutput& output = context_.output(step);
    const bool has_part = context_.has_tile(step);
    const ConstView part = has_part ? std::as_const(context_.ensure_tile(step, output.image).tile).view() : ConstView();
    write_in_parts(*output.sink, context_.image(output.image).shape, has_part ? &part : nullptr, context_.communicator);
  }

  void hand_out(const PipelineOutput& output, OutputResult& result) {
    const Plan& plan = context_.plan;
    if (output.kind == OutputKind::keep && plan.images[static_cast<std::size_t>(output.image)].stays_on_tiles) {
      result.tiled_on = plan.grid;
      if (context_.works) result.pixels = tile_for_program(output.image);
      return;
    }
    const bool is_kept_here = output.kind == OutputKind::keep && context_.rank == 0;
    if (output.kind == OutputKind::fetch || is_kept_here) result.pixels = whole_for_program(output.image);
  }

  std::shared_ptr<const Raster> whole_for_program(int index) {
    std::shared_ptr<const Raster>& shared = handed_out_[index];
    if (!shared) shared = std::make_shared<const Raster>(context_.store.take_whole(index));
    return shared;
  }

  std::shared_ptr<const Raster> tile_for_program(int index) {
    std::shared_ptr<const Raster>& shared = kept_tiles_[index];
    if (!shared) shared = std::make_shared<const Raster>(context_.store.take_tile(index));
    return shared;
  }

  std::vector<StepPreparation> prepared_;
  StepContext context_;
  TransferSteps transfers_;
  std::vector<OutputResult> outputs_;
  std::map<int, std::shared_ptr<const Raster>> handed_out_;  // several outputs may be of one image
  std::map<int, std::shared_ptr<const Raster>> kept_tiles_;
};

/// The same on all ranks, which have the same plan.
bool writes_on_tiles(const Plan& plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(),
                     [](const PlanStep& step) { return step.kind == StepKind::write && step.site == Site::tiles; });
}

}  // namespace

ExecutablePlan::ExecutablePlan(const Plan& plan, const Pipeline& pipeline, const Communicator& started)
    : plan_(plan), pipeline_(pipeline), communicator_(started.numbered_as(plan.grid)) {
  if (writes_on_tiles(plan)) discard_ = std::make_shared<const DiscardOfParts>(pipeline, communicator_);
  check_plan(plan, pipeline, communicator_);
}

ExecutionResult ExecutablePlan::execute(const ExecutionOptions& options) const {
  // Also after its return, until a plan needs this rank: the root may be at work for long yet.
  communicator_.rest(communicator_.rank() >= plan_.ranks);
  Execution execution(plan_, pipeline_, communicator_);
  std::optional<StepClock> clock;
  const bool each_step = options.timing == Timing::each_step;
  if (options.timing != Timing::none) clock.emplace(communicator_, each_step);
  for (std::size_t i = 0, count = 1; i < plan_.steps.size(); i += count) {
    const bool cannot_be_parted = is_banded(plan_.steps[i]) || plan_.steps[i].overlapped;
    count = each_step && !cannot_be_parted ? 1 : steps_together(plan_, i);
    for (std::size_t step = i; options.on_step && communicator_.is_root() && step < i + count; ++step)
      options.on_step(step);
    if (clock) clock->begin_step();
    const std::vector<double> parts = execution.run(i, count);
    if (clock) clock->end_steps(parts);
  }
  ExecutionResult result;
  result.outputs = execution.finish();
  result.trace = clock ? clock->trace(plan_, execution.peak_bytes()) : Trace{plan_, 0, {}};
  return result;
}

ExecutionResult execute(const Plan& plan, const Pipeline& pipeline, const Communicator& started,
                        const ExecutionOptions& options) {
  return ExecutablePlan(plan, pipeline, started).execute(options);
}

}  // namespace tilewright
