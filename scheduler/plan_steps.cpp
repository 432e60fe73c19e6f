#include "plan_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <set>

#include "banded_outputs.hpp"
#include "plan_memory.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

using Kind = Transition::Kind;

Site site_of(Kind kind) {
  if (computes(kind)) return site_of_computing(kind);
  const auto transfer = transfer_kind(step_kind(kind));
  const bool moves_tiles = transfer && *transfer != TransferKind::broadcast;
  const bool on_tiles = kind == Kind::read_tiles || kind == Kind::write_tiles || kind == Kind::reduce_tiles;
  return moves_tiles || on_tiles ? Site::tiles : Site::root;
}

class StepMaker {
 public:
  /// For a plan on that grid, or on another one where steps say so.
  StepMaker(const Pipeline& pipeline, TransitionPricer* pricer, const ProcessGrid& grid)
      : pipeline_(pipeline), pricer_(pricer), grid_(grid) {
    bands_ = grid.ranks() == 1 ? bands_by_image(pipeline) : std::vector(pipeline.images.size(), 1);
  }

  [[nodiscard]] PlanStep make(const Transition& transition) {
    PlanStep step;
    step.kind = step_kind(transition.kind);
    step.site = site_of(transition.kind);
    step.algorithm = transition.algorithm;
    if (transfer_kind(step.kind)) {
      describe_transfer(step, transition);
    } else if (step.kind == StepKind::write || step.kind == StepKind::reduce) {
      describe_output(step, transition);
    } else {
      describe_image(step, transition);
    }
    if (pricer_ != nullptr) {
      name_grids(step, transition);
      const TransitionCost cost = pricer_->price(transition);
      if (cost.known) step.predicted_seconds = cost.seconds;
    }
    return step;
  }

 private:
  void name_grids(PlanStep& step, const Transition& transition) const {
    const Configuration& configuration = pricer_->configuration();
    const ProcessGrid& grid = configuration.grid_of(transition);
    if (step.site == Site::tiles && grid != grid_) step.grid = grid;
    if (transition.kind == Kind::redistribute) step.former = configuration.other_grid(transition);
  }

  void name_threads(PlanStep& step, const Transition& transition) const {
    const int threads = pricer_->threads_of(transition);
    if (threads != pricer_->threads()) step.threads = threads;
  }

  void describe_output(PlanStep& step, const Transition& transition) {
    const PipelineOutput& output = pipeline_.outputs[static_cast<std::size_t>(transition.subject)];
    step.output = transition.subject;
    step.image = output.image;
    if (step.kind == StepKind::write) {
      step.operation = output.sink->describe();
      step.bytes = pipeline_.images[static_cast<std::size_t>(output.image)].shape.bytes();
      return;
    }
    step.operation = output.reduction->describe();
    if (pricer_ == nullptr) {
      step.algorithm.reset();
    } else {
      name_threads(step, transition);
      add_messages(step, pricer_->small_message_specs(transition));
    }
    if (step.messages == 0) step.algorithm.reset();
  }

  void describe_image(PlanStep& step, const Transition& transition) const {
    const PipelineImage& image = pipeline_.images[static_cast<std::size_t>(transition.subject)];
    step.image = transition.subject;
    step.operation = image.source ? image.source->describe() : image.op->summary();
    step.results = pipeline_.results(transition.subject);
    step.bands = bands_[static_cast<std::size_t>(transition.subject)];
    if (pricer_ != nullptr) step.margin = pricer_->margin(transition);
    if (pricer_ != nullptr && image.op) name_threads(step, transition);
    if (image.source) step.bytes = image.shape.bytes();
    if (pricer_ != nullptr) step.exchanged = pricer_->filled_halo(transition);
  }

  void describe_transfer(PlanStep& step, const Transition& transition) {
    step.image = transition.subject;
    step.cyclic = transition.cyclic;
    if (pricer_ == nullptr) return;
    const TransferSpec spec = pricer_->spec(transition);
    step.exchanged = spec.exchanged;
    step.in_turn = spec.in_turn;
    step.overlapped = transition.meanwhile >= 0;
    if (step.kind == StepKind::broadcast && spec.grid != grid_) step.grid = spec.grid;
    if (spec.algorithm != Algorithm::shared) step.packing = spec.packing;
    add_messages(step, {spec});
  }

  void add_messages(PlanStep& step, const std::vector<TransferSpec>& specs) {
    for (const TransferSpec& spec : specs) {
      const Traffic& traffic = traffic_of(spec);
      step.messages += traffic.messages;
      step.bytes += traffic.bytes;
      if (step.layout.empty()) step.layout = traffic.layouts;
    }
  }

  /// What a step tells of a transfer.
  struct Traffic {
    TransferSpec spec;
    std::int64_t messages = 0;
    std::int64_t bytes = 0;
    std::string layouts;
  };

  const Traffic& traffic_of(const TransferSpec& spec) {
    const auto known =
        std::find_if(traffic_.begin(), traffic_.end(), [&](const Traffic& traffic) { return traffic.spec == spec; });
    if (known != traffic_.end()) return *known;
    const Schedule schedule = make_schedule(spec);
    return traffic_.emplace_back(Traffic{spec, schedule.message_count(), schedule.message_bytes(), schedule.layouts()});
  }

  const Pipeline& pipeline_;
  TransitionPricer* pricer_;
  ProcessGrid grid_;
  std::vector<int> bands_;      // by image
  std::list<Traffic> traffic_;  // many transfers are alike
};

void add_to(std::optional<double>& sum, const std::optional<double>& part) {
  if (sum && part)
    *sum += *part;
  else
    sum.reset();
}

/// How much of a path's transitions passes while ranks are busy with those before.
class HiddenTime {
 public:
  /// None has no costs.
  explicit HiddenTime(TransitionPricer* pricer) : pricer_(pricer) {}

