// What the planner chooses, what its plans say, and what memory forbids.
#include "tilewright/scheduler/planner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "scheduler/planning.hpp"

namespace tilewright {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using testing::AllOf;
using testing::HasSubstr;

// --- choices ---

TEST(Planner, RunsOnOneRankWhereTheNetworkIsSlow) {
  const Plan plan = plan_on(filters(), slow_network, {.max_ranks = 8});
  EXPECT_EQ(plan.ranks, 1);
  EXPECT_TRUE(plan.proven_optimal);
  EXPECT_EQ(count(plan, StepKind::scatter) + count(plan, StepKind::gather) + count(plan, StepKind::broadcast), 0);
  const std::size_t grids = 2 + 2 + 3 + 2 + 4 + 2 + 4;
  const std::size_t in_turn = 3 * 6;  // row strips of 3 to 8 ranks, even, with less on the root and with nothing on it
  EXPECT_EQ(plan.alternatives.size(), grids + in_turn) << "every other grid is told of";
  for (const Alternative& other : plan.alternatives) {
    EXPECT_GT(*other.predicted_seconds, 3) << "several ranks work on tiles, and pay for it: " << to_string(other.grid);
  }
}

TEST(Planner, TakesAllRanksWhereComputingIsSlow) {
  const Plan plan = plan_on(filters(), slow_computing, {.max_ranks = 8});
  EXPECT_EQ(plan.ranks, 8);
  EXPECT_EQ(plan.machine, "synthetic");
  EXPECT_EQ(plan.model, "p3pc");
  ASSERT_TRUE(plan.predicted_seconds);
  const Alternative* alone = alternative(plan, {1, 1});
  ASSERT_NE(alone, nullptr);
  EXPECT_NEAR(*alone->predicted_seconds, 5 * 96 * 96 * 1e-5, 1e-9) << "a, b, c of two images, and the total";
  EXPECT_THAT(alone->why_not, HasSubstr("slower"));
  EXPECT_GT(*alone->predicted_seconds, 6 * *plan.predicted_seconds);
}

/// Five results of one image: of five parts of the bytes that all ranks get, one has to be sent.
Pipeline five_for_all() {
  const Image in = test::source({.extent = {96, 96}});
  std::vector<OutputRequest> outputs;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    outputs.push_back(test::fetch(test::filter({in}, {.name = name, .halo = {3, 3}})));
  }
  return record(outputs);
}

const SyntheticMachine dear_bytes{.seconds_per_byte = 1e-6, .seconds_per_value = 1e-9};

int computed_everywhere(const Plan& plan) {
  return static_cast<int>(std::ranges::count(plan.steps, Site::everywhere, &PlanStep::site));
}

TEST(Planner, ComputesOnAllRanksWhatAllOfThemGet) {
  SearchSpace space{.max_ranks = 4, .started_ranks = 4};
  const Plan plan = plan_on(five_for_all(), dear_bytes, space);
  EXPECT_EQ(plan.ranks, 4);
  EXPECT_EQ(computed_everywhere(plan), 5);
  EXPECT_EQ(count(plan, StepKind::broadcast), 1);
  EXPECT_TRUE(plan.proven_optimal);
  EXPECT_EQ(plan.lower_bound_seconds, plan.predicted_seconds);
  space.everywhere = false;
  const Plan sent = plan_on(five_for_all(), dear_bytes, space);
  EXPECT_EQ(computed_everywhere(sent), 0);
  EXPECT_GT(*sent.predicted_seconds, 2 * *plan.predicted_seconds);
  EXPECT_TRUE(sent.proven_optimal);
}

TEST(Planner, ComputesOnTilesWhatTakesLongThoughAllRanksGetIt) {
  const Plan plan = plan_on(five_for_all(), slow_computing, {.max_ranks = 4, .started_ranks = 4});
  EXPECT_EQ(computed_everywhere(plan), 0);
  EXPECT_EQ(plan.ranks, 4);
}

TEST(Planner, ComputesOnAllRanksOnlyWhereNoneIsLeftIdle) {
  EXPECT_EQ(computed_everywhere(plan_on(five_for_all(), dear_bytes, {.max_ranks = 4, .started_ranks = 5})), 0);
}

TEST(Planner, ComputesOnTilesWhereThatIsForced) {
  for (SearchSpace space : {SearchSpace{.max_ranks = 4, .grid = GridPattern{2, 2}},
                            {.max_ranks = 4, .tree = Algorithm::oft},
                            {.max_ranks = 4, .distribution = Distribution::broadcast}}) {
    EXPECT_EQ(computed_everywhere(plan_on(five_for_all(), dear_bytes, space)), 0);
  }
}

