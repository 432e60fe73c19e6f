// Transfers through memory that ranks share: when they are offered, what they cost, and what the plan says of them.
#include "../../scheduler/sharing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/planning.hpp"

namespace tilewright {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using testing::HasSubstr;

/// Ranks that share memory have their tiles for next to nothing.
SyntheticMachine sharing_machine() {
  SyntheticMachine machine = slow_computing;
  machine.latency_s = 1e-4;
  machine.sharing_s = 1e-6;
  machine.seconds_per_shared_byte = 1e-12;
  return machine;
}

const PlanStep& step_of(const Plan& plan, StepKind kind) {
  return *std::find_if(plan.steps.begin(), plan.steps.end(), [&](const PlanStep& step) { return step.kind == kind; });
}

int shared_steps(const Plan& plan) {
  return static_cast<int>(std::count_if(plan.steps.begin(), plan.steps.end(),
                                        [](const PlanStep& step) { return step.algorithm == Algorithm::shared; }));
}

TEST(SharedTransfers, GathersHaveTimesOfTheirOwnWhereTheyWereMeasured) {
  std::vector<PathCell> cells;
  for (const Layout layout : {Layout::cc, Layout::nn}) {
    cells.push_back({Path::shared, layout, 0, {1e-6, 0, 0}});
    cells.push_back({Path::shared, layout, 1'000'000, {8e-4, 0, 0}});
  }
  const ImageShape two_parts{{1000, 2000}, {PixelType::u8, 1}};
  const TransferSpec scatter{TransferKind::scatter, Algorithm::shared, {1, 2}, two_parts};
  TransferSpec gather = scatter;
  gather.kind = TransferKind::gather;
  const MachineProfile before("before", {}, cells, {});
  EXPECT_DOUBLE_EQ(sharing_seconds(before, gather).sum(), sharing_seconds(before, scatter).sum());
  cells.push_back({Path::shared_gather, Layout::cc, 0, {2e-6, 0, 0}});
  cells.push_back({Path::shared_gather, Layout::cc, 1'000'000, {3e-4, 0, 0}});
  const MachineProfile since("since", {}, cells, {});
  EXPECT_DOUBLE_EQ(sharing_seconds(since, scatter).sum(), 8e-4);
  EXPECT_DOUBLE_EQ(sharing_seconds(since, gather).sum(), 3e-4);
  EXPECT_DOUBLE_EQ(sharing_seconds(since, gather).synchronisation, 2e-6);
}

/// Of a small image, which is still in the caches when the next run begins, and of one that is not.
TEST(SharedTransfers, CostWhatRepeatedRunsFindInTheCaches) {
  SyntheticMachine machine = sharing_machine();
  machine.seconds_per_shared_byte = 1e-8;
  machine.seconds_per_value = 1e-11;  // in a long run all would be lost
  const MachineProfile known = profile_of(machine);
  std::vector<PathCell> cells = known.paths();
  for (const PathCell& cold : known.paths()) {
    if (cold.path != Path::shared) continue;
    PathCell warm = cold;
    warm.path = Path::shared_warm;
    warm.time.seconds /= 4;
    cells.push_back(warm);
  }
  const MachineProfile profile("warm", known.fingerprint(), cells, known.operators());
  SearchSpace space{.max_ranks = 4, .ranks_per_node = 4, .sharing_ranks = 4, .ranks = 4};
  space.tree = Algorithm::shared;
  const auto gather_s = [&](std::int64_t side, bool is_repeated) {
    const Pipeline pipeline = filters({side, side});
    const Plan plan = is_repeated ? plan_pipeline(pipeline, profile, "", space) : plan_on(pipeline, profile, space);
    return step_of(plan, StepKind::gather).predicted_seconds.value();
  };
  EXPECT_LT(gather_s(256, true), 0.3 * gather_s(256, false));
  EXPECT_DOUBLE_EQ(gather_s(4096, true), gather_s(4096, false));
}

TEST(SharedTransfers, StripsAndColumnsHaveTimesOfTheirOwn) {
  std::vector<PathCell> cells;
  for (const auto& [layout, seconds] : {std::pair{Layout::cc, 1e-4}, {Layout::nn, 4e-4}}) {
    cells.push_back({Path::shared, layout, 0, {1e-6, 0, 0}});
    cells.push_back({Path::shared, layout, 1'000'000, {seconds, 0, 0}});
  }
  const MachineProfile profile("m", {}, cells, {});
  const auto seconds = [&](TransferKind kind, ProcessGrid grid, Halo border) {
    return sharing_seconds(profile, {kind, Algorithm::shared, grid, {{1000, 2000}, {PixelType::u8, 1}}, border}).sum();
  };
  const Halo border{8, 8};
  EXPECT_DOUBLE_EQ(seconds(TransferKind::scatter, {1, 2}, border), 1e-4) << "rows with gaps in the tiles alone";
  EXPECT_DOUBLE_EQ(seconds(TransferKind::gather, {1, 2}, {}), 1e-4);
  EXPECT_DOUBLE_EQ(seconds(TransferKind::scatter, {2, 1}, {}), 4e-4);
  EXPECT_DOUBLE_EQ(seconds(TransferKind::gather, {2, 1}, border), 4e-4);
  EXPECT_LT(seconds(TransferKind::broadcast, {2, 1}, {}), 4e-4) << "all of it";
}

TEST(SharedTransfers, AreChosenWhereTheyAreFasterAndSendNotices) {
  const Plan plan = plan_on(filters(), sharing_machine(), {.max_ranks = 4, .ranks_per_node = 4, .sharing_ranks = 4});
  ASSERT_EQ(plan.ranks, 4);
  EXPECT_EQ(count(plan, StepKind::scatter) + count(plan, StepKind::gather), shared_steps(plan));
  const PlanStep& scatter = step_of(plan, StepKind::scatter);
  EXPECT_EQ(scatter.algorithm, Algorithm::shared);
  EXPECT_EQ(scatter.messages, 2 * 3);
  EXPECT_EQ(scatter.bytes, 0);
  EXPECT_EQ(scatter.layout, "");
  EXPECT_FALSE(scatter.packing);
  EXPECT_NE(step_of(plan, StepKind::reduce).algorithm, Algorithm::shared) << "few bytes go by messages";
  EXPECT_TRUE(plan.proven_optimal);
}

TEST(SharedTransfers, AreNoneWhereAPackingIsForced) {
  SearchSpace space{.max_ranks = 4, .ranks_per_node = 4, .sharing_ranks = 4, .ranks = 4};
  ASSERT_GT(shared_steps(plan_on(filters(), sharing_machine(), space)), 0);
  space.packing = Packing::datatype;
  const Plan plan = plan_on(filters(), sharing_machine(), space);
  EXPECT_EQ(shared_steps(plan), 0);
  EXPECT_EQ(step_of(plan, StepKind::scatter).packing, Packing::datatype);
  space.tree = Algorithm::shared;
  EXPECT_THROW(static_cast<void>(plan_on(filters(), sharing_machine(), space)), ParameterError);
}

TEST(SharedTransfers, TellWhatTheTreesWouldTake) {
  const SearchSpace space{.max_ranks = 4, .ranks_per_node = 4, .sharing_ranks = 4};
  const Plan plan = plan_on(filters(), sharing_machine(), space);
  const PlanStep& scatter = step_of(plan, StepKind::scatter);
  ASSERT_EQ(scatter.rejected.size(), 2U);
  EXPECT_EQ(scatter.rejected[0].algorithm, Algorithm::oft);
  EXPECT_EQ(scatter.rejected[1].algorithm, Algorithm::sbt);
  for (const RejectedAlgorithm& other : scatter.rejected) {
    EXPECT_GT(other.predicted_seconds, scatter.predicted_seconds);
    EXPECT_THAT(other.why_not, HasSubstr("slower: messages"));
  }
  SearchSpace by_messages = space;
  by_messages.grid = GridPattern{plan.grid.x, plan.grid.y};
  by_messages.tree = Algorithm::oft;
  const Plan forced = plan_on(filters(), sharing_machine(), by_messages);
  const PlanStep& gather = step_of(forced, StepKind::gather);
  const auto shared = std::find_if(gather.rejected.begin(), gather.rejected.end(),
                                   [](const RejectedAlgorithm& other) { return other.algorithm == Algorithm::shared; });
  ASSERT_NE(shared, gather.rejected.end());
  EXPECT_LT(shared->predicted_seconds, gather.predicted_seconds);
  EXPECT_THAT(shared->why_not, HasSubstr("forced"));
}

TEST(SharedTransfers, AreRejectedWithTheTermThatMakesThemSlower) {
  SyntheticMachine machine = sharing_machine();
  machine.sharing_s = 0.5;
  const Plan plan = plan_on(filters(), machine, {.max_ranks = 2, .ranks_per_node = 2, .sharing_ranks = 2, .ranks = 2});
  EXPECT_EQ(shared_steps(plan), 0);
  const PlanStep& scatter = step_of(plan, StepKind::scatter);
  EXPECT_EQ(scatter.rejected.back().algorithm, Algorithm::shared);
  EXPECT_THAT(scatter.rejected.back().why_not, HasSubstr("slower: synchronisation 500 ms"));
  machine.sharing_s = 0;
  machine.seconds_per_shared_byte = 1e-4;
  const Plan slow_copies =
      plan_on(filters(), machine, {.max_ranks = 2, .ranks_per_node = 2, .sharing_ranks = 2, .ranks = 2});
  EXPECT_THAT(step_of(slow_copies, StepKind::scatter).rejected.back().why_not, HasSubstr("slower: copies"));
}

TEST(SharedTransfers, AreOfferedNeitherWithoutAMeasurementNorBeyondTheNode) {
  SyntheticMachine machine = sharing_machine();
  const SearchSpace space{.max_ranks = 8, .ranks_per_node = 4, .sharing_ranks = 4, .ranks = 8};
  const Plan beyond = plan_on(filters(), machine, space);
  EXPECT_EQ(shared_steps(beyond), 0);
  EXPECT_THAT(step_of(beyond, StepKind::scatter).rejected.back().why_not, HasSubstr("4 ranks share memory, not 8"));
  EXPECT_FALSE(step_of(beyond, StepKind::scatter).rejected.back().predicted_seconds);
  machine.seconds_per_shared_byte = -1;
  SearchSpace of_node = space;
  of_node.ranks = 4;
  const Plan unmeasured = plan_on(filters(), machine, of_node);
  of_node.sharing_ranks = 1;
  EXPECT_EQ(unmeasured, plan_on(filters(), machine, of_node)) << "an older profile plans as before";
  EXPECT_EQ(shared_steps(unmeasured), 0);
  EXPECT_EQ(step_of(unmeasured, StepKind::scatter).rejected.size(), 1U);
}

TEST(SharedTransfers, AreForcedOrRefused) {
  const SearchSpace space{
      .max_ranks = 8, .ranks_per_node = 4, .sharing_ranks = 4, .ranks = 4, .tree = Algorithm::shared};
  SyntheticMachine machine = sharing_machine();
  machine.sharing_s = 10;  // a bad idea
  const Plan plan = plan_on(filters(), machine, space);
  EXPECT_EQ(shared_steps(plan), count(plan, StepKind::scatter) + count(plan, StepKind::gather));
  EXPECT_GT(shared_steps(plan), 0);
  EXPECT_EQ(count(plan, StepKind::reduce), 1) << "which is messages always";
  SearchSpace of_all = space;
  of_all.ranks = 8;
  EXPECT_THAT(error_of(filters(), machine, of_all), HasSubstr("4 ranks share memory, not 8"));
  SearchSpace of_none = space;
  of_none.sharing_ranks = 1;
  EXPECT_THAT(error_of(filters(), machine, of_none), HasSubstr("no ranks share memory"));
  machine.seconds_per_shared_byte = -1;
  EXPECT_THAT(error_of(filters(), machine, space), HasSubstr("calibrate it again"));
}

/// What is in somebody's memory is copied to where all see it as it is read.
TEST(SharedTransfers, OfImagesInMemoryCostACopyWhichCountsWithReading) {
  const SearchSpace space{
      .max_ranks = 2, .ranks_per_node = 2, .sharing_ranks = 2, .ranks = 2, .tree = Algorithm::shared};
  const auto plan_of = [&](bool resident) {
    const Image in = test::source({.extent = {96, 96}, .resident = resident});
    const Image out = test::filter({in}, {.halo = {3, 3}});
    return plan_on(record({test::write(out, "out.tif")}), sharing_machine(), space);
  };
  const Plan of_file = plan_of(false);
  const Plan of_memory = plan_of(true);
  const double copy_s = 96 * 96 * sharing_machine().seconds_per_copied_value;
  ASSERT_GT(copy_s, 0);
  EXPECT_NEAR(*of_memory.predicted_seconds - *of_file.predicted_seconds, copy_s, 1e-9 * *of_file.predicted_seconds);
  EXPECT_NEAR(
      *step_of(of_memory, StepKind::read).predicted_seconds - *step_of(of_file, StepKind::read).predicted_seconds,
      copy_s, 1e-6 * copy_s);
  EXPECT_NEAR(*step_of(of_memory, StepKind::scatter).predicted_seconds,
              *step_of(of_file, StepKind::scatter).predicted_seconds, 1e-6 * copy_s);
}

TEST(SharedTransfers, CostWhatWasMeasured) {
  const MachineProfile profile = profile_of({.sharing_s = 3e-6, .seconds_per_shared_byte = 2e-9});
  const TransferSpec spec{TransferKind::scatter, Algorithm::shared, {1, 4}, {{64, 64}, {PixelType::f32, 1}}};
  const SharingSeconds seconds = sharing_seconds(profile, spec);
  EXPECT_DOUBLE_EQ(seconds.synchronisation, 3e-6);
  EXPECT_NEAR(seconds.copies, 64 * 16 * 4 * 2e-9, 1e-15);
}

}  // namespace
}  // namespace tilewright
