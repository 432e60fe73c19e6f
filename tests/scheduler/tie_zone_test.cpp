// What a plan's time may be off by, and which plan is chosen among those that cannot be told apart.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../../scheduler/simplicity.hpp"
#include "../../scheduler/uncertainty.hpp"
#include "scheduler/planning.hpp"

namespace tilewright {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using testing::HasSubstr;

/// Half the interquartile range over the standard error of a median of so many samples.
double error_over_spread(std::int64_t samples) {
  return 1.2533 / 0.6745 / std::sqrt(static_cast<double>(samples));
}

/// The machine with a spread of its messages and of its operators, relative to their times.
MachineProfile measured(const SyntheticMachine& machine, double messages, double operators, std::int64_t samples = 25) {
  const MachineProfile exact = test::profile_of(machine);
  std::vector<PathCell> paths = exact.paths();
  for (PathCell& cell : paths) cell.time = {cell.time.seconds, messages * cell.time.seconds, samples};
  std::vector<OperatorCell> cells = exact.operators();
  for (OperatorCell& cell : cells) {
    cell.time_per_unit = {cell.time_per_unit.seconds, operators * cell.time_per_unit.seconds, samples};
  }
  return {"measured", exact.fingerprint(), std::move(paths), std::move(cells)};
}

/// Four ranks compute in half the time of two, and take nearly as much longer to be sent to.
const SyntheticMachine flat{.latency_s = 2e-3, .seconds_per_byte = 1e-8, .seconds_per_value = 1.25e-6};

TEST(Uncertainty, IsNoneWithoutSamples) {
  EXPECT_FALSE(plan_on(filters(), flat, {.max_ranks = 4}).uncertainty_seconds);
}

TEST(Uncertainty, OfStepsThatShareACellIsTheirSum) {
  // Two filters by one cell: twice its error, not the root of two times.
  const MachineProfile profile = measured(slow_computing, 0, 0.1);
  const Image in = test::source();
  const Image a = test::filter({in}, {.name = "a"});
  const Image b = test::filter({a}, {.name = "b"});
  const Plan plan = plan_on(record({test::write(b)}), profile, {.max_ranks = 1});
  ASSERT_TRUE(plan.uncertainty_seconds);
  EXPECT_NEAR(*plan.uncertainty_seconds, 0.1 * error_over_spread(25) * *plan.predicted_seconds,
              1e-9 * *plan.predicted_seconds);
}

TEST(Uncertainty, OfIndependentCellsAddsUpAsSquares) {
  const MachineProfile profile = measured(slow_computing, 0, 0.1);
  const Image in = test::source();
  const auto error_of = [&](const std::vector<OutputRequest>& outputs) {
    return *plan_on(record(outputs), profile, {.max_ranks = 1}).uncertainty_seconds;
  };
  const Image a = test::filter({in}, {.name = "a"});
  const double filtered = error_of({test::write(a)});
  const double totalled = error_of({test::reduce(in)});
  EXPECT_GT(totalled, 0);
  EXPECT_NEAR(error_of({test::write(a), test::reduce(in)}), std::hypot(filtered, totalled), 1e-9 * filtered);
}

TEST(Uncertainty, OfADifferenceLeavesOutWhatIsCommon) {
  EXPECT_DOUBLE_EQ(standard_error({3, 4}), 5);
  EXPECT_DOUBLE_EQ(standard_error_of_difference({3, 4}, {3, 1}), 3);
  EXPECT_DOUBLE_EQ(standard_error_of_difference({3, 4}, {3, 4}), 0);
  EXPECT_DOUBLE_EQ(standard_error({}), 0);
}

TEST(Simplicity, RanksCountFirstThenStridedTransfers) {
  const Complexity few{2, 9, 9, 2};
  const Complexity many{3, 0, 0, 1};
  EXPECT_LT(few, many);
  EXPECT_LT((Complexity{4, 1, 9, 4}), (Complexity{4, 2, 0, 1}));
  EXPECT_LT((Complexity{4, 1, 2, 4}), (Complexity{4, 1, 3, 1}));
  EXPECT_LT((Complexity{4, 1, 2, 1}), (Complexity{4, 1, 2, 2}));
  const Plan plan = plan_on(filters(), slow_computing, {.max_ranks = 4, .grid = GridPattern{2, 2}});
  const Complexity complexity = complexity_of(plan);
  EXPECT_EQ(complexity.ranks, 4);
  EXPECT_EQ(complexity.columns, 2);
  EXPECT_GT(complexity.strided_transfers, 0);
  EXPECT_GE(complexity.transfers, complexity.strided_transfers);
}

TEST(TieZone, IsEmptyWhereNothingScatters) {
  const Plan exact = plan_on(filters(), flat, {.max_ranks = 16});
  EXPECT_FALSE(exact.tie);
  EXPECT_EQ(exact.predicted_seconds, exact.lower_bound_seconds);
}

TEST(TieZone, TheSimplerPlanWinsAndThePlanSaysSo) {
  const Plan exact = plan_on(filters(), flat, {.max_ranks = 16});
  const MachineProfile profile = measured(flat, 0.3, 0.3);
  const Plan plan = plan_on(filters(), profile, {.max_ranks = 16});
  ASSERT_TRUE(plan.tie);
  EXPECT_LT(plan.ranks, exact.ranks);
  EXPECT_EQ(plan.tie->fastest_grid, exact.grid);
  EXPECT_NEAR(plan.tie->fastest_seconds, *exact.predicted_seconds, 1e-12);
  EXPECT_GT(*plan.predicted_seconds, plan.tie->fastest_seconds);
  EXPECT_LE(*plan.predicted_seconds - plan.tie->fastest_seconds, plan.tie->zone_seconds);
  EXPECT_TRUE(plan.proven_optimal) << "the proof is that of the fastest plan";
  EXPECT_NEAR(*plan.lower_bound_seconds, plan.tie->fastest_seconds, 1e-12);
  const Alternative* fastest = alternative(plan, exact.grid);
  ASSERT_NE(fastest, nullptr);
  EXPECT_THAT(fastest->why_not, AllOf(HasSubstr("faster"), HasSubstr("tie zone")));
}

TEST(TieZone, GrowsWithTheSpreadAndShrinksWithTheSamples) {
  int ranks = 17;
  for (const double spread : {0.0, 0.1, 0.3, 1.0}) {
    const Plan plan = plan_on(filters(), measured(flat, spread, spread), {.max_ranks = 16});
    EXPECT_LE(plan.ranks, ranks) << spread;
    ranks = plan.ranks;
  }
  EXPECT_GT(ranks, 1) << "not everything is a tie: what all plans share makes no difference";
  const Plan exact = plan_on(filters(), flat, {.max_ranks = 16});
  EXPECT_EQ(plan_on(filters(), measured(flat, 0.3, 0.3, 100000000), {.max_ranks = 16}).grid, exact.grid);
}

TEST(TieZone, ErrorsThatAllPlansShareMakeNoTie) {
  // Only computing scatters, and twice as many ranks halve it: that is certain, however long one operator takes.
  const SyntheticMachine free_network{
      .latency_s = 0, .seconds_per_byte = 0, .seconds_per_value = 1e-6, .seconds_per_copied_value = 0};
  const Plan plan = plan_on(filters(), measured(free_network, 0, 1), {.max_ranks = 8});
  EXPECT_EQ(plan.ranks, 8);
  EXPECT_GT(*plan.uncertainty_seconds, 0.1 * *plan.predicted_seconds);
}

TEST(TieZone, APlanThatDoesNotFitIsNotChosen) {
  SearchSpace space{.max_ranks = 16, .tiles = TileSizes::even};
  const Plan exact = plan_on(filters(), flat, space);
  const MachineProfile profile = measured(flat, 0.3, 0.3);
  ASSERT_GT(plan_on(filters(), profile, space).root_bytes, exact.root_bytes) << "its tiles are larger";
  space.node_memory = exact.root_bytes;
  const Plan plan = plan_on(filters(), profile, space);
  EXPECT_EQ(plan.grid, exact.grid);
  EXPECT_FALSE(plan.tie);
}

TEST(TieZone, IsTheSameEachTime) {
  const MachineProfile profile = measured(flat, 0.3, 0.3);
  EXPECT_EQ(plan_on(filters(), profile, {.max_ranks = 16}), plan_on(filters(), profile, {.max_ranks = 16}));
}

TEST(TieZone, GivesUpNoMoreThanSimplicityIsWorth) {
  const SyntheticMachine machine{.latency_s = 2e-4, .seconds_per_byte = 1e-8, .seconds_per_value = 3e-7};
  const Plan fastest = plan_on(filters(), machine, {.max_ranks = 8});
  ASSERT_GT(fastest.ranks, 1);
  const Plan plan = plan_on(filters(), measured(machine, 3, 3, 2), {.max_ranks = 8});
  ASSERT_GT(*plan.uncertainty_seconds, *plan.predicted_seconds) << "all plans might be tied";
  EXPECT_LE(*plan.predicted_seconds, 1.05 * *fastest.predicted_seconds);
}

}  // namespace
}  // namespace tilewright