TEST(Planner, ComputesOnAllRanksInTheTimeOfTheSlowestAndOfTheFullestNode) {
  const auto computing_s = [](SearchSpace space, int cores_per_node = 0) {
    space.max_ranks = space.started_ranks = 3;
    SyntheticMachine machine = dear_bytes;
    machine.cores_per_node = cores_per_node;
    const Plan plan = plan_on(five_for_all(), machine, space);
    EXPECT_EQ(computed_everywhere(plan), 5);
    return *std::ranges::find(plan.steps, Site::everywhere, &PlanStep::site)->predicted_seconds;
  };
  const double alike_s = computing_s({});
  EXPECT_NEAR(computing_s({.rank_speeds = {4, 2, 3}}), alike_s / 2, 1e-12);
  EXPECT_NEAR(computing_s({.rank_speeds = {4, 2}}), alike_s, 1e-12);
  EXPECT_NEAR(computing_s({.ranks_per_node = 3}, 1), 3 * alike_s, 1e-12);
  EXPECT_NEAR(computing_s({.ranks_per_node = 1}, 1), alike_s, 1e-12);
}

TEST(Planner, PacksByHandWhereBlocksAreDear) {
  const MachineProfile lines = test::profile_of(slow_computing);
  std::vector<PathCell> cells = lines.paths();
  for (const Path path : all_paths) {
    for (const Layout layout : {Layout::nc, Layout::cn}) {
      for (const std::int64_t block : {8, 1024}) {
        const double contiguous = lines.path_seconds(path, Layout::cc, 16384);
        const double blocks_s = 16384.0 / static_cast<double>(block) * 1e-6;
        cells.push_back({path, layout, 16384, {contiguous + blocks_s, 0, 1}, Packing::datatype, block, 2 * block});
        cells.push_back({path, layout, 16384, {contiguous + 1e-5, 0, 1}, Packing::manual, block, 2 * block});
      }
    }
  }
  const MachineProfile profile("blocks", {}, cells, lines.operators());
  const auto packings = [&](const GridPattern& grid, StepKind kind) {
    std::set<Packing> found;
    for (const PlanStep& step :
         plan_on(filters({96, 2048}), profile, {.max_ranks = 8, .grid = grid, .distribution = Distribution::scatter})
             .steps) {
      if (step.kind == kind && step.packing) found.insert(*step.packing);
    }
    return found;
  };
  EXPECT_EQ(packings({8, 1}, StepKind::exchange), std::set{Packing::manual}) << "columns of three values";
  EXPECT_EQ(packings({1, 8}, StepKind::exchange), std::set{Packing::datatype})
      << "rows: nothing to pack, and the simpler wins";
}

TEST(Planner, PricesTheSpeedUpOfComputingExactly) {
  const Image in = test::source({.extent = {64, 64}});
  const Pipeline pipeline = record({test::write(test::filter({in}))});
  const SyntheticMachine machine{
      .latency_s = 0, .seconds_per_byte = 0, .seconds_per_value = 1e-3, .seconds_per_copied_value = 0};
  for (const int ranks : {1, 2, 4, 8}) {
    const Plan plan = plan_on(pipeline, machine, {.max_ranks = 8, .ranks = ranks});
    EXPECT_NEAR(*plan.predicted_seconds, 64 * 64 * 1e-3 / ranks, 1e-9);
  }
  const Plan threaded = plan_on(pipeline, machine, {.max_ranks = 1, .threads = 2});
  EXPECT_NEAR(*threaded.predicted_seconds, 64 * 64 * 1e-3 / 2, 1e-9);
}

TEST(Planner, CountsOtherwiseWhatNobodyHasMeasured) {
  const Image in = test::source({.extent = {64, 64}});
  const auto seconds = [&](const test::SumFilter::Options& options) {
    return plan_on(record({test::write(test::filter({in}, options))}), slow_computing, {.max_ranks = 1})
        .predicted_seconds;
  };
  const auto known = seconds({});
  ASSERT_TRUE(known);
  EXPECT_EQ(seconds({.work_keys = {"unheard_of"}, .otherwise = "sum"}), known);
  EXPECT_EQ(seconds({.work_keys = {"sum"}, .otherwise = "unheard_of"}), known);
  EXPECT_FALSE(seconds({.work_keys = {"unheard_of"}, .otherwise = "unheard_of_too"}));
}

