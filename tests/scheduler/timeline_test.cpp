// Times where the root serves the others in turn.
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

/// Fig. 1 again, on a wire that carries both ways at once.
double both_ways_at_once(double computing, double computing_on_root, double both_ways) {
  return seconds_of({{from_root, 7, 0, 1, 1, both_ways},
                     {each_its_own, computing, computing_on_root},
                     {to_root, 7, 0, 1, 1, both_ways}});
}

TEST(Timeline, CollectsWhileItFeeds) {
  EXPECT_DOUBLE_EQ(both_ways_at_once(0, 0, 1), 1 + 7) << "each tile comes back while the next one leaves";
  EXPECT_DOUBLE_EQ(both_ways_at_once(2, 2, 1), 1 + 2 + 2 + 7) << "but for the time in which the root computes";
  EXPECT_DOUBLE_EQ(both_ways_at_once(2, 0.5, 1), 1 + 2 + 0.5 + 7);
  EXPECT_DOUBLE_EQ(both_ways_at_once(10, 10, 1), 14 + 10) << "nothing is ready before the root is";
  EXPECT_DOUBLE_EQ(both_ways_at_once(0, 0, 0), 14);
  EXPECT_DOUBLE_EQ(both_ways_at_once(0, 0, 0.5), 11) << "half of six parts that come while it sends";
}

TEST(Timeline, CollectsWhileTheRootComputes) {
  const auto collecting = [](double meanwhile) {
    const TransitionTimes computing{each_its_own, 2, 6, 0, 1, 0, meanwhile};
    return seconds_of({{from_root, 7, 0, 1}, computing, {to_root, 7, 0, 1}});
  };
  EXPECT_DOUBLE_EQ(collecting(0), 7 + 6 + 7);
  EXPECT_DOUBLE_EQ(collecting(0.5), 7 + 3 + 7);
  EXPECT_DOUBLE_EQ(collecting(1), 7 + 7) << "the first is ready at 3, but the root still sends";
  const TransitionTimes long_computing{each_its_own, 2, 9, 0, 1, 0, 1};
  EXPECT_DOUBLE_EQ(seconds_of({{from_root, 7, 0, 1}, long_computing, {to_root, 7, 0, 1}}), 7 + 9) << "it has to end";
  const TransitionTimes gather{to_root, 3, 0, 0.5};
  EXPECT_DOUBLE_EQ(seconds_of({{from_root, 7, 0, 1}, long_computing, gather, gather}), 7 + 9)
      << "both came in meanwhile";
  const TransitionTimes exchange{in_a_row, 1, 0, 0, 1.0 / 6};
  EXPECT_DOUBLE_EQ(seconds_of({{from_root, 7, 0, 1}, long_computing, exchange, gather}), 7 + 9 + 1 + 3)
      << "no results come before the exchange";
}

TEST(Timeline, CollectsOneImageAfterTheOther) {
  const TransitionTimes collecting{to_root, 7, 0, 1, 1, 1};
  const TransitionTimes feeding{from_root, 7, 0, 1, 1, 1};
  EXPECT_DOUBLE_EQ(seconds_of({feeding, collecting, collecting}), 1 + 14);
}

TEST(Timeline, NeighboursWaitForEachOtherAndForNobodyElse) {
  const TransitionTimes feeding{from_root, 7, 0, 1, 1, 1};
  const TransitionTimes exchange{in_a_row, 0.25, 0, 0, 1.0 / 6};
  EXPECT_DOUBLE_EQ(seconds_of({feeding, exchange}), 7.25);
  EXPECT_DOUBLE_EQ(seconds_of({feeding, exchange, {to_root, 7, 0, 1, 1, 1}}), 2.25 + 7)
      << "the second has its tile at 2";
}

TransitionTimes random_times(test::Random& random, double both_ways) {
  const TransitionTimes::Form forms[] = {together, each_its_own, in_a_row, root_alone, from_root, to_root};
  const double seconds = random.between(0.01, 1);
  const double root_seconds = seconds * random.between(0.1, 1.2);
  const double gap_part = 1.0 / (1 + random.below(6));
  const double turn_seconds = seconds / (2 + random.below(6));
  const double meanwhile = random.below(2) == 0 ? 0 : random.between(0.1, 1);
  return {forms[random.below(6)], seconds, root_seconds, turn_seconds, gap_part, both_ways, meanwhile};
}

Timeline random_timeline(test::Random& random) {
  const auto some = [&] { return random.between(0.01, 2); };
  return {some(), some(), some(), some(), some()};
}

/// Else label setting could give up the best path.
TEST(Timeline, WhoIsAheadStaysAhead) {
  for (unsigned seed = 1; seed <= 500; ++seed) {
    test::Random random(seed);
    const TransitionTimes transition = random_times(random, random.between(0.01, 1));
    const Timeline early = random_timeline(random);
    const Timeline more = random_timeline(random);
    const Timeline late{early.root + more.root, early.first + more.first, early.last + more.last,
                        early.busy + more.busy, early.open + more.open};
    EXPECT_TRUE(after(early, transition).is_as_early_as(after(late, transition))) << "seed " << seed;
  }
}

