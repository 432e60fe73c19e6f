// The steps of plans: they find what they need, let go of what they can, and add up.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "scheduler/plan_replay.hpp"
#include "support/test_pipeline.hpp"
#include "support/test_profiles.hpp"
#include "tilewright/scheduler/planner.hpp"

namespace tilewright {
namespace {

struct Random {
  std::mt19937 engine;
  int below(int n) { return static_cast<int>(engine() % static_cast<unsigned>(n)); }
};

Pipeline random_pipeline(Random& random) {
  std::vector<Image> images{test::source({.extent = {48, 40}, .channels = 2, .scratch = 5000})};
  if (random.below(2) == 0) images.push_back(test::source({.name = "second", .extent = {48, 40}, .channels = 2}));
  for (int i = 0; i <= random.below(6); ++i) {
    std::vector<Image> inputs;
    for (int k = 0; k <= random.below(3); ++k) {
      inputs.push_back(images[static_cast<std::size_t>(random.below(static_cast<int>(images.size())))]);
    }
    const std::vector<Halo> halos{{0, 0}, {2, 2}, {0, 1}, {3, 0}};
    images.push_back(test::filter(inputs, {.name = "op" + std::to_string(i),
                                           .halo = halos[static_cast<std::size_t>(random.below(4))],
                                           .border = random.below(2) == 0 ? Border::wrap : Border::reflect,
                                           .scratch_per_pixel = random.below(3)}));
  }
  std::vector<OutputRequest> outputs;
  for (int i = 0; i <= random.below(4); ++i) {
    const Image image =
        images[images.size() - 1 -
               static_cast<std::size_t>(random.below(static_cast<int>(std::min<std::size_t>(images.size(), 3))))];
    const std::vector<OutputRequest> requests{test::write(image), test::reduce(image), test::fetch(image),
                                              test::keep(image)};
    outputs.push_back(requests[static_cast<std::size_t>(random.below(4))]);
  }
  return record(outputs);
}

double sum_of_steps(const Plan& plan) {
  return std::accumulate(plan.steps.begin(), plan.steps.end(), 0.0, [](double sum, const PlanStep& step) {
    return sum + step.predicted_seconds.value_or(std::nan("")) - step.hidden_seconds;
  });
}

void expect_sound(const Plan& plan, const Pipeline& pipeline) {
  test::PlanReplay replay(plan, pipeline);
  replay.run();
  const auto& peaks = replay.peaks();
  EXPECT_EQ(plan.root_bytes, peaks.front());
  EXPECT_EQ(plan.rank_bytes, peaks.size() > 1 ? *std::max_element(peaks.begin() + 1, peaks.end()) : 0);
  EXPECT_EQ(plan.pipeline_hash, pipeline.hash());
  EXPECT_EQ(plan.images.size(), pipeline.images.size());
  EXPECT_EQ(plan.grid.ranks(), plan.ranks);
}

/// Machines that make plans differ: free, slow or picky networks, slow and fast operators, costly copies.
std::vector<MachineProfile> machines() {
  std::vector<MachineProfile> profiles;
  for (const double latency_s : {0.0, 1e-6, 1e-3}) {
    for (const double factor : {1.0, 30.0}) {
      for (const double value_s : {1e-9, 1e-6}) {
        profiles.push_back(test::profile_of({.latency_s = latency_s,
                                             .seconds_per_byte = 1e-9,
                                             .non_contiguous_factor = factor,
                                             .seconds_per_value = value_s,
                                             .cores_per_node = 2}));
      }
    }
  }
  return profiles;
}

TEST(PlanSteps, FindWhatTheyNeedAndLetGoOfTheRest) {
  int parallel = 0;
  int broadcasts = 0;
  int allgathers = 0;
  int everywhere = 0;
  const auto has = [](const Plan& plan, StepKind kind) {
    return std::any_of(plan.steps.begin(), plan.steps.end(), [&](const PlanStep& step) { return step.kind == kind; });
  };
  for (unsigned seed = 1; seed <= 60; ++seed) {
    Random random{std::mt19937(seed)};
    const Pipeline pipeline = random_pipeline(random);
    for (const MachineProfile& profile : machines()) {
      const auto model = make_cost_model("p3pc", profile);
      const Plan plan = plan_pipeline(pipeline, profile, *model,
                                      {.max_ranks = 6,
                                       .started_ranks = seed % 2 == 0 ? 6 : 0,
                                       .ranks_per_node = 6,
                                       .cores_per_node = 1 + random.below(8)});
      SCOPED_TRACE("seed " + std::to_string(seed) + " on " + to_string(plan.grid) + "\n" + pipeline.describe());
      expect_sound(plan, pipeline);
      ASSERT_TRUE(plan.predicted_seconds);
      EXPECT_NEAR(*plan.predicted_seconds, sum_of_steps(plan), 1e-12 * *plan.predicted_seconds);
      EXPECT_NEAR(*plan.predicted_seconds, *plan.lower_bound_seconds, 1e-9 * *plan.predicted_seconds);
      if (HasFailure()) return;
      parallel += plan.ranks > 1 ? 1 : 0;
      broadcasts += has(plan, StepKind::broadcast) ? 1 : 0;
      allgathers += has(plan, StepKind::allgather) ? 1 : 0;
      everywhere += std::ranges::count(plan.steps, Site::everywhere, &PlanStep::site) > 0 ? 1 : 0;
    }
  }
  EXPECT_GT(parallel, 100);
  EXPECT_GT(broadcasts, 20);
  EXPECT_GT(allgathers, 10);
  EXPECT_GT(everywhere, 10);
}

TEST(PlanSteps, AreSoundOnEveryForcedGrid) {
  const MachineProfile profile = test::profile_of({});
  const auto model = make_cost_model("p3pc", profile);
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Random random{std::mt19937(seed)};
    const Pipeline pipeline = random_pipeline(random);
    for (int ranks = 1; ranks <= 8; ++ranks) {
      for (const ProcessGrid& grid : grids_of(ranks)) {
        for (const Algorithm tree : all_trees) {
          for (const Distribution distribution : {Distribution::scatter, Distribution::broadcast}) {
            const Plan plan = plan_pipeline(pipeline, profile, *model,
                                            {.max_ranks = 8,
                                             .grid = GridPattern{grid.x, grid.y},
                                             .tiles = TileSizes::even,
                                             .tree = tree,
                                             .distribution = distribution});
            SCOPED_TRACE("seed " + std::to_string(seed) + " on " + to_string(plan.grid));
            EXPECT_EQ(plan.grid, grid);
            expect_sound(plan, pipeline);
            if (HasFailure()) return;
            for (const PlanStep& step : plan.steps) {
              EXPECT_EQ(step.algorithm.value_or(tree), tree);
              EXPECT_TRUE(step.kind != StepKind::compute || ranks == 1 || step.site == Site::tiles);
            }
          }
        }
      }
    }
  }
}

TEST(PlanSteps, OfACutSearchAreSoundAsWell) {
  const MachineProfile profile = test::profile_of({.seconds_per_value = 1e-6});
  const auto model = make_cost_model("p3pc", profile);
  for (unsigned seed = 1; seed <= 60; ++seed) {
    Random random{std::mt19937(seed)};
    const Pipeline pipeline = random_pipeline(random);
    const Plan best = plan_pipeline(pipeline, profile, *model, {.max_ranks = 6});
    for (const std::size_t max_states : {1U, 15U}) {
      const Plan plan = plan_pipeline(pipeline, profile, *model, {.max_ranks = 6, .max_states = max_states});
      SCOPED_TRACE("seed " + std::to_string(seed) + " on " + to_string(plan.grid));
      expect_sound(plan, pipeline);
      if (HasFailure()) return;
      EXPECT_GE(*plan.predicted_seconds, *best.predicted_seconds * (1 - 1e-12));
      EXPECT_LE(*plan.lower_bound_seconds, *best.predicted_seconds * (1 + 1e-12));
    }
  }
}

TEST(SequentialPlan, IsSoundAndPredictsNothing) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    Random random{std::mt19937(seed)};
    const Pipeline pipeline = random_pipeline(random);
    const Plan plan = sequential_plan(pipeline, 2);
    expect_sound(plan, pipeline);
    EXPECT_EQ(plan.ranks, 1);
    EXPECT_EQ(plan.threads, 2);
    EXPECT_EQ(plan.predicted_seconds.has_value(), plan.steps.empty());
    for (const PlanStep& step : plan.steps) {
      EXPECT_EQ(step.site, Site::root);
      EXPECT_FALSE(step.predicted_seconds);
      EXPECT_FALSE(step.algorithm);
    }
    if (HasFailure()) return;
  }
}