TEST(Planner, TakesNoMoreOffAnOperatorThanMeasurementsCanTell) {
  const MachineProfile synthetic = test::profile_of(slow_computing);
  const auto seconds = [&](double taken_off_s) {
    const std::vector<OperatorCell> cells{{"sum", PixelType::f32, 0, 4096, {3e-6, 0, 0}},
                                          {"part", PixelType::f32, 0, 4096, {taken_off_s, 0, 0}}};
    const MachineProfile profile("parts", {}, synthetic.paths(), cells);
    const Image image = test::filter({test::source({.extent = {64, 64}})}, {.taken_off = "part"});
    return *plan_on(record({test::write(image)}), profile, {.max_ranks = 1}).predicted_seconds;
  };
  EXPECT_NEAR(seconds(2e-6), 64 * 64 * 1e-6, 1e-9);
  EXPECT_NEAR(seconds(2.9e-6), 64 * 64 * 0.6e-6, 1e-9);
  EXPECT_NEAR(seconds(9e-6), 64 * 64 * 0.6e-6, 1e-9) << "a noisy cell makes no time below nothing";
}

TEST(Planner, PricesPiecesByTheirSize) {
  const MachineProfile synthetic = test::profile_of(slow_computing);
  const std::vector<OperatorCell> cells{{"sum", PixelType::f32, 0, 256, {1e-6, 0, 0}},
                                        {"sum", PixelType::f32, 0, 4096, {3e-6, 0, 0}}};
  const MachineProfile profile("caches", {}, synthetic.paths(), cells);
  const auto seconds = [&](double piece) {
    const Image image = test::filter({test::source({.extent = {64, 64}})}, {.piece = piece});
    return *plan_on(record({test::write(image)}), profile, {.max_ranks = 1}).predicted_seconds;
  };
  EXPECT_NEAR(seconds(0), 64 * 64 * 3e-6, 1e-9);
  EXPECT_NEAR(seconds(256), 64 * 64 * 1e-6, 1e-9);
}

TEST(Planner, PaysForTheBorderOfAnImageOnce) {
  const Image in = test::source({.extent = {64, 32}});
  const Image a = test::filter({in}, {.name = "a", .halo = {3, 2}});
  const Image b = test::filter({in}, {.name = "b", .halo = {3, 2}});
  const Pipeline pipeline = record({test::write(a, "a.tif"), test::write(b, "b.tif")});
  SyntheticMachine machine = slow_computing;
  const double without_s = *plan_on(pipeline, machine, {.max_ranks = 1}).predicted_seconds;
  machine.keys.emplace_back("fill_border");
  const double with_s = *plan_on(pipeline, machine, {.max_ranks = 1}).predicted_seconds;
  EXPECT_NEAR(with_s - without_s, (2 * 3 * 32 + 2 * 2 * (64 + 2 * 3)) * 1e-5, 1e-9);
}

/// Reads and writes are steps, too, wherever they are; transfers are not asked for it.
TEST(Planner, PaysForEachStepBesideItsWork) {
  SyntheticMachine machine = slow_computing;
  for (const int ranks : {1, 4}) {
    machine.step_s = 0;
    const Plan without = plan_on(filters(), machine, {.max_ranks = 4, .ranks = ranks});
    machine.step_s = 1e-5;
    const Plan with = plan_on(filters(), machine, {.max_ranks = 4, .ranks = ranks});
    const int steps = count(with, StepKind::read) + count(with, StepKind::compute) + count(with, StepKind::write) +
                      count(with, StepKind::reduce);
    EXPECT_EQ(steps, 1 + 3 + 2 + 1);
    EXPECT_NEAR(*with.predicted_seconds - *without.predicted_seconds, steps * 1e-5, 1e-9) << ranks;
  }
}

TEST(Planner, RanksThatShareCoresTakeTurns) {
  SyntheticMachine machine = slow_computing;
  machine.cores_per_node = 2;
  const Plan shared = plan_on(filters(), machine, {.max_ranks = 8, .ranks_per_node = 8, .halo = HaloChoice::shallow});
  const Plan apart = plan_on(filters(), machine, {.max_ranks = 8, .ranks_per_node = 2, .halo = HaloChoice::shallow});
  EXPECT_EQ(apart.ranks, 8);
  EXPECT_EQ(shared.ranks, 2);
  EXPECT_GT(*shared.predicted_seconds, 2 * *apart.predicted_seconds);
}

