#include "keeping.hpp"

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

/// For a loop whose first turn alone would not pay; else `otherwise`.
Plan plan_on_several_ranks(const Pipeline& pipeline, const std::optional<MachineProfile>& profile, SearchSpace space,
                           const SessionOptions& options, const Plan& otherwise) {
  space.min_ranks = std::max(2, space.min_ranks);
  try {
    return make_plan(pipeline, profile, space, options);
  } catch (const ParameterError&) {  // one rank can do what several cannot
    return otherwise;
  }
}

/// What the plan takes to get images to the tiles that were kept on the root.
double distribution_seconds(const Plan& plan, const Pipeline& pipeline) {
  double seconds = 0;
  for (const PlanStep& step : plan.steps) {
    const bool distributes = step.kind == StepKind::scatter || step.kind == StepKind::broadcast;
    const Source* source = pipeline.images[static_cast<std::size_t>(step.image)].source.get();
    if (distributes && dynamic_cast<const KeptImage*>(source) != nullptr) seconds += step.predicted_seconds.value_or(0);
  }
  return seconds;
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
  if (!keeps_on_tiles(there) && turns > 1) there = plan_on_several_ranks(pipeline, profile, in_place, options, there);
  if (!keeps_on_tiles(there) || options.keep == KeepPlace::tiles) return there;
  Plan home = make_plan(pipeline, profile, space, options);
  if (!there.predicted_seconds || !home.predicted_seconds) return home;
  const double later_s = *there.predicted_seconds - distribution_seconds(there, pipeline);
  const double there_s =
      *there.predicted_seconds + (turns - 1) * later_s + gather_seconds(there, *profile, space, options);
  return there_s <= turns * *home.predicted_seconds * (1 + rounding) ? there : home;
}

}  // namespace tilewright
