#include "keeping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "kept_image.hpp"
#include "planning.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/core/node_mapping.hpp"
#include "tilewright/model/node_curve.hpp"
#include "tilewright/scheduler/objective.hpp"
#include "tilewright/scheduler/rounding.hpp"

namespace tilewright {
namespace {

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

/// Halos have to be exchanged in later turns, when images are there: a scatter that brings them along, or a broadcast,
/// spares those turns less.
bool distributes_handed_on(const PlanStep& step, const Pipeline& pipeline, const LoopHint& loop) {
  const bool distributes = step.kind == StepKind::scatter && step.exchanged == Halo{};
  return distributes && is_handed_on(pipeline.images[static_cast<std::size_t>(step.image)].source.get(), loop);
}

bool is_in_turn(const Plan& plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), [](const PlanStep& step) { return step.in_turn; });
}

bool are_of_one_configuration(const Alternative& a, const Alternative& b) {
  return a.ranks == b.ranks && a.grid == b.grid && a.second_grid == b.second_grid && a.in_turn == b.in_turn;
}

/// An alternative of a plan for so many turns with what it takes in this one, as far as the best plan of this turn
/// `alone` tells that; else no less than in an average turn.
Alternative in_this_turn(Alternative other, const Plan& alone, int turns) {
  const bool is_possible = other.predicted_seconds || other.lower_bound_seconds;
  if (!is_possible) return other;
  other.why_not = fmt::format("of {} turns, one on average: {}", turns, other.why_not);
  if (other.predicted_seconds) other.lower_bound_seconds = std::exchange(other.predicted_seconds, std::nullopt);
  const Alternative chosen{alone.ranks, alone.grid, alone.predicted_seconds, {}, {}, {}, is_in_turn(alone)};
  const auto same = std::find_if(alone.alternatives.begin(), alone.alternatives.end(),
                                 [&](const Alternative& a) { return are_of_one_configuration(a, other); });
  const bool is_chosen = are_of_one_configuration(chosen, other);
  if (!is_chosen && same == alone.alternatives.end()) return other;
  const Alternative& known = is_chosen ? chosen : *same;
  other.predicted_seconds = known.predicted_seconds;
  if (known.predicted_seconds || known.lower_bound_seconds) other.lower_bound_seconds = known.lower_bound_seconds;
  return other;
}

/// The best plan for all turns, with the times of this one. As such it is no proven optimum of this turn, of which
/// `alone` is the best plan.
Plan plan_for_turns(const Pipeline& pipeline, const std::optional<MachineProfile>& profile, SearchSpace space,
                    const SessionOptions& options, const LoopHint& loop, const Plan& alone) {
  for (const int source : handed_on(pipeline, loop)) space.counted[source] = 1.0 / loop.turns;
  Plan plan = make_plan(pipeline, profile, space, options);
  const double of_average_s = plan.predicted_seconds.value_or(0);
  for (PlanStep& step : plan.steps) {
    if (!step.predicted_seconds || !distributes_handed_on(step, pipeline, loop)) continue;
    if (plan.predicted_seconds) *plan.predicted_seconds += (loop.turns - 1) * *step.predicted_seconds;
    *step.predicted_seconds *= loop.turns;
  }
  if (plan.uncertainty_seconds && of_average_s > 0) *plan.uncertainty_seconds *= *plan.predicted_seconds / of_average_s;
  plan.lower_bound_seconds = alone.lower_bound_seconds;
  plan.proven_optimal = false;
  for (Alternative& other : plan.alternatives) other = in_this_turn(std::move(other), alone, loop.turns);
  plan.tie.reset();
  plan.notes.push_back(
      fmt::format("chosen for about {} turns of a loop, of which the first alone distributes what the one before has "
                  "kept on the root",
                  loop.turns));
  return plan;
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

/// What a plan that takes so long costs by the objective.
double cost(const Plan& plan, double seconds, const SearchSpace& space) {
  if (space.wishes.objective == Objective::time) return seconds;
  return node_hours(nodes_of(plan.ranks, plan.ranks_per_node), seconds);
}

Plan better_for_turns(Plan plan, Plan other, const Pipeline& pipeline, const LoopHint& loop, const SearchSpace& space) {
  if (!other.predicted_seconds || !plan.predicted_seconds) return plan;
  const auto of_turns = [&](const Plan& p) { return cost(p, seconds_of_turns(p, pipeline, loop), space); };
  return of_turns(other) < of_turns(plan) * (1 - rounding) ? other : plan;
}

/// Throws ParameterError if what is forced leaves kept images no place. On two grids their place is the root.
bool may_stay_on_tiles(const SessionOptions& options) {
  const bool changes_grid = options.regrid == Regrid::always;
  if (changes_grid && options.keep == KeepPlace::tiles) {
    throw ParameterError(
        "a change of grid is forced, but images that are to stay on the tiles stay on those of one grid: "
        "say --tw-keep=root beside --tw-regrid=always, or force one of the two alone");
  }
  return !changes_grid && options.keep != KeepPlace::root;
}

}  // namespace

bool has_kept_images(const Pipeline& pipeline) {
  return keeps(pipeline) || std::any_of(pipeline.images.begin(), pipeline.images.end(), [](const PipelineImage& image) {
           return dynamic_cast<const KeptImage*>(image.source.get()) != nullptr;
         });
}

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
  const bool has_choice = profile && space.max_ranks > 1 && keeps(pipeline) && may_stay_on_tiles(options);
  if (!has_choice) return make_plan(pipeline, profile, space, options);
  SearchSpace in_place = space;
  in_place.keeps_in_place = true;
  Plan there = make_plan(pipeline, profile, in_place, options);
  if (loop.turns > 1 && !handed_on(pipeline, loop).empty()) {
    Plan for_turns = plan_for_turns(pipeline, profile, in_place, options, loop, there);
    there = better_for_turns(std::move(there), std::move(for_turns), pipeline, loop, space);
  }
  if (!keeps_on_tiles(there) || options.keep == KeepPlace::tiles) return there;
  Plan home = make_plan(pipeline, profile, space, options);
  if (!there.predicted_seconds || !home.predicted_seconds) return home;
  const double there_s = seconds_of_turns(there, pipeline, loop) + gather_seconds(there, *profile, space, options);
  const double home_s = loop.turns * *home.predicted_seconds;
  return cost(there, there_s, space) <= cost(home, home_s, space) * (1 + rounding) ? there : home;
}

}  // namespace tilewright
