// Times where the root has less to compute than the others.
#include "../../scheduler/timeline.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../scheduler/tile_speeds.hpp"
#include "../../scheduler/transition_graph.hpp"
#include "scheduler/planning.hpp"
#include "scheduler/random_pipelines.hpp"

namespace tilewright {
namespace {

using enum TransitionTimes::Form;

/// Fig. 1 of Oliveira and du Buf: eight processors, a part of the array on its way in 1 T, and computed in 10 T.
double figure_1(double computing_on_root) {
  return seconds_of({{from_root, 7, 0, 1}, {each_its_own, 10, computing_on_root}, {to_root, 7, 0, 1}});
}

TEST(Timeline, IsThatOfThePaperWhereAllWorkAlike) {
  EXPECT_DOUBLE_EQ(figure_1(10), 14 + 10);
}

TEST(Timeline, GainsWhatTheRootIsSpared) {
  EXPECT_DOUBLE_EQ(figure_1(5), 7 + 5 + 7) << "the first is ready at 11, the root at 12";
  EXPECT_DOUBLE_EQ(figure_1(1), 1 + 10 + 7) << "the root waits for the first, and then for nobody";
  EXPECT_DOUBLE_EQ(figure_1(0), figure_1(1));
}

TEST(Timeline, WhatTheRootDoesAloneHoldsUpNobodyElse) {
  const std::vector<TransitionTimes> fed{{from_root, 3, 0, 1}, {root_alone, 4}, {each_its_own, 6, 1}};
  EXPECT_DOUBLE_EQ(seconds_of(fed), 9);
  std::vector<TransitionTimes> exchanged = fed;
  exchanged.push_back({together, 2});
  EXPECT_DOUBLE_EQ(seconds_of(exchanged), 11);
}

TransitionTimes random_times(test::Random& random) {
  const TransitionTimes::Form forms[] = {together, each_its_own, root_alone, from_root, to_root};
  const double seconds = random.between(0.01, 1);
  const double root_seconds = seconds * random.between(0.1, 1);
  return {forms[random.below(5)], seconds, root_seconds, seconds / (2 + random.below(6))};
}

TEST(Timeline, TakesNoLessThanItsBounds) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    test::Random random(seed);
    std::vector<TransitionTimes> path;
    for (int i = random.below(10); i >= 0; --i) path.push_back(random_times(random));
    for (const double weight : {0.0, 0.125, 0.5, 1.0}) {
      double bound = 0;
      for (const TransitionTimes& transition : path) bound += least_added_seconds(transition, weight);
      EXPECT_LE(bound, seconds_of(path) + 1e-12) << "seed " << seed << ", weight " << weight;
    }
  }
}

TEST(LessOnRoot, GivesTheRootApartOfItsShare) {
  EXPECT_EQ(to_string(*with_less_on_root({1, 4}, {}, 0.5)), "1x4[1:2:2:2]");
  EXPECT_EQ(to_string(*with_less_on_root({1, 3}, {}, 0.25)), "1x3[1:4:4]");
  EXPECT_FALSE(with_less_on_root({4, 1}, {}, 0.5)) << "columns have to be packed";
  EXPECT_EQ(to_string(*with_less_on_root({1, 4}, std::vector{1.0, 2.0, 2.0, 1.0}, 0.5)), "1x4[1:4:4:2]");
  EXPECT_FALSE(with_less_on_root({2, 2}, {}, 0.5));
  EXPECT_FALSE(with_less_on_root({1, 2}, {}, 0.5));
  EXPECT_FALSE(with_less_on_root({1, 3}, std::vector{4.0, 1.0, 1.0}, 0.5)) << "half of it is still the most";
}

/// To send all tiles takes about as long as to compute one.
const test::SyntheticMachine wire_as_slow_as_work{.latency_s = 1e-6,
                                                  .seconds_per_byte = 2e-8,
                                                  .non_contiguous_factor = 1,
                                                  .seconds_per_value = 1e-6,
                                                  .seconds_per_copied_value = 0};

Pipeline one_filter() {
  return record({test::write(test::filter({test::source({.extent = {200, 200}})}, {.halo = {2, 2}}))});
}

SearchSpace eight_ranks(std::optional<TileSizes> tiles = {}) {
  return {.min_ranks = 8, .max_ranks = 8, .tiles = tiles};
}

double hidden_seconds(const Plan& plan) {
  double sum = 0;
  for (const PlanStep& step : plan.steps) sum += step.hidden_seconds;
  return sum;
}

TEST(LessOnRoot, IsChosenWhereTheRootsMessagesTakeAsLongAsItsWork) {
  const Plan even = test::plan_on(one_filter(), wire_as_slow_as_work, eight_ranks(TileSizes::even));
  const Plan less = test::plan_on(one_filter(), wire_as_slow_as_work, eight_ranks());
  EXPECT_EQ(to_string(less.grid), "1x8[1:2:2:2:2:2:2:2]");
  EXPECT_LT(*less.predicted_seconds, 0.9 * *even.predicted_seconds);
  EXPECT_TRUE(less.proven_optimal);
  double by_themselves = 0;
  for (const PlanStep& step : less.steps) by_themselves += *step.predicted_seconds;
  EXPECT_GT(hidden_seconds(less), 0.1 * by_themselves);
  EXPECT_NEAR(*less.predicted_seconds, by_themselves - hidden_seconds(less), 1e-12);
  EXPECT_EQ(hidden_seconds(even), 0);
  EXPECT_THAT(less.notes, testing::Contains(testing::HasSubstr("the root has less to compute")));
}

TEST(LessOnRoot, IsHonouredOrRefused) {
  const Plan forced = test::plan_on(one_filter(), test::slow_computing, eight_ranks(TileSizes::less_on_root));
  EXPECT_TRUE(root_has_less(forced.grid)) << to_string(forced.grid);
  SearchSpace two = eight_ranks(TileSizes::less_on_root);
  two.min_ranks = two.max_ranks = 2;
  EXPECT_THAT(test::error_of(one_filter(), test::slow_computing, two), testing::HasSubstr("3 to 32 ranks"));
  SearchSpace given = eight_ranks(TileSizes::less_on_root);
  given.grid = parse_grid_pattern("1x8[1:1:1:1:1:1:1:2]");
  EXPECT_THAT(test::error_of(one_filter(), test::slow_computing, given),
              testing::HasSubstr("says how large tiles are"));
}

TEST(LessOnRoot, FeedsTheRanksOneAfterAnother) {
  const TransferSpec spec{
      TransferKind::scatter, Algorithm::oft, parse_grid("1x4[1:2:2:2]"), {{512, 512}, {PixelType::f32, 1}}};
  std::vector<bool> answered;
  for (const Round& round : make_schedule(spec).rounds) answered.push_back(round.front().acknowledged);
  EXPECT_EQ(answered, (std::vector{true, true, false})) << "for the last one nobody waits";
  TransferSpec even = spec;
  even.grid = {1, 4};
  for (const Round& round : make_schedule(even).rounds) EXPECT_FALSE(round.front().acknowledged);
}

}  // namespace
}  // namespace tilewright
