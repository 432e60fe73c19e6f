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

/// Those that were kept there.
std::vector<int> sources_on_root(const Pipeline& pipeline) {
  std::vector<int> found;
  for (int i = 0; i < static_cast<int>(pipeline.images.size()); ++i) {
    const Source* source = pipeline.images[static_cast<std::size_t>(i)].source.get();
    if (dynamic_cast<const KeptImage*>(source) != nullptr && !source->tiled_on()) found.push_back(i);
  }
  return found;
}

bool distributes_kept(const PlanStep& step, const Pipeline& pipeline) {
  if (step.kind != StepKind::scatter && step.kind != StepKind::broadcast) return false;
  const Source* source = pipeline.images[static_cast<std::size_t>(step.image)].source.get();
  return dynamic_cast<const KeptImage*>(source) != nullptr;
}

/// What the plan takes to get images to the tiles that were kept on the root.
double distribution_seconds(const Plan& plan, const Pipeline& pipeline) {
  double seconds = 0;
  for (const PlanStep& step : plan.steps) {
    if (distributes_kept(step, pipeline)) seconds += step.predicted_seconds.value_or(0);
  }
  return seconds;
}

/// The best plan for so many turns, of which the first alone distributes what was kept on the root, on several ranks.
/// As such it is no proven optimum of this turn. None if it is not possible.
std::optional<Plan> plan_for_turns(const Pipeline& pipeline, const std::optional<MachineProfile>& profile,
                                   SearchSpace space, const SessionOptions& options, int turns) {
  space.min_ranks = std::max(2, space.min_ranks);
  for (const int source : sources_on_root(pipeline)) space.counted[source] = 1.0 / turns;
  try {
    Plan plan = make_plan(pipeline, profile, space, options);
    for (PlanStep& step : plan.steps) {
      if (!step.predicted_seconds || !distributes_kept(step, pipeline)) continue;
      if (plan.predicted_seconds) *plan.predicted_seconds += (turns - 1) * *step.predicted_seconds;
      *step.predicted_seconds *= turns;
    }
    plan.lower_bound_seconds.reset();
    plan.proven_optimal = false;
    plan.alternatives.clear();
    plan.tie.reset();
    plan.notes.push_back(
        fmt::format("chosen for about {} turns of a loop, of which the first alone distributes what was "
                    "kept on the root",
                    turns));
    return plan;
  } catch (const ParameterError&) {  // one rank can do what several cannot
    return std::nullopt;
  }
}

/// What so many turns take, the first one as planned.
double seconds_of_turns(const Plan& plan, const Pipeline& pipeline, int turns) {
  const double later_s = *plan.predicted_seconds - distribution_seconds(plan, pipeline);
  return *plan.predicted_seconds + (turns - 1) * later_s;
}

Plan better_for_turns(Plan plan, std::optional<Plan> other, const Pipeline& pipeline, int turns) {
  if (!other || !other->predicted_seconds || !plan.predicted_seconds) return plan;
  // On one rank, or on the root, nothing is distributed, and nothing saved in later turns.
  const bool is_better = seconds_of_turns(*other, pipeline, turns) < seconds_of_turns(plan, pipeline, turns);
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
  home.keeps_in_place = false;
  return home;
}

std::vector<int> strays(const Pipeline& pipeline, const SessionOptions& options) {
  std::vector<int> found;
  std::optional<ProcessGrid> common;
  const auto is_allowed = [&](const ProcessGrid& grid) {
    return options.ranks.value_or(grid.ranks()) == grid.ranks() && (!options.grid || options.grid->matches(grid)) &&
           options.regrid != Regrid::always;
  };
  for (int i = 0; i < static_cast<int>(pipeline.images.size()); ++i) {
    const PipelineImage& image = pipeline.images[static_cast<std::size_t>(i)];
    const auto grid = image.source ? image.source->tiled_on() : std::nullopt;
    if (!grid) continue;
    if (!common && is_allowed(*grid)) common = grid;
    if (grid != common) found.push_back(i);
  }
  return found;
}

Plan plan_with_keeping(const Pipeline& pipeline, const std::optional<MachineProfile>& profile, const SearchSpace& space,
                       const SessionOptions& options, int turns) {
  const bool has_choice = profile && space.max_ranks > 1 && keeps(pipeline) && options.keep != KeepPlace::root;
  if (!has_choice) return make_plan(pipeline, profile, space, options);
  SearchSpace in_place = space;
  in_place.keeps_in_place = true;
  Plan there = make_plan(pipeline, profile, in_place, options);
  if (turns > 1 && !sources_on_root(pipeline).empty())
    there = better_for_turns(std::move(there), plan_for_turns(pipeline, profile, in_place, options, turns), pipeline,
                             turns);
  if (!keeps_on_tiles(there) || options.keep == KeepPlace::tiles) return there;
  Plan home = make_plan(pipeline, profile, space, options);
  if (!there.predicted_seconds || !home.predicted_seconds) return home;
  const double later_s = *there.predicted_seconds - distribution_seconds(there, pipeline);
  const double there_s =
      *there.predicted_seconds + (turns - 1) * later_s + gather_seconds(there, *profile, space, options);
  return there_s <= turns * *home.predicted_seconds * (1 + rounding) ? there : home;
}

}  // namespace tilewright
