// What the planner can be forced to, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/planning.hpp"

namespace tilewright {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using testing::AllOf;
using testing::HasSubstr;

TEST(Forced, RanksGridTreeAndDistributionAreHonoured) {
  for (const SyntheticMachine& machine : {slow_network, slow_computing, nothing_costs}) {
    EXPECT_EQ(plan_on(filters(), machine, {.max_ranks = 8, .ranks = 3}).ranks, 3);
    const Plan square = plan_on(filters(), machine, {.max_ranks = 8, .grid = GridPattern{2, 2}});
    EXPECT_EQ(square.grid, (ProcessGrid{2, 2}));
    EXPECT_EQ(plan_on(filters(), machine, {.max_ranks = 8, .ranks = 4, .grid = GridPattern{0, 1}}).grid,
              (ProcessGrid{4, 1}));
    for (const PlanStep& step : square.steps) {
      EXPECT_TRUE(step.kind != StepKind::compute || step.site == Site::tiles) << "forced, so it is done";
    }
    const Plan tree = plan_on(filters(), machine, {.max_ranks = 8, .ranks = 8, .tree = Algorithm::sbt});
    for (const PlanStep& step : tree.steps) EXPECT_NE(step.algorithm, Algorithm::oft);
    const Plan broadcast =
        plan_on(filters(), machine, {.max_ranks = 8, .ranks = 8, .distribution = Distribution::broadcast});
    EXPECT_EQ(count(broadcast, StepKind::broadcast), 1);
    EXPECT_EQ(count(broadcast, StepKind::scatter), 0);
  }
}

/// Long work on one image, then short work on it with many results.
Pipeline long_then_short() {
  const Image made = test::filter({test::source({.extent = {512, 512}})},
                                  {.name = "long", .work_keys = std::vector<std::string>(20, "sum")});
  std::vector<OutputRequest> outputs;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    outputs.push_back(test::write(test::filter({made}, {.name = name}), std::string(name) + ".tif"));
  }
  return record(outputs);
}

int computed_on(const Plan& plan, Site site) {
  return static_cast<int>(std::ranges::count_if(
      plan.steps, [&](const PlanStep& step) { return step.kind == StepKind::compute && step.site == site; }));
}

TEST(Forced, RanksThatPayLeaveToTheRootWhatItDoesBest) {
  const SyntheticMachine machine{.seconds_per_byte = 1e-8};
  const Plan free = plan_on(long_then_short(), machine, {.max_ranks = 8});
  ASSERT_GT(free.ranks, 1);
  ASSERT_EQ(computed_on(free, Site::tiles), 1);
  const Plan forced = plan_on(long_then_short(), machine, {.max_ranks = 8, .ranks = free.ranks});
  EXPECT_EQ(forced.steps, free.steps) << "what the best plan has anyway may be forced";
  for (const SearchSpace& space : {SearchSpace{.max_ranks = 8, .ranks = 8, .grid = GridPattern{0, 0}},
                                   SearchSpace{.max_ranks = 8, .ranks = 8, .tree = Algorithm::oft}}) {
    EXPECT_EQ(computed_on(plan_on(long_then_short(), machine, space), Site::root), 0);
  }
}

TEST(Forced, RanksThatDoNotPayDoAllTheWork) {
  for (const Pipeline& pipeline : {filters(), long_then_short()}) {
    const Plan plan = plan_on(pipeline, slow_network, {.max_ranks = 8, .ranks = 3});
    EXPECT_EQ(plan.ranks, 3);
    EXPECT_EQ(computed_on(plan, Site::root), 0) << "else two of them were there in name only";
  }
}

TEST(Forced, PackingIsHonouredAlsoWhereItsCostIsNotKnown) {
  for (const Packing packing : all_packings) {
    const Plan plan = plan_on(filters(), slow_computing,
                              {.max_ranks = 4,
                               .grid = GridPattern{2, 2},
                               .distribution = Distribution::scatter,
                               .packing = packing,
                               .halo = HaloChoice::shallow});
    EXPECT_GT(count(plan, StepKind::exchange), 0);
    for (const PlanStep& step : plan.steps) EXPECT_EQ(step.packing.value_or(packing), packing);
  }
}