TEST(PlanSteps, StateTransfersAsTheScheduleHasThem) {
  const Image in = test::source({.extent = {64, 64}});
  const Pipeline pipeline = record({test::write(test::filter({in}, {.halo = {2, 2}}), "out.tif")});
  const MachineProfile profile = test::profile_of({});
  const Plan plan = plan_pipeline(pipeline, profile, *make_cost_model("p3pc", profile),
                                  {.max_ranks = 4,
                                   .grid = GridPattern{1, 4},
                                   .tree = Algorithm::oft,
                                   .distribution = Distribution::scatter,
                                   .halo = HaloChoice::shallow});
  ASSERT_EQ(plan.steps.size(), 6U);
  const StepKind kinds[] = {StepKind::read,    StepKind::scatter, StepKind::exchange,
                            StepKind::compute, StepKind::gather,  StepKind::write};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(plan.steps[i].kind, kinds[i]);
  const PlanStep& scatter = plan.steps[1];
  EXPECT_EQ(scatter.layout, "cn");
  EXPECT_EQ(scatter.messages, 3);
  EXPECT_EQ(scatter.bytes, 3 * 16 * 64 * 4);
  EXPECT_EQ(scatter.packing, Packing::datatype);
  EXPECT_EQ(plan.steps[2].exchanged, (Halo{2, 2}));
  EXPECT_EQ(plan.steps[2].bytes, 6 * 2 * 68 * 4);
  EXPECT_EQ(plan.steps[2].layout, "cc");
  EXPECT_EQ(plan.steps[4].layout, "cc");
  EXPECT_EQ(plan.steps[5].operation, "out.tif");
  EXPECT_EQ(plan.steps[5].bytes, 64 * 64 * 4);
  EXPECT_EQ(scatter.releases, (std::vector<Release>{{0, true}})) << "the root needs its copy no more";
  EXPECT_EQ(plan.steps[3].releases, (std::vector<Release>{{0, false}}));
  EXPECT_EQ(plan.steps[4].releases, (std::vector<Release>{{1, false}}));
  EXPECT_EQ(plan.steps[5].releases, (std::vector<Release>{{1, true}}));
}

