// Exchanges that pass while tiles are computed.
#include "../../scheduler/overlap.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/planning.hpp"

namespace tilewright {
namespace {

using testing::HasSubstr;

constexpr double of_exchange = 0.25;  // is what it adds to work

/// Exchanges take as long as computing does, or so.
MachineProfile machine(bool is_measured = true) {
  const MachineProfile simple =
      test::profile_of({.latency_s = 1e-5, .seconds_per_byte = 1e-7, .seconds_per_value = 1e-7});
  std::vector<PathCell> paths = simple.paths();
  for (const std::int64_t bytes : {0, 1 << 20}) {
    const double seconds = 1e-5 + 1e-7 * static_cast<double>(bytes);
    paths.push_back({Path::shift, Layout::cc, bytes, {seconds, 0, 0}, Packing::blocked});
    if (!is_measured) continue;
    paths.push_back({Path::exposed, Layout::cc, bytes, {of_exchange * seconds, 0, 0}, Packing::blocked});
  }
  return {simple.name(), simple.fingerprint(), paths, simple.operators()};
}

/// Filters one after another, each of which needs what its neighbours have made.
Pipeline chain(Border border = Border::reflect101) {
  Image image = test::source({.extent = {256, 512}});
  for (int i = 0; i < 3; ++i) image = test::filter({image}, {.name = "filter", .halo = {0, 20}, .border = border});
  return record({test::reduce(image)});
}

Plan plan_of(std::optional<bool> overlap, const ProcessGrid& grid = {1, 4}, const MachineProfile& profile = machine()) {
  SearchSpace space{.max_ranks = 4, .grid = GridPattern{grid.x, grid.y}, .in_turn = false, .overlap = overlap};
  space.halo = HaloChoice::shallow;
  return test::plan_on(chain(), profile, space);
}

int overlapped(const Plan& plan) {
  return static_cast<int>(
      std::count_if(plan.steps.begin(), plan.steps.end(), [](const PlanStep& step) { return step.overlapped; }));
}

TEST(Overlap, IsChosenWhereItPays) {
  const Plan waiting = plan_of(false);
  const Plan free = plan_of({});
  EXPECT_EQ(overlapped(waiting), 0);
  EXPECT_EQ(overlapped(free), 3);
  EXPECT_LT(*free.predicted_seconds, *waiting.predicted_seconds);
  for (std::size_t i = 0; i < free.steps.size(); ++i) {
    const PlanStep& step = free.steps[i];
    if (!step.overlapped) continue;
    const double hidden = step.hidden_seconds / *step.predicted_seconds;
    EXPECT_GT(hidden, 0);
    EXPECT_LE(hidden, 1 - of_exchange + 1e-9);
    EXPECT_EQ(free.steps[i + 1].kind, StepKind::compute);
    EXPECT_GE(*free.steps[i + 1].predicted_seconds, *waiting.steps[i + 1].predicted_seconds) << "in parts";
  }
  const std::string notes = ::testing::PrintToString(free.notes);
  EXPECT_THAT(notes, HasSubstr("3 exchanges pass while tiles are computed"));
}

TEST(Overlap, IsOfferedWhereItWasMeasuredOrForced) {
  EXPECT_EQ(overlapped(plan_of({}, {1, 4}, machine(false))), 0);
  const Plan forced = plan_of(true, {1, 4}, machine(false));
  EXPECT_EQ(overlapped(forced), 3);
  for (const PlanStep& step : forced.steps) EXPECT_EQ(step.hidden_seconds, 0) << "nobody knows better";
  EXPECT_TRUE(offers_overlap(machine(), {}));
  EXPECT_FALSE(offers_overlap(machine(), {.overlap = false}));
}

TEST(Overlap, IsOfExchangesInOneDirection) {
  const Pipeline square = record(
      {test::reduce(test::filter({test::source({.extent = {256, 256}})}, {.name = "filter", .halo = {20, 20}}))});
  SearchSpace space{.max_ranks = 4, .grid = GridPattern{2, 2}, .overlap = true};
  space.distribution = Distribution::scatter;
  space.halo = HaloChoice::shallow;
  EXPECT_THAT(test::error_of(square, {.cores_per_node = 1}, space), HasSubstr("corners"));
  space.grid = GridPattern{4, 1};
  EXPECT_EQ(overlapped(test::plan_on(square, machine(), space)), 1);
}

TEST(Overlap, OfACyclicExchangeThereIsNone) {
  SearchSpace space{.max_ranks = 4, .grid = GridPattern{1, 4}, .overlap = true};
  space.distribution = Distribution::scatter;
  const Plan plan = test::plan_on(chain(Border::wrap), machine(), space);
  EXPECT_GT(test::count(plan, StepKind::exchange), 0);
  EXPECT_EQ(overlapped(plan), 0);
}

TEST(Overlap, HidesWhatTheProcessorDoesNotDo) {
  const TransferSpec spec{TransferKind::exchange, {}, {1, 4}, {{256, 512}, {PixelType::f32, 1}}, {0, 20}, {0, 20}};
  EXPECT_NEAR(hidden_part(machine(), spec), 1 - of_exchange, 1e-9);
  EXPECT_EQ(hidden_part(machine(false), spec), 0);
}

TEST(Overlap, OfRanksWithOneNeighbourEachIsWhatWasMeasuredOfSuch) {
  constexpr double of_swap = 0.1;
  const auto with_swaps = [](const MachineProfile& profile) {
    std::vector<PathCell> cells = profile.paths();
    for (const std::int64_t bytes : {0, 1 << 20}) {
      const double seconds = 1e-5 + 1e-7 * static_cast<double>(bytes);
      cells.push_back({Path::swap, Layout::cc, bytes, {seconds, 0, 0}, Packing::blocked});
      cells.push_back({Path::exposed_swap, Layout::cc, bytes, {of_swap * seconds, 0, 0}, Packing::blocked});
    }
    return MachineProfile(profile.name(), profile.fingerprint(), std::move(cells), profile.operators());
  };
  const MachineProfile shifting = machine();
  const MachineProfile swapping = with_swaps(machine(false));
  const MachineProfile both = with_swaps(shifting);
  const auto exchange = [](const ProcessGrid& grid, const Halo& halo) {
    return TransferSpec{TransferKind::exchange, {}, grid, {{256, 512}, {PixelType::f32, 1}}, halo, halo};
  };
  const TransferSpec pairs = exchange({1, 2}, {0, 20});
  const TransferSpec line = exchange({1, 3}, {0, 20});
  EXPECT_NEAR(hidden_part(both, pairs), 1 - of_swap, 1e-9);
  EXPECT_NEAR(hidden_part(both, exchange({2, 4}, {20, 0})), 1 - of_swap, 1e-9) << "pairs along x";
  EXPECT_NEAR(hidden_part(both, line), 1 - of_exchange, 1e-9);
  EXPECT_NEAR(hidden_part(both, exchange({2, 4}, {0, 20})), 1 - of_exchange, 1e-9);
  EXPECT_NEAR(hidden_part(shifting, pairs), 1 - of_exchange, 1e-9) << "all that is known";
  EXPECT_NEAR(hidden_part(swapping, line), 1 - of_swap, 1e-9);
  EXPECT_TRUE(offers_overlap(swapping, {}));
}

}  // namespace
}  // namespace tilewright