TEST(Planner, BroadcastsWhereThatIsCheaper) {
  SyntheticMachine machine = slow_computing;
  machine.seconds_per_byte = 1e-8;
  machine.non_contiguous_factor = 1e4;
  const SearchSpace space{.max_ranks = 4, .grid = GridPattern{4, 1}};
  const Plan plan = plan_on(filters(), machine, space);
  EXPECT_EQ(count(plan, StepKind::broadcast), 1);
  EXPECT_EQ(count(plan, StepKind::scatter) + count(plan, StepKind::exchange), 0) << "the halo comes along";
  machine.non_contiguous_factor = 1;
  EXPECT_EQ(count(plan_on(filters(), machine, space), StepKind::broadcast), 0);
}

/// Small filters one after another.
Pipeline chain_of_filters(const Extent& extent, int filters, const Halo& halo) {
  Image image = test::source({.extent = extent});
  for (int i = 0; i < filters; ++i) image = test::filter({image}, {.name = "f" + std::to_string(i), .halo = halo});
  return record({test::write(image, "out.tif")});
}

/// 100 Mbit/s, a millisecond a message, and the processors of that time.
const SyntheticMachine slow_wire{.latency_s = 1e-3,
                                 .seconds_per_byte = 8e-8,
                                 .non_contiguous_factor = 1.05,
                                 .seconds_per_value = 2e-7,
                                 .seconds_per_copied_value = 1e-9};

TEST(Planner, OneDeepHaloServesAChainWhereMessagesAreDear) {
  const Pipeline pipeline = chain_of_filters({256, 256}, 10, {1, 1});
  const SearchSpace space{.max_ranks = 8};
  SearchSpace shallow = space;
  shallow.halo = HaloChoice::shallow;
  const Plan plan = plan_on(pipeline, slow_wire, space);
  const Plan without = plan_on(pipeline, slow_wire, shallow);
  EXPECT_TRUE(plan.proven_optimal);
  EXPECT_EQ(count(without, StepKind::exchange), 10);
  EXPECT_LE(count(plan, StepKind::exchange), 2);
  EXPECT_LT(*plan.predicted_seconds, 0.9 * *without.predicted_seconds);
  for (const PlanStep& step : without.steps) EXPECT_TRUE(step.margin.empty());
}

TEST(Planner, ExchangesEachHaloWhereComputingIsDear) {
  const SyntheticMachine machine{.latency_s = 1e-7, .seconds_per_byte = 1e-10, .seconds_per_value = 1e-5};
  const Plan plan = plan_on(chain_of_filters({256, 256}, 10, {1, 1}), machine, {.max_ranks = 8, .ranks = 8});
  for (const PlanStep& step : plan.steps) EXPECT_TRUE(step.margin.empty());
  EXPECT_GE(count(plan, StepKind::exchange), 9) << "the first halo may come with the scatter";
}

TEST(Planner, ForcedDeepHalosNeedNoExchange) {
  const Plan plan = plan_on(
      chain_of_filters({64, 64}, 5, {2, 1}), slow_computing,
      {.max_ranks = 4, .grid = GridPattern{2, 2}, .distribution = Distribution::scatter, .halo = HaloChoice::deep});
  EXPECT_EQ(count(plan, StepKind::exchange), 0);
  std::vector<Halo> margins;
  for (const PlanStep& step : plan.steps) {
    if (step.kind == StepKind::compute) margins.push_back(step.margin);
  }
  ASSERT_EQ(plan.steps[1].kind, StepKind::scatter);
  EXPECT_EQ(plan.steps[1].exchanged, (Halo{10, 5}));
  EXPECT_EQ(plan.images[0].storage_halo, (Halo{10, 5}));
  EXPECT_EQ(margins, (std::vector<Halo>{{8, 4}, {6, 3}, {4, 2}, {2, 1}, {0, 0}}));
}

TEST(Planner, HalosAreDeepInTheDirectionsThatAreCutOnly) {
  const Plan plan = plan_on(
      chain_of_filters({64, 64}, 5, {2, 1}), slow_computing,
      {.max_ranks = 4, .grid = GridPattern{1, 4}, .distribution = Distribution::scatter, .halo = HaloChoice::deep});
  EXPECT_EQ(plan.images[0].storage_halo, (Halo{2, 5}));
  EXPECT_EQ(plan.steps[2].margin, (Halo{0, 4}));
}