/// They go on with the same program.
TEST(PlanSteps, OfReductionsTellRanksThatThePlanLeavesIdle) {
  const MachineProfile profile =
      test::profile_of({.latency_s = 1e-3, .seconds_per_byte = 1e-9, .seconds_per_value = 1e-9});
  const auto model = make_cost_model("p3pc", profile);
  const Pipeline pipeline = record({test::reduce(test::filter({test::source({.extent = {48, 40}})}, {}))});
  for (const int ranks : {1, 2}) {
    SearchSpace space{.max_ranks = 8, .ranks = ranks};
    const Plan alone = plan_pipeline(pipeline, profile, *model, space);
    space.started_ranks = 8;
    const Plan told = plan_pipeline(pipeline, profile, *model, space);
    EXPECT_EQ(told.steps.back().kind, StepKind::reduce);
    EXPECT_EQ(told.steps.back().messages - alone.steps.back().messages, 8 - ranks);
    EXPECT_TRUE(told.steps.back().algorithm);
    EXPECT_GE(*told.predicted_seconds, *alone.predicted_seconds + 0.9e-3);
    expect_sound(told, pipeline);
  }
}

/// Each of its small messages, which all follow on computing: one to each rank, or one to each of its tree's branches.
TEST(PlanSteps, OfReductionsCountWhatMessagesTakeOfTheRootsProcessor) {
  constexpr double latency_s = 1e-4;
  constexpr double sending_s = 3e-4;
  constexpr double receiving_s = 2e-4;
  const auto profile_with = [&](double factor) {
    return test::profile_of(
        {.latency_s = latency_s, .send_after_computing_s = factor * sending_s, .recv_after_computing_s = receiving_s});
  };
  const Pipeline pipeline = record({test::reduce(test::filter({test::source({.extent = {1024, 1024}})}, {}))});
  const auto seconds = [&](const MachineProfile& profile, int ranks, Algorithm tree) {
    SearchSpace space{.max_ranks = 8, .ranks = ranks, .tree = tree};
    space.started_ranks = 8;
    return *plan_pipeline(pipeline, profile, *make_cost_model("p3pc", profile), space).predicted_seconds;
  };
  const MachineProfile unknown = test::profile_of({.latency_s = latency_s});
  const double beyond_stream_s = sending_s - latency_s;
  for (const auto& [tree, messages] : {std::pair(Algorithm::oft, 7), std::pair(Algorithm::sbt, 3)}) {
    const double told = seconds(profile_with(1), 1, tree) - seconds(unknown, 1, tree);
    EXPECT_NEAR(told, messages * beyond_stream_s, 1e-6) << to_string(tree);
    const double heard_too = seconds(profile_with(1), 8, tree) - seconds(unknown, 8, tree);
    EXPECT_NEAR(heard_too, messages * (beyond_stream_s + receiving_s - latency_s), 1e-6) << to_string(tree);
    EXPECT_EQ(seconds(profile_with(0.1), 1, tree), seconds(unknown, 1, tree)) << "no less than in a stream";
  }
  const MachineProfile known = profile_with(1);
  SearchSpace free{.max_ranks = 8, .ranks = 1};
  free.started_ranks = 8;
  EXPECT_EQ(plan_pipeline(pipeline, known, *make_cost_model("p3pc", known), free).steps.back().algorithm,
            Algorithm::sbt);
}

TEST(PlanSteps, OfFetchesSendTheImageToRanksThatThePlanLeavesIdle) {
  const MachineProfile profile =
      test::profile_of({.latency_s = 1e-3, .seconds_per_byte = 1e-9, .seconds_per_value = 1e-9});
  const auto model = make_cost_model("p3pc", profile);
  const Pipeline pipeline = record({test::fetch(test::filter({test::source({.extent = {48, 40}})}, {}))});
  for (const int ranks : {1, 2, 8}) {
    SearchSpace space{.max_ranks = 8, .ranks = ranks, .tree = Algorithm::oft};
    space.started_ranks = 8;
    const Plan plan = plan_pipeline(pipeline, profile, *model, space);
    const PlanStep& last = plan.steps.back();
    EXPECT_EQ(last.kind, StepKind::broadcast);
    EXPECT_EQ(last.messages, 7);
    EXPECT_EQ(last.grid.has_value(), ranks < 8);
    EXPECT_GE(last.predicted_seconds, 7e-3);
    if (ranks == 8) expect_sound(plan, pipeline);
  }
}

}  // namespace
}  // namespace tilewright