TEST(Forced, PatternLeavesTheOtherSideToTheSearch) {
  const Plan plan = plan_on(filters(), slow_computing, {.max_ranks = 8, .grid = GridPattern{2, 0}});
  EXPECT_EQ(plan.grid, (ProcessGrid{2, 4}));
  for (const Alternative& other : plan.alternatives) EXPECT_EQ(other.grid.x, 2);
}

TEST(Forced, ScatterHoldsAlsoForAnImageThatIsFetched) {
  const Image in = test::source({.extent = {96, 96}});
  const Image out = test::filter({in}, {.halo = {3, 3}});
  const Pipeline pipeline = record({test::write(out), test::fetch(in)});
  const Plan plan =
      plan_on(pipeline, nothing_costs, {.max_ranks = 4, .ranks = 4, .distribution = Distribution::scatter});
  EXPECT_EQ(count(plan, StepKind::scatter), 1);
  EXPECT_EQ(count(plan, StepKind::broadcast), 1) << "for the program";
  SyntheticMachine picky = slow_computing;
  picky.seconds_per_byte = 1e-8;
  picky.non_contiguous_factor = 1e4;
  const Plan held =
      plan_on(pipeline, picky, {.max_ranks = 4, .grid = GridPattern{4, 1}, .distribution = Distribution::scatter});
  EXPECT_EQ(count(held, StepKind::scatter), 1);
}

TEST(Forced, ImpossibleDecisionsAreRefusedWithTheReason) {
  const Pipeline pipeline = filters({96, 96}, {12, 12});
  EXPECT_THAT(error_of(pipeline, slow_computing, {.max_ranks = 16, .grid = GridPattern{16, 1}}),
              AllOf(HasSubstr("16x1"), HasSubstr("6 pixels wide"), HasSubstr("12"), HasSubstr("at most 8 columns")));
  EXPECT_THAT(error_of(pipeline, slow_computing, {.max_ranks = 8, .ranks = 9}),
              AllOf(HasSubstr("9 ranks"), HasSubstr("8")));
  EXPECT_THAT(error_of(pipeline, slow_computing, {.max_ranks = 8, .grid = GridPattern{3, 3}}),
              AllOf(HasSubstr("3x3"), HasSubstr("9 ranks"), HasSubstr("8")));
  EXPECT_THAT(error_of(pipeline, slow_computing, {.max_ranks = 8, .ranks = 6, .grid = GridPattern{4, 0}}),
              AllOf(HasSubstr("6 ranks"), HasSubstr("4x*")));
  EXPECT_THAT(error_of(pipeline, slow_computing, {.max_ranks = 8, .grid = GridPattern{40, 0}}),
              AllOf(HasSubstr("1 to 8"), HasSubstr("40x*")));
}

TEST(Forced, ImpossibleSpacesAreRefused) {
  EXPECT_THAT(error_of(filters(), slow_computing, {.max_ranks = 0}), HasSubstr("1..0"));
  EXPECT_THAT(error_of(filters(), slow_computing, {.min_ranks = 5, .max_ranks = 4}), HasSubstr("5..4"));
  EXPECT_THAT(error_of(filters(), slow_computing, {.threads = 0}), HasSubstr("0 threads"));
  EXPECT_THAT(error_of(filters(), slow_computing, {.ranks_per_node = 0}), HasSubstr("0 ranks a node"));
}

TEST(Forced, HalosHaveTwoNames) {
  EXPECT_EQ(parse_halo_choice("shallow"), HaloChoice::shallow);
  EXPECT_EQ(parse_halo_choice("deep"), HaloChoice::deep);
  EXPECT_THROW(static_cast<void>(parse_halo_choice("none")), ParameterError);
}

TEST(Forced, DistributionHasTwoNames) {
  EXPECT_EQ(parse_distribution("scatter"), Distribution::scatter);
  EXPECT_EQ(parse_distribution("broadcast"), Distribution::broadcast);
  EXPECT_THROW(static_cast<void>(parse_distribution("pigeon")), ParameterError);
}

}  // namespace
}  // namespace tilewright