TEST(Planner, WrappedBordersKeepTheirExchange) {
  Image image = test::source({.extent = {64, 64}});
  for (int i = 0; i < 3; ++i) {
    image = test::filter({image}, {.name = std::to_string(i), .halo = {1, 1}, .border = Border::wrap});
  }
  const Plan plan =
      plan_on(record({test::write(image)}), slow_wire,
              {.max_ranks = 4, .ranks = 4, .distribution = Distribution::scatter, .halo = HaloChoice::deep});
  EXPECT_EQ(count(plan, StepKind::exchange), 3);
  for (const PlanStep& step : plan.steps) EXPECT_TRUE(step.margin.empty());
}

TEST(Planner, FollowsTheModel) {
  const MachineProfile profile = test::profile_of({.seconds_per_byte = 1e-8, .non_contiguous_factor = 50});
  const Pipeline pipeline = filters();
  const Plan p3pc = plan_pipeline(pipeline, profile, *make_cost_model("p3pc", profile), {.max_ranks = 4, .ranks = 4});
  const Plan loggp =
      plan_pipeline(pipeline, profile, *make_cost_model("loggp-star", profile), {.max_ranks = 4, .ranks = 4});
  EXPECT_EQ(p3pc.grid, (ProcessGrid{1, 4})) << "rows are contiguous";
  EXPECT_EQ(loggp.model, "loggp-star");
  EXPECT_LT(*loggp.predicted_seconds, *p3pc.predicted_seconds) << "LogGP* does not see non-contiguous data";
}

TEST(Planner, BreaksTiesByTheStatedRule) {
  EXPECT_EQ(plan_on(filters(), nothing_costs, {.max_ranks = 8}).ranks, 1);
  const Plan plan = plan_on(filters(), nothing_costs, {.max_ranks = 8, .ranks = 6});
  EXPECT_EQ(plan.grid, (ProcessGrid{1, 6}));
  EXPECT_EQ(count(plan, StepKind::broadcast), 0);
  EXPECT_EQ(count(plan, StepKind::scatter), 1);
  for (const PlanStep& step : plan.steps) EXPECT_NE(step.algorithm, Algorithm::sbt);
  EXPECT_EQ(alternative(plan, {2, 3})->why_not, "equal time; the simpler configuration wins");
}

TEST(Planner, IsDeterministic) {
  for (const SyntheticMachine& machine : {slow_network, slow_computing, nothing_costs}) {
    EXPECT_EQ(plan_on(filters(), machine, {.max_ranks = 12}), plan_on(filters(), machine, {.max_ranks = 12}));
  }
}

TEST(Planner, LeavesRanksIdleThatTheImageHasNoPixelsFor) {
  const Plan plan = plan_on(filters({3, 2}, {0, 0}), slow_computing, {.max_ranks = 16});
  EXPECT_EQ(plan.ranks, 6);
  EXPECT_THAT(alternative(plan, {4, 2})->why_not, AllOf(HasSubstr("4x2"), HasSubstr("at most 3 columns")));
  EXPECT_EQ(plan_on(filters({1, 1}, {4, 4}), slow_computing, {.max_ranks = 16}).ranks, 1);
}

TEST(Planner, PlansAReadThatIsOnlyWritten) {
  const Plan plan = plan_on(record({test::write(test::source())}), slow_computing, {.max_ranks = 4});
  EXPECT_EQ(plan.ranks, 1);
  EXPECT_EQ(plan.steps.size(), 2U);
}

/// One rank has it anyway; of two that share the work each passes its tile on, unless a tree is forced.
TEST(Planner, FetchesOnOneRankWithoutAnyMessage) {
  const Image image = test::filter({test::source()}, {.halo = {1, 1}});
  const Plan alone = plan_on(record({test::fetch(image)}), slow_computing, {.max_ranks = 1});
  EXPECT_EQ(alone.steps.size(), 2U);
  SearchSpace space{.max_ranks = 2, .ranks = 2, .distribution = Distribution::scatter};
  const Plan two = plan_on(record({test::fetch(image)}), slow_computing, space);
  EXPECT_EQ(count(two, StepKind::allgather), 1);
  EXPECT_EQ(two.steps.back().kind, StepKind::allgather);
  ASSERT_EQ(two.steps.back().rejected.size(), 2U) << "a gather and a broadcast by either tree";
  for (const RejectedAlgorithm& tree : two.steps.back().rejected) {
    EXPECT_GT(tree.predicted_seconds.value(), two.steps.back().predicted_seconds.value());
    EXPECT_THAT(tree.why_not, testing::HasSubstr("slower: gather"));
  }
  space.tree = Algorithm::sbt;
  const Plan by_tree = plan_on(record({test::fetch(image)}), slow_computing, space);
  EXPECT_EQ(count(by_tree, StepKind::gather), 1);
  EXPECT_EQ(by_tree.steps.back().kind, StepKind::broadcast);
}

