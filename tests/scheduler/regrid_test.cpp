// Changes of the process grid between operators: where they pay, what they look like, and what is said where they do
// not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/plan_replay.hpp"
#include "scheduler/planning.hpp"

namespace tilewright {
namespace {

using testing::HasSubstr;

/// Reaches far along x, then far along y; of the result only the sum is asked for.
Pipeline wide_then_tall(std::int64_t reach) {
  const Image in = test::source({.extent = {512, 512}});
  const Image wide = test::filter({in}, {.name = "wide", .halo = {reach, 0}});
  return record({test::reduce(test::filter({wide}, {.name = "tall", .halo = {0, reach}}))});
}

const test::SyntheticMachine machine{.latency_s = 1e-6, .seconds_per_byte = 1e-8, .seconds_per_value = 1e-6};
const SearchSpace eight_ranks{.min_ranks = 8, .max_ranks = 8};

SearchSpace forced(Regrid regrid) {
  SearchSpace space = eight_ranks;
  space.regrid = regrid;
  return space;
}

const PlanStep& redistribution_of(const Plan& plan) {
  return *std::find_if(plan.steps.begin(), plan.steps.end(),
                       [](const PlanStep& step) { return step.kind == StepKind::redistribute; });
}

TEST(Regrid, TakesRowStripsForTheWideFilterAndColumnStripsForTheTallOne) {
  const Pipeline pipeline = wide_then_tall(60);
  const Plan plan = test::plan_on(pipeline, machine, eight_ranks);
  ASSERT_EQ(test::count(plan, StepKind::redistribute), 1);
  EXPECT_EQ(test::count(plan, StepKind::exchange), 0);
  EXPECT_EQ(plan.grid, (ProcessGrid{1, 8}));
  const PlanStep& step = redistribution_of(plan);
  EXPECT_EQ(step.former, (ProcessGrid{1, 8}));
  EXPECT_EQ(grid_of(plan, step), (ProcessGrid{8, 1}));
  EXPECT_EQ(step.messages, 8 * 7);
  EXPECT_EQ(step.bytes, 512 * 512 * 4 * 7 / 8);
  EXPECT_TRUE(plan.proven_optimal);
  test::PlanReplay(plan, pipeline).run();
  EXPECT_EQ(test::plan_on(pipeline, machine, eight_ranks), plan) << "asked again";
}

TEST(Regrid, LosesToTheExchangeOfAThinBorder) {
  const Plan plan = test::plan_on(wide_then_tall(2), machine, eight_ranks);
  EXPECT_EQ(test::count(plan, StepKind::redistribute), 0);
  const auto other = std::find_if(plan.alternatives.begin(), plan.alternatives.end(),
                                  [](const Alternative& a) { return a.second_grid.has_value(); });
  ASSERT_NE(other, plan.alternatives.end()) << "what was rejected is named";
  EXPECT_THAT(other->why_not, HasSubstr("changing the grid takes at least"));
  EXPECT_EQ(other->ranks, 8);
}

TEST(Regrid, IsForbiddenOrForced) {
  const Plan never = test::plan_on(wide_then_tall(60), machine, forced(Regrid::never));
  EXPECT_EQ(test::count(never, StepKind::redistribute), 0);
  for (const Alternative& other : never.alternatives) EXPECT_FALSE(other.second_grid);
  const Plan always = test::plan_on(wide_then_tall(2), machine, forced(Regrid::always));
  EXPECT_EQ(test::count(always, StepKind::redistribute), 1);
  EXPECT_TRUE(always.proven_optimal);
  const Plan free = test::plan_on(wide_then_tall(60), machine, eight_ranks);
  EXPECT_LT(*free.predicted_seconds, *never.predicted_seconds);
}

TEST(Regrid, ThatCannotBeForcedIsRefused) {
  EXPECT_THAT(test::error_of(wide_then_tall(2), machine, {.max_ranks = 1, .regrid = Regrid::always}),
              HasSubstr("a change of grid is forced"));
  EXPECT_THAT(
      test::error_of(wide_then_tall(2), machine, {.max_ranks = 8, .grid = GridPattern{2, 4}, .regrid = Regrid::always}),
      HasSubstr("a change of grid is forced"));
  EXPECT_THROW((void)parse_regrid("sometimes"), ParameterError);
}

TEST(Regrid, IsForcedBetweenOperatorsIfThereAreAny) {
  const Pipeline one = record({test::reduce(test::filter({test::source({.extent = {512, 512}})}, {.halo = {1, 1}}))});
  EXPECT_THAT(test::error_of(one, machine, {.max_ranks = 8, .regrid = Regrid::always}),
              HasSubstr("no operator reads what another one has made"));
  const Pipeline pipeline = record({test::write(test::source({.extent = {512, 512}}))});
  EXPECT_EQ(test::plan_on(pipeline, machine, {.max_ranks = 8, .regrid = Regrid::always}).ranks, 1);
}

TEST(Regrid, IsNotLookedAtWhereNoFilterIsElongated) {
  const Plan plan = test::plan_on(test::filters({512, 512}, {60, 60}), machine, eight_ranks);
  for (const Alternative& other : plan.alternatives) EXPECT_FALSE(other.second_grid);
}

TEST(Regrid, SuitsFiltersThatNoSingleGridOfAllRanksCanHold) {
  const Pipeline pipeline = wide_then_tall(200);  // a strip of eight is 64 pixels, a tile of 2x4 128
  const Plan plan = test::plan_on(pipeline, machine, eight_ranks);
  EXPECT_EQ(test::count(plan, StepKind::redistribute), 1);
  EXPECT_THAT(test::error_of(pipeline, machine, {.max_ranks = 8, .grid = GridPattern{2, 4}, .regrid = Regrid::never}),
              HasSubstr("halo"));
}

TEST(Regrid, BeyondTheLimitOfStatesCountsInTheBound) {
  SearchSpace few_states = eight_ranks;
  few_states.max_states = 1;
  const Plan plan = test::plan_on(wide_then_tall(60), machine, few_states);
  EXPECT_FALSE(plan.proven_optimal);
  const Plan best = test::plan_on(wide_then_tall(60), machine, eight_ranks);
  EXPECT_LE(*plan.lower_bound_seconds, *best.predicted_seconds);
}

}  // namespace
}  // namespace tilewright
