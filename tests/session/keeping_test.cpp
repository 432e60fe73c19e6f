// Where images stay that a segment computes for later ones.
#include "../../src/session/keeping.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "../../src/session/kept_image.hpp"
#include "../../src/session/planning.hpp"
#include "support/test_pipeline.hpp"
#include "support/test_profiles.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

const ImageShape shape{{256, 256}, {PixelType::f32, 1}};
const SearchSpace four_ranks{.max_ranks = 4};

/// One turn of a loop that filters what the turn before has kept: on the root, or on the tiles of a grid.
Pipeline turn(const std::optional<ProcessGrid>& grid = {}, const Halo& halo = {1, 1}) {
  auto kept = std::make_shared<const KeptImage>(shape, grid, nullptr);
  const Image filtered = test::filter({Image(std::move(kept))}, {.halo = halo});
  return record({{OutputKind::keep, filtered, nullptr, nullptr}});
}

/// A filter that takes the root so long as `ratio` times to send the image.
MachineProfile machine(double ratio) {
  constexpr double second_a_byte = 1e-8;
  return test::profile_of(
      {.latency_s = 1e-7, .seconds_per_byte = second_a_byte, .seconds_per_value = ratio * 4 * second_a_byte});
}

bool stays_on_tiles(const Plan& plan) {
  return std::any_of(plan.images.begin(), plan.images.end(),
                     [](const PlanImage& image) { return image.stays_on_tiles; });
}

bool has(const Plan& plan, StepKind kind) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), [&](const PlanStep& step) { return step.kind == kind; });
}

Plan plan_of(const Pipeline& pipeline, double ratio, int turns, const SessionOptions& options = {}) {
  return plan_with_keeping(pipeline, machine(ratio), four_ranks, options, {turns, 1});
}

TEST(Keeping, ImagesStayOnTheTilesWhereWorkPaysAnyhow) {
  const Plan plan = plan_of(turn(), 20, 1);
  EXPECT_TRUE(stays_on_tiles(plan));
  EXPECT_FALSE(has(plan, StepKind::gather));
  SessionOptions on_root;
  on_root.keep = KeepPlace::root;
  const Plan home = plan_of(turn(), 20, 1, on_root);
  EXPECT_FALSE(stays_on_tiles(home));
  EXPECT_TRUE(has(home, StepKind::gather));
  EXPECT_LT(*plan.predicted_seconds, *home.predicted_seconds);
}

TEST(Keeping, ALoopMayBeWorthWhatATurnIsNot) {
  EXPECT_EQ(plan_of(turn(), 0.5, 1).ranks, 1);
  EXPECT_EQ(plan_of(turn(), 0.5, 2).ranks, 1);
  const Plan plan = plan_of(turn(), 0.5, 100);
  EXPECT_GT(plan.ranks, 1);
  EXPECT_TRUE(stays_on_tiles(plan));
  const Plan next = plan_of(turn(plan.grid), 0.5, 99);
  EXPECT_TRUE(stays_on_tiles(next));
  EXPECT_EQ(next.grid, plan.grid);
  EXPECT_FALSE(has(next, StepKind::scatter));
  EXPECT_TRUE(stays_on_tiles(plan_of(turn(plan.grid), 0.5, 1))) << "nor is what is there brought home for nothing";
}

TEST(Keeping, ThePlanOfALoopTellsOfItsFirstTurn) {
  const double ratio = 0.5;
  const Plan plan = plan_of(turn(), ratio, 100);
  ASSERT_GT(plan.ranks, 1);
  const Plan alone = plan_of(turn(), ratio, 1);
  ASSERT_TRUE(plan.lower_bound_seconds);
  EXPECT_EQ(plan.lower_bound_seconds, alone.predicted_seconds) << "no plan of this turn is faster";
  EXPECT_LT(*plan.lower_bound_seconds, *plan.predicted_seconds) << "later turns pay it back";
  EXPECT_FALSE(plan.proven_optimal);
  const auto one_rank = std::find_if(plan.alternatives.begin(), plan.alternatives.end(),
                                     [](const Alternative& other) { return other.ranks == 1; });
  ASSERT_NE(one_rank, plan.alternatives.end());
  EXPECT_EQ(one_rank->predicted_seconds, alone.predicted_seconds);
  EXPECT_THAT(one_rank->why_not, HasSubstr("of 100 turns, one on average"));
  for (const Alternative& other : plan.alternatives) {
    EXPECT_GE(other.predicted_seconds.value_or(1), *alone.predicted_seconds) << to_string(other.grid);
  }
  double steps_s = 0;
  for (const PlanStep& step : plan.steps) steps_s += *step.predicted_seconds - step.hidden_seconds;
  EXPECT_NEAR(*plan.predicted_seconds, steps_s, 1e-12);
}

/// Halos that a scatter brings along are there for one turn only.
TEST(Keeping, ALoopExchangesWideBordersInEachTurn) {
  const Halo wide{64, 64};
  const double ratio = 0.5;
  EXPECT_EQ(plan_of(turn({}, wide), ratio, 100).ranks, 1) << "borders take longer than all of the work";
  const Plan plan = plan_of(turn({}, wide), 2.5, 100);
  EXPECT_GT(plan.ranks, 1);
  const Plan next = plan_of(turn(plan.grid, wide), 2.5, 99);
  EXPECT_LT(*next.predicted_seconds, *plan_of(turn({}, wide), 2.5, 1).predicted_seconds);
}