/// Who does not take part gets it by a broadcast alone.
TEST(Planner, GathersOnAllRanksOnlyWhereNoneIsLeftIdle) {
  const Image image = test::filter({test::source()}, {.halo = {1, 1}});
  SearchSpace space{.max_ranks = 4, .ranks = 2, .distribution = Distribution::scatter};
  space.started_ranks = 4;
  const Plan plan = plan_on(record({test::fetch(image)}), slow_computing, space);
  EXPECT_EQ(count(plan, StepKind::allgather), 0);
  EXPECT_EQ(count(plan, StepKind::broadcast), 1);
}

TEST(Planner, PlansABankOfFiltersThatLiveTogether) {
  const Image in = test::source();
  std::vector<Image> bank;
  std::vector<OutputRequest> outputs;
  for (int i = 0; i < 36; ++i) {
    bank.push_back(test::filter({in}, {.name = "filter" + std::to_string(i), .halo = {3, 3}}));
    outputs.push_back(test::reduce(bank.back()));
  }
  outputs.push_back(test::write(test::filter(bank, {.name = "sum"})));
  const Plan plan = plan_on(record(outputs), slow_computing, {.max_ranks = 6});
  EXPECT_EQ(plan.ranks, 6);
  EXPECT_FALSE(plan.proven_optimal);
  EXPECT_LE(*plan.lower_bound_seconds, *plan.predicted_seconds);
  EXPECT_THAT(plan.notes, testing::Contains(AllOf(HasSubstr("20000 states"), HasSubstr("% above the bound"))));
  EXPECT_GT(*plan.lower_bound_seconds, 0.95 * *plan.predicted_seconds);
}

// --- what a plan says ---

TEST(Plan, TellsWhyGridsAreInfeasible) {
  const Image wide = test::filter({test::source({.extent = {96, 40}})}, {.name = "wide", .halo = {12, 12}});
  const Plan plan = plan_on(record({test::write(wide)}), slow_computing, {.max_ranks = 8});
  const Alternative* rows = alternative(plan, {1, 8});
  ASSERT_NE(rows, nullptr);
  EXPECT_FALSE(rows->predicted_seconds);
  EXPECT_THAT(rows->why_not, AllOf(HasSubstr("wide: grid 1x8"), HasSubstr("5 pixels high"), HasSubstr("12")));
}

TEST(Plan, SaysWhatIsNotCounted) {
  const Image in = test::source();
  const Image odd = test::filter({in}, {.name = "odd", .work_keys = {"unmeasured"}});
  const Plan plan =
      plan_on(record({test::write(odd), test::write(test::filter({odd}))}), slow_computing, {.max_ranks = 1});
  EXPECT_FALSE(plan.predicted_seconds);
  EXPECT_THAT(plan.notes, testing::Contains(AllOf(HasSubstr("odd"), HasSubstr("synthetic"))));
  EXPECT_THAT(plan.notes, testing::Contains(HasSubstr("memory of a node is not known")));
  EXPECT_THAT(plan.notes, testing::Contains(HasSubstr("how many cores")));
}

TEST(Plan, NeedsOperatorCosts) {
  const MachineProfile das = test::das_profile();
  try {
    static_cast<void>(plan_on(filters(), das, {.max_ranks = 4}));
    FAIL();
  } catch (const ParameterError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("das"), HasSubstr("--operators-from")));
  }
  const Plan plan = plan_on(filters(), das.with_operators_from(test::profile_of(slow_computing)), {.max_ranks = 4});
  EXPECT_GT(*plan.predicted_seconds, 0);
}

TEST(Plan, OfOneRankNeedsNoCostsOfMessages) {
  const MachineProfile alone("alone", {}, {}, test::profile_of({}).operators());
  EXPECT_EQ(plan_on(filters(), alone, {.max_ranks = 1}).ranks, 1);
}

TEST(Plan, CountsWithARefreshAndTellsOfIt) {
  const MachineProfile calibrated = test::profile_of(slow_computing);
  const MachineProfile slower = calibrated.with_refresh({1.5, "2026-11-27T10:00:00Z"});
  const Plan before = plan_on(filters(), calibrated, {.max_ranks = 1});
  const Plan after = plan_on(filters(), slower, {.max_ranks = 1});
  EXPECT_NEAR(*after.predicted_seconds / *before.predicted_seconds, 1.5, 1e-9) << "one rank only computes";
  EXPECT_THAT(after.notes, testing::Contains(HasSubstr("1.50 times as long as calibrated")));
  EXPECT_THAT(before.notes, testing::Not(testing::Contains(HasSubstr("as calibrated"))));
}