  /// Seconds of the one after the last that was asked for.
  double of_next(const Transition& transition) {
    if (pricer_ == nullptr || !pricer_->is_in_turn()) return 0;
    const double seconds = pricer_->price(transition).seconds;
    const Timeline next = after(now_, pricer_->times(transition, seconds));
    const double added_s = next.end() - now_.end();
    now_ = next;
    return std::max(0.0, seconds - added_s);
  }

 private:
  TransitionPricer* pricer_;
  Timeline now_;
};

/// Of an image that is whole somewhere.
bool makes_tiles_of_whole(Kind kind) {
  return kind == Kind::read_tiles || kind == Kind::scatter || kind == Kind::extract;
}

/// With the halos of their tiles, as they are where these come to exist.
void add_images(Plan& plan, const Pipeline& pipeline, const std::vector<Transition>& path,
                const TransitionPricer* pricer) {
  for (int i = 0; i < static_cast<int>(pipeline.images.size()); ++i) {
    const PipelineImage& image = pipeline.images[static_cast<std::size_t>(i)];
    const Halo halo = plan.ranks == 1 ? pipeline.whole_halo(i) : pipeline.storage_halo(i);
    plan.images.push_back({image.name, image.shape, halo});
  }
  if (pricer == nullptr) return;
  for (const Transition& transition : path) {
    const bool computes = transition.kind == Kind::compute_tiles;
    if (!computes && !makes_tiles_of_whole(transition.kind)) continue;
    const int end = transition.subject + (computes ? pipeline.results(transition.subject) : 1);
    for (int made = transition.subject; made < end; ++made) {
      plan.images[static_cast<std::size_t>(made)].storage_halo = pricer->storage_halo(made, transition.depth);
    }
  }
}

/// Images to be kept that the root never has.
void mark_kept_on_tiles(Plan& plan, const Pipeline& pipeline) {
  if (plan.ranks == 1) return;
  std::set<int> whole;
  for (const PlanStep& step : plan.steps) {
    for (int made = step.image; makes_whole(step) && made < step.image + step.results; ++made) whole.insert(made);
  }
  for (const PipelineOutput& output : pipeline.outputs) {
    if (output.kind != OutputKind::keep || whole.contains(output.image)) continue;
    PlanImage& image = plan.images[static_cast<std::size_t>(output.image)];
    if (image.stays_on_tiles) continue;
    image.stays_on_tiles = true;
    plan.notes.push_back(
        fmt::format("{} stays on the tiles of {} for later segments", image.name, to_string(plan.grid)));
  }
}

/// Counts seconds of a transfer with the step that reads its image.
void count_with_reading(std::vector<PlanStep>& steps, PlanStep& transfer, double seconds) {
  const auto reading = std::find_if(steps.begin(), steps.end(), [&](const PlanStep& step) {
    return step.kind == StepKind::read && step.site == Site::root && step.image == transfer.image;
  });
  if (reading == steps.end() || !reading->predicted_seconds || !transfer.predicted_seconds) return;
  *reading->predicted_seconds += seconds;
  *transfer.predicted_seconds -= seconds;
}

void make_steps(Plan& plan, const Pipeline& pipeline, const std::vector<Transition>& path, TransitionPricer* pricer) {
  add_images(plan, pipeline, path, pricer);
  StepMaker maker(pipeline, pricer, plan.grid);
  HiddenTime hidden(pricer);
  double extra_s = 0;  // counts with the operator that it is for: extractions, and computing in parts
  for (const Transition& transition : path) {
    if (transition.kind == Kind::none) continue;
    const double hidden_s = hidden.of_next(transition);
    if (transition.kind == Kind::extract) {
      if (pricer != nullptr) extra_s += pricer->price(transition).seconds;
      continue;
    }
    PlanStep step = maker.make(transition);
    if (transfer_kind(step.kind) && pricer != nullptr && step.messages == 0)
      continue;  // one rank in that direction: nothing to move
    const double reading_s = pricer == nullptr ? 0 : pricer->seconds_of_reading(transition);
    if (reading_s > 0) count_with_reading(plan.steps, step, reading_s);
    if (step.kind == StepKind::compute && step.predicted_seconds) {
      *step.predicted_seconds += extra_s;
      extra_s = 0;
    }
    step.hidden_seconds = hidden_s;
    if (step.overlapped) {
      const TransitionPricer::Overlap overlap = pricer->overlap(transition);
      step.predicted_seconds = overlap.exchange_s;
      step.hidden_seconds = overlap.hidden_s;
      extra_s += overlap.extra_s;
    }
    plan.steps.push_back(std::move(step));
  }
  plan.predicted_seconds = 0.0;
  for (const PlanStep& step : plan.steps) {
    add_to(plan.predicted_seconds, step.predicted_seconds);
    if (plan.predicted_seconds) *plan.predicted_seconds -= step.hidden_seconds;
  }
  plan.pipeline_hash = pipeline.hash();
  mark_kept_on_tiles(plan, pipeline);
  add_releases(plan, pipeline);
  const std::vector<std::int64_t> peaks = peak_bytes(plan, pipeline);
  plan.root_bytes = peaks.front();
  plan.rank_bytes = peaks.size() > 1 ? *std::max_element(peaks.begin() + 1, peaks.end()) : 0;
}

}  // namespace

void add_steps(Plan& plan, const Pipeline& pipeline, const std::vector<Transition>& path, TransitionPricer& pricer) {
  make_steps(plan, pipeline, path, &pricer);
}

void add_steps(Plan& plan, const Pipeline& pipeline, const std::vector<Transition>& path) {
  make_steps(plan, pipeline, path, nullptr);
}

}  // namespace tilewright