TEST(Keeping, ALoopIsPlannedForTheObjective) {
  SessionOptions options;
  options.wishes.objective = Objective::node_hours;
  SearchSpace space = four_ranks;
  space.wishes = options.wishes;
  EXPECT_EQ(plan_with_keeping(turn(), machine(0.5), space, options, {100, 1}).ranks, 1);
}

TEST(Keeping, AForcedChangeOfGridLeavesImagesOnTheRoot) {
  SessionOptions options;
  options.regrid = Regrid::always;
  SearchSpace space = four_ranks;
  space.regrid = Regrid::always;
  auto kept = std::make_shared<const KeptImage>(shape, std::nullopt, nullptr);
  const Image once = test::filter({Image(std::move(kept))}, {.halo = {1, 1}});
  const Pipeline twice = record({{OutputKind::keep, test::filter({once}, {.halo = {1, 1}}), nullptr, nullptr}});
  for (const int turns : {1, 100}) {
    const Plan plan = plan_with_keeping(twice, machine(20), space, options, {turns, 1});
    EXPECT_TRUE(has(plan, StepKind::redistribute));
    EXPECT_FALSE(stays_on_tiles(plan));
  }
  options.keep = KeepPlace::root;
  EXPECT_TRUE(has(plan_with_keeping(twice, machine(20), space, options, {}), StepKind::redistribute));
  options.keep = KeepPlace::tiles;
  EXPECT_THAT([&] { (void)plan_with_keeping(twice, machine(20), space, options, {}); },
              ThrowsMessage<ParameterError>(HasSubstr("--tw-keep=root beside --tw-regrid=always")));
  options.keep.reset();
  EXPECT_THAT([&] { (void)plan_with_keeping(turn(), machine(20), space, options, {}); },
              ThrowsMessage<ParameterError>(HasSubstr("no operator reads what another one has made")));
}

/// What every turn has to distribute is not worth it, however many there are.
TEST(Keeping, WhatIsTheSameInEveryTurnIsDistributedInEach) {
  const auto of_turn = [](int first, int second) {
    const Image one(std::make_shared<const KeptImage>(shape, std::nullopt, nullptr, first));
    const Image other(std::make_shared<const KeptImage>(shape, std::nullopt, nullptr, second));
    return record({{OutputKind::keep, test::filter({one, other}, {.halo = {1, 1}}), nullptr, nullptr}});
  };
  const auto plan = [&](int first, int second) {
    return plan_with_keeping(of_turn(first, second), machine(0.3), four_ranks, {}, {100, 9});
  };
  EXPECT_GT(plan(8, 8).ranks, 1) << "both are of the turn before";
  EXPECT_EQ(plan(8, 0).ranks, 1) << "one is as old as the loop";
}

TEST(Keeping, ForcedItIsAsForced) {
  SessionOptions options;
  options.keep = KeepPlace::tiles;
  options.ranks = 4;
  SearchSpace space = four_ranks;
  space.ranks = 4;
  EXPECT_TRUE(stays_on_tiles(plan_with_keeping(turn(), machine(0.001), space, options, {})));
  EXPECT_FALSE(stays_on_tiles(plan_with_keeping(turn(), machine(0.001), four_ranks, {}, {})));
}

TEST(Keeping, ComesHomeByAGatherAlone) {
  const Image kept(std::make_shared<const KeptImage>(shape, ProcessGrid{2, 2}, nullptr));
  SearchSpace forced = four_ranks;
  forced.ranks = 2;
  forced.grid = GridPattern{1, 2};
  const Plan plan = make_plan(bringing_home(kept), machine(1), space_for_bringing_home(forced), {});
  EXPECT_FALSE(stays_on_tiles(plan));
  EXPECT_EQ(plan.grid, (ProcessGrid{2, 2}));
  ASSERT_EQ(plan.steps.size(), 2U);
  EXPECT_EQ(plan.steps.back().kind, StepKind::gather);
}

TEST(Keeping, StraysAreOnOtherGridsThanTheFirstThatIsAllowed) {
  const auto on = [](const ProcessGrid& grid) {
    return Image(std::make_shared<const KeptImage>(shape, grid, nullptr));
  };
  const Pipeline pipeline = record(
      {{OutputKind::keep, test::filter({on({1, 4}), on({4, 1}), on({1, 4}), on({2, 1})}, {}), nullptr, nullptr}});
  EXPECT_EQ(strays(pipeline, {}), (std::vector<int>{1, 3}));
  SessionOptions options;
  options.grid = GridPattern{4, 0};
  EXPECT_EQ(strays(pipeline, options), (std::vector<int>{0, 2, 3}));
  options.ranks = 8;
  EXPECT_EQ(strays(pipeline, options), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_THROW((void)grid_of_sources(pipeline), ParameterError);
}

TEST(KeptImage, TellsWhereItIs) {
  KeptImage image(shape, ProcessGrid{1, 2}, nullptr);
  EXPECT_EQ(image.describe(), "kept image on 1x2");
  EXPECT_EQ(image.tiled_on(), (ProcessGrid{1, 2}));
  EXPECT_FALSE(image.is_resident());
  EXPECT_THROW((void)image.load({}), InternalError);
  const auto pixels = std::make_shared<const Raster>(shape);
  image.move_to_root(pixels);
  EXPECT_EQ(image.describe(), "kept image");
  EXPECT_FALSE(image.tiled_on());
  EXPECT_EQ(image.load({}).view().bytes_at(0, 0), pixels->view().bytes_at(0, 0));
  Raster part(shape);
  EXPECT_THROW(image.read_part(part.area(), part.view()), InternalError);
}

}  // namespace
}  // namespace tilewright