// --- memory ---

/// One operator whose scratch, not the image, fills the memory.
Pipeline hungry() {
  return record({test::write(test::filter({test::source({.extent = {64, 64}})}, {.scratch_per_pixel = 100}))});
}

TEST(Memory, ConfigurationsOverTheNodesAreRefusedWithTheReason) {
  const SyntheticMachine& machine = slow_network;  // alone is fastest, but does not fit
  const std::int64_t limit = 64 * 64 * 60;
  const Plan plan = plan_on(hungry(), machine, {.max_ranks = 4, .node_memory = limit});
  EXPECT_EQ(plan.ranks, 2);
  EXPECT_LE(plan.root_bytes, limit);
  const Alternative* alone = alternative(plan, {1, 1});
  ASSERT_NE(alone, nullptr);
  EXPECT_FALSE(alone->predicted_seconds);
  EXPECT_EQ(alone->why_not, "needs at least 432 KiB, but a node has 240 KiB");
  EXPECT_TRUE(plan.proven_optimal) << "on one rank there is no other plan";
  EXPECT_EQ(plan.lower_bound_seconds, plan.predicted_seconds);
}

TEST(Memory, RanksOfANodeShareIt) {
  const std::int64_t limit = 64 * 64 * 60;
  EXPECT_EQ(
      error_of(hungry(), slow_network, {.max_ranks = 4, .ranks_per_node = 4, .node_memory = limit}),
      "no plan is possible: a node has 240 KiB, but the plan found to need least takes 432 KiB of one, on the grid "
      "1x1 (1 rank on 1 node): start ranks on more nodes, or fewer on each, or let ranks read and write files in "
      "parts (ramp: it is a ramp; memory: it is memory), or allow as much with --tw-memory=442368");
}

TEST(Memory, ThatIsTooLittleIsToldWithTheLeastAnyPlanNeeds) {
  const std::int64_t limit = 64 * 64 * 10;
  EXPECT_EQ(error_of(hungry(), slow_network, {.max_ranks = 4, .node_memory = limit}),
            "no plan is possible: a node has 40.0 KiB, but the plan found to need least takes 108 KiB of one, on the "
            "grid 1x4 (4 ranks on 4 nodes): start ranks on more nodes, or let ranks read and write files in parts "
            "(ramp: it is a ramp; memory: it is memory), or allow as much with --tw-memory=110592");
  EXPECT_THAT(error_of(hungry(), slow_network, {.max_ranks = 4, .ranks = 2, .node_memory = limit}),
              AllOf(HasSubstr("(2 ranks on 2 nodes)"), HasSubstr("or leave ranks and grid to the plan")));
}

TEST(Memory, ThatIsSaidToBeEnoughIsEnough) {
  SearchSpace space{.max_ranks = 4, .ranks_per_node = 2, .node_memory = 64 * 64};
  const std::string error = error_of(hungry(), slow_network, space);
  const std::string option = "--tw-memory=";
  ASSERT_THAT(error, HasSubstr(option));
  space.node_memory = std::stoll(error.substr(error.find(option) + option.size()));
  EXPECT_EQ(node_bytes(plan_on(hungry(), slow_network, space)), space.node_memory);
  --space.node_memory;
  EXPECT_THAT(error_of(hungry(), slow_network, space), HasSubstr(option));
}

/// One operator on an image of 16 KiB, read and written by way of files in parts, which take longer than the root takes
/// for the whole.
Pipeline of_files() {
  const Image in = test::source({.name = "in.tif", .extent = {64, 64}, .work_key = "read", .part_key = "part"});
  const auto out = std::make_shared<test::MemorySink>("out.tif", 0, "read", "part");
  return record({{OutputKind::write, test::filter({in}), out, nullptr}});
}

MachineProfile with_slow_parts() {
  const MachineProfile computing = test::profile_of(slow_computing);
  std::vector<OperatorCell> operators = computing.operators();
  operators.push_back({"read", PixelType::f32, 0, 4096, {1e-9, 0, 0}});
  operators.push_back({"part", PixelType::f32, 0, 4096, {1e-7, 0, 0}});
  return {"slow parts", computing.fingerprint(), computing.paths(), std::move(operators)};
}

