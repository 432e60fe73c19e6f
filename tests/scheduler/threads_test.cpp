// Threads are decided by the plan: of a node's cores each rank at work has its share, and an operator takes as many of
// them as make it faster.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "scheduler/planning.hpp"

namespace tilewright {
namespace {

using test::SyntheticMachine;

/// Cells of "sum" with so many threads: `lost_s` a tile more than an even share.
MachineProfile with_threads(const SyntheticMachine& machine, const std::vector<int>& counts, double lost_s) {
  const MachineProfile profile = test::profile_of(machine);
  std::vector<OperatorCell> cells = profile.operators();
  for (const int threads : counts) {
    for (const double pixels : {64.0 * 64, 1024.0 * 1024}) {
      const double seconds = machine.seconds_per_value / threads + lost_s / pixels;
      cells.push_back({"sum", PixelType::f32, 0, pixels, {seconds, 0, 0}, 1, threads});
    }
  }
  return {profile.name(), profile.fingerprint(), profile.paths(), std::move(cells)};
}

Pipeline one_filter(const Extent& extent) {
  return record({test::write(test::filter({test::source({.extent = extent})}))});
}

const PlanStep& computing(const Plan& plan) {
  return *std::find_if(plan.steps.begin(), plan.steps.end(),
                       [](const PlanStep& step) { return step.kind == StepKind::compute; });
}

const SearchSpace four_cores{.max_ranks = 4, .ranks_per_node = 4, .cores_per_node = 4};

SearchSpace on(int ranks, SearchSpace space = four_cores) {
  space.ranks = ranks;
  return space;
}

TEST(Threads, RanksShareTheCoresOfTheirNode) {
  const Pipeline pipeline = one_filter({64, 64});
  const auto threads = [&](const SearchSpace& space) {
    return test::plan_on(pipeline, test::slow_computing, space).threads;
  };
  EXPECT_EQ(threads(on(1)), 4);
  EXPECT_EQ(threads(on(2)), 2);
  EXPECT_EQ(threads(on(3)), 1);
  EXPECT_EQ(threads(on(4)), 1);
  EXPECT_EQ(threads(on(4, {.max_ranks = 8, .ranks_per_node = 2, .cores_per_node = 4})), 2) << "two nodes";
  EXPECT_EQ(threads(on(4, {.max_ranks = 8, .ranks_per_node = 8, .cores_per_node = 2})), 1) << "more ranks than cores";
  EXPECT_EQ(threads(on(1, {.max_ranks = 4, .ranks_per_node = 4, .cores_per_node = 4, .cores_per_rank = 1})), 1)
      << "bound to a core";
  EXPECT_EQ(threads(on(1, {})), 1) << "nobody has said how many cores there are";
}

TEST(Threads, ForcedOnesAreThoseOfEveryRankAndStep) {
  SearchSpace forced = on(1);
  forced.threads = 3;
  const MachineProfile profile = with_threads({.seconds_per_value = 1e-9}, {4}, 1);
  const Plan plan = test::plan_on(one_filter({64, 64}), profile, forced);
  EXPECT_EQ(plan.threads, 3);
  EXPECT_EQ(threads_of(plan, computing(plan)), 3) << "though one would be faster";
}

TEST(Threads, MakeOneRankAsFastAsItsNode) {
  const SyntheticMachine slow_network{.latency_s = 1, .seconds_per_value = 1e-5};
  const Plan alone = test::plan_on(one_filter({64, 64}), slow_network, {});
  const Plan plan = test::plan_on(one_filter({64, 64}), slow_network, four_cores);
  EXPECT_EQ(plan.ranks, 1);
  EXPECT_NEAR(*computing(plan).predicted_seconds, *computing(alone).predicted_seconds / 4, 1e-12);
}

TEST(Threads, AreFewerWhereWakingThemTakesLonger) {
  constexpr double lost_s = 1e-3;
  const SyntheticMachine machine{.latency_s = 1, .seconds_per_value = 1e-7};
  const MachineProfile profile = with_threads(machine, {4}, lost_s);
  const Plan small = test::plan_on(one_filter({64, 64}), profile, on(1));
  EXPECT_EQ(small.threads, 4);
  EXPECT_EQ(computing(small).threads, 1);
  EXPECT_NEAR(*computing(small).predicted_seconds, 4096 * machine.seconds_per_value, 1e-12);
  const Plan large = test::plan_on(one_filter({1024, 1024}), profile, on(1));
  EXPECT_EQ(computing(large).threads, std::nullopt) << "all of them";
  EXPECT_NEAR(*computing(large).predicted_seconds, 1024 * 1024 * machine.seconds_per_value / 4 + lost_s, 1e-12);
}

TEST(Threads, ReduceTogetherWhereThatIsFaster) {
  constexpr double lost_s = 1e-3;
  const SyntheticMachine machine{.latency_s = 1, .seconds_per_value = 1e-7};
  const MachineProfile profile = with_threads(machine, {4}, lost_s);
  const auto reducing = [&](const Extent& extent) {
    const Image image = test::filter({test::source({.extent = extent})});
    const auto method = std::make_shared<test::TotalReduction>("total", "sum");
    const Pipeline pipeline = record({test::fetch(image), {OutputKind::reduce, image, nullptr, method}});
    const Plan plan = test::plan_on(pipeline, profile, on(1));
    const auto step = std::ranges::find(plan.steps, StepKind::reduce, &PlanStep::kind);
    return std::pair(threads_of(plan, *step), *step->predicted_seconds);
  };
  const auto [one, small_s] = reducing({64, 64});
  EXPECT_EQ(one, 1);
  EXPECT_NEAR(small_s, 4096 * machine.seconds_per_value, 1e-12);
  const auto [four, large_s] = reducing({1024, 1024});
  EXPECT_EQ(four, 4);
  EXPECT_NEAR(large_s, 1024 * 1024 * machine.seconds_per_value / 4 + lost_s, 1e-12);
}

TEST(Threads, MayBeSomeOfThem) {
  const SyntheticMachine machine{.latency_s = 1, .seconds_per_value = 1e-7};
  std::vector<OperatorCell> cells = with_threads(machine, {2}, 0).operators();
  cells.push_back({"sum", PixelType::f32, 0, 4096, {machine.seconds_per_value, 0, 0}, 1, 4});  // memory is the limit
  const MachineProfile profile("m", {}, test::profile_of(machine).paths(), std::move(cells));
  const Plan plan = test::plan_on(one_filter({64, 64}), profile, on(1));
  EXPECT_EQ(computing(plan).threads, 2);
}

TEST(Threads, OfProfilesThatKnowNothingOfThemShareEvenly) {
  const SyntheticMachine machine{.latency_s = 1, .seconds_per_value = 1e-7};
  const Plan plan = test::plan_on(one_filter({8, 8}), machine, on(1));
  EXPECT_EQ(threads_of(plan, computing(plan)), 4);
  EXPECT_NEAR(*computing(plan).predicted_seconds, 64 * machine.seconds_per_value / 4, 1e-15);
}

TEST(Threads, OfAnOperatorThatNobodyHasMeasuredAreAll) {
  const Image in = test::source({.extent = {64, 64}});
  const Pipeline pipeline = record({test::write(test::filter({in}, {.work_keys = {"unheard_of"}}))});
  const Plan plan = test::plan_on(pipeline, test::slow_computing, on(1));
  EXPECT_EQ(threads_of(plan, computing(plan)), 4);
}

TEST(Threads, TakeMemoryEachForItself) {
  const auto bytes = [&](int threads) {
    SearchSpace space = on(1);
    space.threads = threads;
    return test::plan_on(test::filters(), test::slow_computing, space).root_bytes;
  };
  const MachineProfile wakes_slowly = with_threads({.seconds_per_value = 1e-9}, {4}, 1);
  const Plan plan = test::plan_on(test::filters(), wakes_slowly, on(1));
  EXPECT_EQ(computing(plan).threads, 1);
  EXPECT_LE(plan.root_bytes, bytes(4));
}

}  // namespace
}  // namespace tilewright