TEST(Timeline, TakesNoLessThanItsBounds) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    test::Random random(seed);
    std::vector<TransitionTimes> path;
    const double both_ways = random.between(0.01, 1);
    for (int i = random.below(10); i >= 0; --i) path.push_back(random_times(random, both_ways));
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
  EXPECT_EQ(to_string(*with_less_on_root({1, 4}, {}, 0)), "1x4[0:1:1:1]") << "it only communicates";
  EXPECT_EQ(to_string(*with_less_on_root({1, 4}, std::vector{1.0, 2.0, 2.0, 1.0}, 0)), "1x4[0:2:2:1]");
  EXPECT_FALSE(with_less_on_root({1, 2}, {}, 0));
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
  return record({test::write(test::filter({test::source({.extent = {512, 512}})}, {.halo = {2, 2}}))});
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
  SearchSpace at_once = eight_ranks();
  at_once.in_turn = false;
  const Plan even = test::plan_on(one_filter(), wire_as_slow_as_work, at_once);
  const Plan less = test::plan_on(one_filter(), wire_as_slow_as_work, eight_ranks());
  EXPECT_EQ(to_string(less.grid), "1x8[1:2:2:2:2:2:2:2]");
  EXPECT_LT(*less.predicted_seconds, 0.9 * *even.predicted_seconds);
  EXPECT_TRUE(less.proven_optimal);
  double by_themselves = 0;
  for (const PlanStep& step : less.steps) by_themselves += *step.predicted_seconds;
  EXPECT_GT(hidden_seconds(less), 0.1 * by_themselves);
  EXPECT_NEAR(*less.predicted_seconds, by_themselves - hidden_seconds(less), 1e-12);
  EXPECT_EQ(hidden_seconds(even), 0);
  EXPECT_THAT(less.notes, testing::Contains(testing::HasSubstr("the root serves ranks in turn")));
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

/// Nothing is computed that counts, and what is sent out comes back at once.
Plan plan_of_messages(std::optional<bool> in_turn, double both_ways) {
  const MachineProfile profile = test::profile_of({.latency_s = 1e-6,
                                                   .seconds_per_byte = 1e-8,
                                                   .non_contiguous_factor = 1,
                                                   .seconds_per_value = 1e-12,
                                                   .seconds_per_copied_value = 0});
  std::vector<PathCell> paths = profile.paths();
  const auto add = [&](Path path, double seconds) { paths.push_back({path, Layout::cc, 131072, {seconds, 0, 0}}); };
  add(Path::one_to_all, 1);
  add(Path::all_to_one, 1);
  add(Path::all_to_one_to_all, 2 - both_ways);
  const MachineProfile with_patterns{profile.name(), profile.fingerprint(), paths, profile.operators()};
  SearchSpace space{.ranks = 8, .in_turn = in_turn};
  space.max_ranks = 8;
  return plan_pipeline(one_filter(), with_patterns, *make_cost_model("", with_patterns), space);
}

bool serves_in_turn(const Plan& plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), [](const PlanStep& step) { return step.in_turn; });
}

TEST(InTurn, IsChosenWhereTheLinkCarriesBothWays) {
  const double at_once_s = *plan_of_messages(false, 1).predicted_seconds;
  const Plan both_ways = plan_of_messages({}, 1);
  EXPECT_TRUE(serves_in_turn(both_ways));
  EXPECT_LT(*both_ways.predicted_seconds, 0.7 * at_once_s) << "each tile comes back while the next one leaves";
  const double half_s = *plan_of_messages(true, 0.5).predicted_seconds;
  EXPECT_GT(half_s, *both_ways.predicted_seconds);
  EXPECT_LT(half_s, 0.9 * at_once_s);
  EXPECT_FALSE(serves_in_turn(plan_of_messages({}, 0)));
  EXPECT_FALSE(serves_in_turn(plan_of_messages(false, 1)));
  EXPECT_TRUE(serves_in_turn(plan_of_messages(true, 0)));
}

TEST(InTurn, IsRefusedWhereItCannotBe) {
  SearchSpace space{.in_turn = true};
  space.max_ranks = 2;
  EXPECT_THAT(test::error_of(one_filter(), test::slow_computing, space), testing::HasSubstr("3 to 32 ranks"));
  space.max_ranks = 8;
  space.grid = parse_grid_pattern("8x1");
  EXPECT_THAT(test::error_of(one_filter(), test::slow_computing, space), testing::HasSubstr("feeding ranks in turn"));
  SearchSpace less = eight_ranks(TileSizes::less_on_root);
  less.in_turn = false;
  EXPECT_THAT(test::error_of(one_filter(), test::slow_computing, less), testing::HasSubstr("do not forbid that"));
}

TEST(InTurn, FeedsTheRanksOneAfterAnother) {
  const TransferSpec spec{TransferKind::scatter,
                          Algorithm::oft,
                          {1, 4},
                          {{512, 512}, {PixelType::f32, 1}},
                          {},
                          {},
                          false,
                          Packing::datatype,
                          {},
                          true};
  std::vector<bool> answered;
  for (const Round& round : make_schedule(spec).rounds) answered.push_back(round.front().acknowledged);
  EXPECT_EQ(answered, (std::vector{true, true, false})) << "for the last one nobody waits";
  TransferSpec at_once = spec;
  at_once.in_turn = false;
  for (const Round& round : make_schedule(at_once).rounds) EXPECT_FALSE(round.front().acknowledged);
}

}  // namespace
}  // namespace tilewright