Site site_of(const Plan& plan, StepKind kind) {
  return std::find_if(plan.steps.begin(), plan.steps.end(), [&](const PlanStep& step) { return step.kind == kind; })
      ->site;
}

TEST(Memory, TooLittleForTheWholeImageMakesFilesInPartsTheChoice) {
  SearchSpace space{.max_ranks = 4};
  const Plan free = plan_on(of_files(), with_slow_parts(), space);
  EXPECT_EQ(free.ranks, 4);
  EXPECT_EQ(site_of(free, StepKind::read), Site::root);
  EXPECT_EQ(site_of(free, StepKind::write), Site::root);
  space.node_memory = 16 << 10;
  const Plan tight = plan_on(of_files(), with_slow_parts(), space);
  EXPECT_EQ(tight.ranks, 4);
  EXPECT_EQ(site_of(tight, StepKind::read), Site::tiles);
  EXPECT_EQ(site_of(tight, StepKind::write), Site::tiles);
  EXPECT_LE(node_bytes(tight), space.node_memory);
  EXPECT_GT(*tight.predicted_seconds, *free.predicted_seconds);
  EXPECT_TRUE(tight.proven_optimal);
  EXPECT_EQ(tight.lower_bound_seconds, tight.predicted_seconds);
}

TEST(Planner, ReadsNoTilesFromFilesWhereADistributionIsForced) {
  SearchSpace space{.max_ranks = 4, .node_memory = 16 << 10};
  ASSERT_EQ(site_of(plan_on(of_files(), with_slow_parts(), space), StepKind::read), Site::tiles);
  space.distribution = Distribution::scatter;
  const Plan plan = plan_on(of_files(), with_slow_parts(), space);
  EXPECT_EQ(site_of(plan, StepKind::read), Site::root);
  EXPECT_TRUE(std::any_of(plan.steps.begin(), plan.steps.end(),
                          [](const PlanStep& step) { return step.kind == StepKind::scatter; }));
}

TEST(Memory, IsKeptToWhereTheSearchIsCut) {
  SearchSpace space{.max_ranks = 4, .node_memory = 16 << 10, .max_states = 2};
  const Plan plan = plan_on(of_files(), with_slow_parts(), space);
  EXPECT_LE(node_bytes(plan), space.node_memory);
  EXPECT_FALSE(plan.proven_optimal);
  EXPECT_THAT(plan.notes, testing::Contains(HasSubstr("not proven optimal: the search was cut at 2 states")));
}

TEST(Memory, ForTheImageButNotForTwoLeavesOneOfThemInParts) {
  SearchSpace space{.max_ranks = 4, .ranks_per_node = 4};
  const std::int64_t whole = 16 << 10;
  space.node_memory = 2 * whole;
  const Plan plan = plan_on(of_files(), with_slow_parts(), space);
  EXPECT_LE(node_bytes(plan), space.node_memory);
  EXPECT_TRUE(plan.proven_optimal);
}

TEST(Memory, ErrorsNameTheFilesThatAreNotInParts) {
  SearchSpace space{.max_ranks = 4, .files = FileAccess::root, .node_memory = 10 << 10};
  const Pipeline pipeline = of_files();
  const auto error = [&] {
    try {
      static_cast<void>(plan_on(pipeline, with_slow_parts(), space));
    } catch (const ParameterError& failure) {
      return std::string(failure.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(error(), HasSubstr("let ranks read and write files in parts (in.tif: access by the root is forced; "
                                 "out.tif: access by the root is forced), or allow"));
  space.files.reset();
  space.unseen[0] = "node 2 does not see it";
  EXPECT_THAT(error(), HasSubstr("let ranks read and write files in parts (in.tif: node 2 does not see it), or allow"));
  space.unseen.clear();
  EXPECT_EQ(error(), "no error");
}

TEST(Memory, IsNoLimitWhereItIsNotKnown) {
  EXPECT_EQ(plan_on(hungry(), slow_network, {.max_ranks = 4}).ranks, 1);
}

TEST(Memory, ThatIsEnoughLeavesThePlanProven) {
  const Plan plan = plan_on(hungry(), slow_network, {.max_ranks = 4, .node_memory = 1 << 30});
  EXPECT_EQ(plan.ranks, 1);
  EXPECT_TRUE(plan.proven_optimal);
  EXPECT_EQ(plan.predicted_seconds, plan.lower_bound_seconds);
}

}  // namespace
}  // namespace tilewright
