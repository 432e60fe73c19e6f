#include "keeping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "kept_image.hpp"
#include "planning.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

/// Sums of the same numbers in another order.
constexpr double rounding = 1e-9;

bool keeps(const Pipeline& pipeline) {
  return std::any_of(pipeline.outputs.begin(), pipeline.outputs.end(),
                     [](const PipelineOutput& output) { return output.kind == OutputKind::keep; });
}

bool keeps_on_tiles(const Plan& plan) {
  return std::any_of(plan.images.begin(), plan.images.end(),
                     [](const PlanImage& image) { return image.stays_on_tiles; });
}

/// What it takes to bring what stays on the tiles to the root.
double gather_seconds(const Plan& plan, const MachineProfile& profile, const SearchSpace& space,
                      const SessionOptions& options) {
  double seconds = 0;
  for (const PlanImage& image : plan.images) {
    if (!image.stays_on_tiles) continue;
    const Image kept(std::make_shared<const KeptImage>(image.shape, plan.grid, nullptr));
    const Plan home = make_plan(bringing_home(kept), profile, space_for_bringing_home(space), options);
    for (const PlanStep& step : home.steps) {
      if (step.kind == StepKind::gather) seconds += step.predicted_seconds.value_or(0);
    }
  }
  return seconds;
}

/// On the root, and not so old that it is the same in every turn.
bool is_handed_on(const Source* source, const LoopHint& loop) {
  const auto* kept = dynamic_cast<const KeptImage*>(source);
  return kept != nullptr && !kept->tiled_on() && kept->turn() + 1 >= loop.turn;
}

std::vector<int> handed_on(const Pipeline& pipeline, const LoopHint& loop) {
  std::vector<int> found;
  for (int i = 0; i < static_cast<int>(pipeline.images.size()); ++i) {
    if (is_handed_on(pipeline.images[static_cast<std::size_t>(i)].source.get(), loop)) found.push_back(i);
  }
  return found;
}

bool distributes_handed_on(const PlanStep& step, const Pipeline& pipeline, const LoopHint& loop) {
  const bool distributes = step.kind == StepKind::scatter || step.kind == StepKind::broadcast;
  return distributes && is_handed_on(pipeline.images[static_cast<std::size_t>(step.image)].source.get(), loop);
}

/// The best plan for all turns, on several ranks. As such it is no proven optimum of this turn. None if it is not
/// possible.
std::optional<Plan> plan_for_turns(const Pipeline& pipeline, const std::optional<MachineProfile>& profile,
                                   SearchSpace space, const SessionOptions& options, const LoopHint& loop) {
  space.min_ranks = std::max(2, space.min_ranks);
  for (const int source : handed_on(pipeline, loop)) space.counted[source] = 1.0 / loop.turns;
  try {
    Plan plan = make_plan(pipeline, profile, space, options);
    for (PlanStep& step : plan.steps) {
      if (!step.predicted_seconds || !distributes_handed_on(step, pipeline, loop)) continue;
      if (plan.predicted_seconds) *plan.predicted_seconds += (loop.turns - 1) * *step.predicted_seconds;
      *step.predicted_seconds *= loop.turns;
    }
    plan.lower_bound_seconds.reset();
    plan.proven_optimal = false;
    plan.alternatives.clear();
    plan.tie.reset();
    plan.notes.push_back(
        fmt::format("chosen for about {} turns of a loop, of which the first alone distributes what the one before has "
                    "kept on the root",
                    loop.turns));
    return plan;
  } catch (const ParameterError&) {  // one rank can do what several cannot
    return std::nullopt;
  }
}

/// What all turns take, this one as planned. What later ones find on the tiles is not distributed again.
double seconds_of_turns(const Plan& plan, const Pipeline& pipeline, const LoopHint& loop) {
  double later_s = *plan.predicted_seconds;
  for (const PlanStep& step : plan.steps) {
    const bool is_saved = keeps_on_tiles(plan) && distributes_handed_on(step, pipeline, loop);
    if (is_saved) later_s -= step.predicted_seconds.value_or(0);
  }
  return *plan.predicted_seconds + (loop.turns - 1) * later_s;
}

Plan better_for_turns(Plan plan, std::optional<Plan> other, const Pipeline& pipeline, const LoopHint& loop) {
  if (!other || !other->predicted_seconds || !plan.predicted_seconds) return plan;
  const bool is_better = seconds_of_turns(*other, pipeline, loop) < seconds_of_turns(plan, pipeline, loop);
  return is_better ? *std::move(other) : plan;
}

}  // namespace

Pipeline bringing_home(const Image& image) {
  return record({{OutputKind::keep, image, nullptr, nullptr}});
}

/// What is forced is meant for work on the image.
SearchSpace space_for_bringing_home(const SearchSpace& space) {
  SearchSpace home = space;
  home.ranks.reset();
  home.grid.reset();
  home.tiles.reset();
  home.distribution.reset();
  home.halo.reset();
  home.regrid.reset();
  home.files.reset();
  return home;
}

std::vector<int> strays(const Pipeline& pipeline, const SessionOptions& options) {
  std::vector<int> found;
  std::optional<ProcessGrid> common;
  const SearchSpace space = forced(options);
  for (int i = 0; i < static_cast<int>(pipeline.images.size()); ++i) {
    const PipelineImage& image = pipeline.images[static_cast<std::size_t>(i)];
    if (!is_tiled_source(image)) continue;
    const auto grid = image.source->tiled_on();
    if (!common && may_use_grid(space, *grid)) common = grid;
    if (grid != common) found.push_back(i);
  }
  return found;
}

Plan plan_with_keeping(const Pipeline& pipeline, const std::optional<MachineProfile>& profile, const SearchSpace& space,
                       const SessionOptions& options, const LoopHint& loop) {
  const bool has_choice = profile && space.max_ranks > 1 && keeps(pipeline) && options.keep != KeepPlace::root;
  if (!has_choice) return make_plan(pipeline, profile, space, options);
  SearchSpace in_place = space;
  in_place.keeps_in_place = true;
  Plan there = make_plan(pipeline, profile, in_place, options);
  if (loop.turns > 1 && !handed_on(pipeline, loop).empty()) {
    there =
        better_for_turns(std::move(there), plan_for_turns(pipeline, profile, in_place, options, loop), pipeline, loop);
  }
  if (!keeps_on_tiles(there) || options.keep == KeepPlace::tiles) return there;
  Plan home = make_plan(pipeline, profile, space, options);
  if (!there.predicted_seconds || !home.predicted_seconds) return home;
  const double there_s = seconds_of_turns(there, pipeline, loop) + gather_seconds(there, *profile, space, options);
  return there_s <= loop.turns * *home.predicted_seconds * (1 + rounding) ? there : home;
}

}  // namespace tilewright
