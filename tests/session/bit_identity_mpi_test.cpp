// Output is bit-identical to the sequential reference: for every operator, pixel type and border, on every feasible
// grid of the ranks that a job tests, cut evenly and not, by both trees and through shared memory, scattered
// and broadcast, with shallow and deep halos, on one grid and on two, forced and chosen.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "imgops/test_images.hpp"
#include "scheduler/random_pipelines.hpp"
#include "support/expect_reference.hpp"
#include "support/flat_profile.hpp"
#include "support/mpi_environment.hpp"
#include "support/schedule_simulation.hpp"
#include "support/test_profiles.hpp"
#include "support/tested_ranks.hpp"
#include "tilewright/imgops/arithmetic.hpp"
#include "tilewright/imgops/convolution.hpp"
#include "tilewright/imgops/files.hpp"
#include "tilewright/imgops/fusion.hpp"
#include "tilewright/imgops/gaussian.hpp"
#include "tilewright/imgops/reductions.hpp"
#include "tilewright/runtime/executor.hpp"
#include "tilewright/scheduler/planner.hpp"

namespace tilewright {
namespace {

using test::world;

/// The same pixels on every rank.
Image noise(const Extent& extent, PixelFormat format, unsigned seed = 1) {
  std::mt19937 random(seed);
  Raster raster(ImageShape{extent, format});
  with_type(format.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::int64_t values = extent.pixels() * format.channels;
    T* target = raster.at<T>(0, 0);
    for (std::int64_t i = 0; i < values; ++i) {
      if constexpr (std::is_integral_v<T>)
        target[i] = static_cast<T>(random());
      else
        target[i] = static_cast<T>(random()) / static_cast<T>(1 << 20) - static_cast<T>(1000);
    }
  });
  return Image(image_in_memory(std::move(raster), "noise"));
}

/// Plans as told, runs, and compares every output with the reference of the pipeline as it was recorded.
void run_and_compare(const Pipeline& pipeline, const Pipeline& recorded, const SearchSpace& space) {
  static const MachineProfile profile = test::flat_profile();
  const Plan plan = plan_pipeline(pipeline, profile, *make_cost_model("p3pc", profile), space);
  const ExecutionResult result = execute(plan, pipeline, world());
  test::expect_reference(result, plan, recorded);
}

/// Many ranks on few cores take minutes for what few have tried in seconds.
unsigned random_pipelines() {
  return world().ranks() > 4 ? 12 : 24;
}

bool fits(const Pipeline& pipeline, const ProcessGrid& grid) {
  for (std::size_t i = 0; i < pipeline.images.size(); ++i) {
    const Halo halo = pipeline.storage_halo(static_cast<int>(i));
    if (!why_infeasible(pipeline.images[i].shape.extent, grid, halo).empty()) return false;
  }
  return true;
}

/// Throws ParameterError exactly where the grid does not fit the images. Served in turn, strips fit where they do
/// without those of the root.
void run_forced(const Pipeline& pipeline, const Pipeline& recorded, const SearchSpace& space, const ProcessGrid& grid) {
  const bool may_have_none = space.in_turn.value_or(false) && grid.is_even();
  if (fits(pipeline, grid) || (may_have_none && fits(pipeline, test::without_pixels_on_root(grid)))) {
    run_and_compare(pipeline, recorded, space);
  } else {
    EXPECT_THROW(run_and_compare(pipeline, recorded, space), ParameterError);
  }
}

/// A deep halo that a wrapping operator reads as well has to be exchanged, and can be deeper than a tile.
bool wraps(const Pipeline& pipeline) {
  return std::any_of(pipeline.images.begin(), pipeline.images.end(), [](const PipelineImage& image) {
    return image.op && !image.op->halo().empty() && image.op->border() == Border::wrap;
  });
}

void run_everywhere(const Pipeline& pipeline, const Pipeline& recorded) {
  SearchSpace free_choice;
  free_choice.max_ranks = world().ranks();
  free_choice.ranks_per_node = world().ranks();
  free_choice.sharing_ranks = world().sharing_ranks();
  run_and_compare(pipeline, recorded, free_choice);
  SearchSpace with_threads = free_choice;
  with_threads.cores_per_node = 2 * world().ranks();
  run_and_compare(pipeline, recorded, with_threads);
  constexpr std::optional<HaloChoice> halos[] = {HaloChoice::deep, {}, HaloChoice::shallow, HaloChoice::deep};
  std::size_t run = 0;
  for (const int ranks : test::tested_ranks(world().ranks())) {
    for (const ProcessGrid& even : grids_of(ranks)) {
      for (const Distribution distribution : {Distribution::scatter, Distribution::broadcast}) {
        for (const Algorithm tree : all_algorithms) {
          const ProcessGrid grid = run % 3 == 1   ? test::uneven(even)
                                   : run % 3 == 2 ? test::without_pixels_on_root(even)
                                                  : even;
          if (tree == Algorithm::shared && world().ranks() == 1) continue;  // nobody to share with
          SearchSpace forced = free_choice;
          forced.grid = GridPattern{grid.x, grid.y, grid.column_shares, grid.row_shares};
          forced.distribution = distribution;
          forced.tree = tree;
          const Packing packing = all_packings[run % std::size(all_packings)];  // takes turns: all meet all in the end
          if (tree != Algorithm::shared) forced.packing = packing;
          forced.halo = halos[run / 2 % std::size(halos)];
          if (wraps(pipeline) && forced.halo == HaloChoice::deep) forced.halo.reset();  // may be refused
          ++run;
          SCOPED_TRACE(to_string(grid) + (distribution == Distribution::scatter ? " scatter " : " broadcast ") +
                       std::string(to_string(tree)) + " " + std::string(to_string(packing)) +
                       (forced.halo ? *forced.halo == HaloChoice::deep ? " deep" : " shallow" : ""));
          const bool can_be_in_turn = grid.x == 1 && ranks >= 3 && tree == Algorithm::oft;
          if (can_be_in_turn) forced.in_turn = (run + pipeline.images.size()) % 2 == 0;
          SCOPED_TRACE(forced.in_turn.value_or(false) ? "in turn" : "at once");
          const bool can_overlap = (grid.x == 1 || grid.y == 1) && !forced.in_turn.value_or(false);
          if (can_overlap) forced.overlap = (run + pipeline.tasks.size()) % 3 != 0;
          SCOPED_TRACE(forced.overlap.value_or(false) ? "overlapped" : "waiting");
          run_forced(pipeline, recorded, forced, grid);
          if (::testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

/// One operator after the other, and what can share a pass in one.
void run_everywhere(const std::vector<OutputRequest>& outputs) {
  const Pipeline recorded = record(outputs);
  run_everywhere(recorded, recorded);
  const Pipeline in_passes = fused(recorded);
  if (in_passes.images.size() < recorded.images.size() || in_passes.tasks.size() < recorded.tasks.size()) {
    run_everywhere(in_passes, recorded);
  }
}

OutputRequest fetch(const Image& image) {
  return {OutputKind::fetch, image, nullptr, nullptr};
}
OutputRequest reduce(const Reduction& reduction) {
  return {OutputKind::reduce, reduction.image, nullptr, reduction.method};
}

/// The pipeline with all of its last images fetched instead, so that every rank can compare them.
Pipeline fetching(Pipeline pipeline) {
  for (PipelineOutput& output : pipeline.outputs) output = {OutputKind::fetch, output.image, nullptr, nullptr};
  return pipeline;
}

TEST(BitIdentity, GaussianDerivativesOfEveryTypeAndBorder) {
  for (const PixelType type : all_pixel_types) {
    for (const Border border : all_borders) {
      SCOPED_TRACE(std::string(to_string(type)) + " " + std::string(to_string(border)));
      const Image in = noise({37, 29}, {type, 1});
      run_everywhere({fetch(
          gaussian_derivative(in, {.sigma = 1, .order_x = 1, .order_y = 2, .border = border, .border_value = 3.5}))});
    }
  }
}

TEST(BitIdentity, SeveralChannels) {
  for (int channels = 2; channels <= 4; ++channels) {
    const Image in = noise({31, 26}, {PixelType::u8, channels});
    run_everywhere({fetch(gaussian_derivative(in, {.sigma = 1.3, .order_y = 1})), reduce(sum(in))});
  }
}

TEST(BitIdentity, OddSizes) {
  for (const Extent extent :
       {Extent{1, 1}, Extent{1, 23}, Extent{23, 1}, Extent{5, 3}, Extent{13, 17}, Extent{97, 2}}) {
    SCOPED_TRACE(to_string(extent));
    const Image in = noise(extent, {PixelType::u16, 1});
    run_everywhere({fetch(gaussian_derivative(in, {.sigma = 1, .order_x = 1})), fetch(in * 2.0)});
  }
}

TEST(BitIdentity, ConvolutionsChainsAndBordersThatFollowEachOther) {
  const Image in = noise({41, 38}, {PixelType::f32, 1});
  const Kernel kernel{3, 5, {1, -2, 3, 0.5, 7, -1, 2, 2, 2, -3, 4, 0.1, 0.2, 0.3, 0.4}, {}, {}};
  const Image wrapped = convolve(in, kernel, {.border = Border::wrap});
  const Image mirrored = convolve_separable(in, {1, 2, 3, 4}, {0.25, 0.5, 0.25}, {.border = Border::reflect});
  const Image again = convolve(in, kernel, {.border = Border::wrap});
  run_everywhere({fetch(wrapped), fetch(mirrored), fetch(again - wrapped),
                  fetch(gaussian_derivative(wrapped, {.sigma = 1, .border = Border::constant}))});
}

TEST(BitIdentity, PointwiseOperatorsOfEveryType) {
  for (const PixelType type : all_pixel_types) {
    const Image a = noise({23, 19}, {type, 1}, 1);
    const Image b = noise({23, 19}, {type, 1}, 2);
    run_everywhere({fetch((a + b) * (a - b) / 3.0), fetch(min(abs(a), b)), fetch(max(a, 7.0)), fetch(sqrt(a)),
                    fetch(threshold(a, {.level = 100, .below = 1, .above = 200})),
                    fetch(convert(a, PixelType::u8, {.scale = 0.01, .offset = 5})), fetch(convert(a, PixelType::f64))});
  }
}

TEST(BitIdentity, ReductionsOfEveryType) {
  for (const PixelType type : all_pixel_types) {
    const Image a = noise({43, 31}, {type, 2});
    run_everywhere({reduce(sum(a)), reduce(mean(a)), reduce(min(a)), reduce(max(a)), reduce(sum(a / 3.0))});
  }
}

TEST(BitIdentity, TheDifferentialStructure) {
  const Image in = noise({64, 48}, {PixelType::u8, 1});
  const auto derivative = [&](int x, int y) {
    return gaussian_derivative(in, {.sigma = 1, .order_x = x, .order_y = y});
  };
  const Image lx = derivative(1, 0);
  const Image ly = derivative(0, 1);
  run_everywhere({fetch(lx), fetch(ly), fetch(convert(sqrt(lx * lx + ly * ly), PixelType::u8)), fetch(derivative(2, 0)),
                  fetch(derivative(1, 1)), fetch(derivative(0, 2))});
}

/// Tiles are often smaller than what is computed beyond them, and images than the reach of the whole chain.
TEST(BitIdentity, ChainsOnOneDeepHalo) {
  for (const Border border : all_borders) {
    for (const Extent extent : {Extent{37, 29}, Extent{16, 17}, Extent{9, 8}, Extent{6, 40}, Extent{2, 23}}) {
      // So small ones have no room for more tiles than four ranks have tried.
      if (world().ranks() > 4 && extent.pixels() < 250) continue;
      SCOPED_TRACE(to_string(extent) + " " + std::string(to_string(border)));
      const Image in = noise(extent, {PixelType::f32, 1});
      const auto small = [&](const Image& image) {
        return convolve_separable(image, {0.25, 0.5, 0.25}, {1, 2, 1}, {.border = border, .border_value = 2.5});
      };
      const Image twice = small(small(in));
      const Image sharp = small(twice) - in;
      const Kernel kernel{3, 1, {1, -2, 3}, {}, {}};
      const Image lines = convolve(sharp, kernel, {.border = Border::reflect101});
      run_everywhere({fetch(small(small(lines))), reduce(sum(twice))});
    }
  }
}

/// Without a forced tree, what is made on the tiles of all ranks goes round a ring to all of them.
TEST(BitIdentity, FetchedByAnAllgather) {
  if (world().ranks() < 2) GTEST_SKIP() << "one rank has the image anyway";
  const MachineProfile profile = test::flat_profile();
  const Image in = noise({53, 41}, {PixelType::u16, 3});
  const Image lx = gaussian_derivative(in, {.sigma = 1, .order_x = 1});
  const Image ly = gaussian_derivative(lx, {.sigma = 1, .order_y = 1, .border = Border::wrap});
  const Pipeline pipeline = record({fetch(lx), fetch(ly), reduce(sum(lx))});
  for (const ProcessGrid& even : grids_of(world().ranks())) {
    for (const ProcessGrid& grid : {even, test::uneven(even), test::without_pixels_on_root(even)}) {
      for (const Packing packing : all_packings) {
        SCOPED_TRACE(to_string(grid) + " " + std::string(to_string(packing)));
        if (!fits(pipeline, grid)) continue;
        const SearchSpace space{.max_ranks = world().ranks(),
                                .grid = GridPattern{grid.x, grid.y, grid.column_shares, grid.row_shares},
                                .distribution = Distribution::scatter,
                                .packing = packing};
        const Plan plan = plan_pipeline(pipeline, profile, *make_cost_model("p3pc", profile), space);
        EXPECT_EQ(std::ranges::count(plan.steps, StepKind::allgather, &PlanStep::kind), 2);
        test::expect_reference(execute(plan, pipeline, world()), plan, pipeline);
      }
    }
  }
}

/// Where the wire is slow, all ranks compute what all of them get, of what they have been sent or have computed.
TEST(BitIdentity, ComputedOnAllRanks) {
  if (world().ranks() < 2) GTEST_SKIP() << "one rank is all";
  const MachineProfile profile = test::flat_profile(1e-8, 10);
  SearchSpace space{.max_ranks = world().ranks(), .started_ranks = world().ranks()};
  int everywhere = 0;
  for (const PixelType type : all_pixel_types) {
    for (const Border border : all_borders) {
      for (const int threads : {1, 2}) {
        SCOPED_TRACE(std::string(to_string(type)) + " " + std::string(to_string(border)));
        const Image in = noise({53, 41}, {type, 2});
        const Image lx = gaussian_derivative(in, {.sigma = 1, .order_x = 1, .border = border, .border_value = 2.5});
        const Image lxy = gaussian_derivative(lx, {.sigma = 1, .order_y = 1, .border = border});
        const Pipeline recorded = record({fetch(lx), fetch(lxy), fetch(lxy * lx - in), reduce(sum(lxy))});
        for (const Pipeline& pipeline : {recorded, fused(recorded)}) {
          space.threads = threads;
          const Plan plan = plan_pipeline(pipeline, profile, *make_cost_model("p3pc", profile), space);
          everywhere += static_cast<int>(std::ranges::count(plan.steps, Site::everywhere, &PlanStep::site));
          test::expect_reference(execute(plan, pipeline, world()), plan, recorded);
        }
      }
    }
  }
  EXPECT_GT(everywhere, 50);
}

/// Of random pipelines some images are computed on tiles, and others everywhere.
TEST(BitIdentity, RandomPipelinesComputedWhereverThatIsCheapest) {
  if (world().ranks() < 2) GTEST_SKIP() << "one rank is all";
  int everywhere = 0;
  for (unsigned seed = 1; seed <= 2 * random_pipelines(); ++seed) {
    test::Random random(seed);
    const Extent extent{8 + random.below(40), 8 + random.below(40)};
    const Pipeline pipeline = fetching(test::random_pipeline(random, extent));
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + pipeline.describe());
    const MachineProfile profile = test::profile_of(
        {.latency_s = 1e-5, .seconds_per_byte = random.between(1e-9, 1e-6), .seconds_per_value = 1e-7});
    const SearchSpace space{
        .max_ranks = world().ranks(), .started_ranks = world().ranks(), .sharing_ranks = world().sharing_ranks()};
    const Plan plan = plan_pipeline(pipeline, profile, *make_cost_model("p3pc", profile), space);
    everywhere += std::ranges::count(plan.steps, Site::everywhere, &PlanStep::site) > 0;
    test::expect_reference(execute(plan, pipeline, world()), plan, pipeline);
  }
  EXPECT_GT(everywhere, 3);
}

/// With all but the first of its scatters as broadcasts, and all broadcasts through shared memory.
Plan with_shared_broadcasts(Plan plan) {
  const auto is_scatter = [](const PlanStep& step) { return step.kind == StepKind::scatter; };
  const auto first = std::find_if(plan.steps.begin(), plan.steps.end(), is_scatter);
  for (auto step = first + 1; step != plan.steps.end(); ++step) {
    if (is_scatter(*step)) {
      step->kind = StepKind::broadcast;
      step->in_turn = false;
      std::swap(step->releases, (step + 1)->releases);  // the whole image is read until the tiles are computed
      (step + 1)->releases.insert((step + 1)->releases.end(), step->releases.begin(), step->releases.end());
      step->releases.clear();
    }
    if (step->kind == StepKind::broadcast) step->algorithm = Algorithm::shared;
  }
  plan.root_bytes *= 2;  // not to be tested here
  plan.rank_bytes *= 2;
  return plan;
}

/// Ranks that are early send their results into the memory that the root shares, while others still read there what was
/// sent to all.
TEST(BitIdentity, WhatIsGatheredInTurnLeavesSharedImagesAlone) {
  if (world().ranks() < 3) GTEST_SKIP() << "turns take three ranks";
  const Extent extent{11, 8 * world().ranks()};
  const Image smoothed = gaussian_derivative(noise(extent, {PixelType::u8, 1}), {.sigma = 0.5});
  const Image derivative =
      gaussian_derivative(noise(extent, {PixelType::f64, 1}, 2), {.sigma = 1.5, .order_x = 2, .order_y = 1});
  const Pipeline pipeline = record({fetch(smoothed + derivative)});
  const SearchSpace in_turn{.max_ranks = world().ranks(),
                            .sharing_ranks = world().sharing_ranks(),
                            .grid = GridPattern{1, world().ranks()},
                            .in_turn = true,
                            .tree = Algorithm::oft,
                            .distribution = Distribution::scatter,
                            .halo = HaloChoice::deep};
  const MachineProfile profile = test::flat_profile(1e-7, 10);
  const Plan planned = plan_pipeline(pipeline, profile, *make_cost_model("p3pc", profile), in_turn);
  const Plan plan = with_shared_broadcasts(planned);
  ASSERT_TRUE(
      std::ranges::any_of(plan.steps, [](const PlanStep& s) { return s.kind == StepKind::gather && s.in_turn; }));
  for (int run = 0; run < 50; ++run) test::expect_reference(execute(plan, pipeline, world()), plan, pipeline);
}

/// A plan made by hand, too, has to bring all inputs to all ranks, and only operators work there.
TEST(WorkOnAllRanks, OfAPlanMadeByHandMustHaveItsInputsThere) {
  if (world().ranks() < 2) GTEST_SKIP() << "one rank is all";
  const Image in = noise({20, 20}, {PixelType::f32, 1});
  const Pipeline pipeline = record({fetch(in * 2.0), fetch(in * 3.0), fetch(in * 5.0), fetch(in * 7.0), fetch(in * 8.0),
                                    reduce(sum(in)), reduce(sum(in * 4.0))});
  const MachineProfile profile = test::flat_profile(1e-8, 10);
  const SearchSpace space{.max_ranks = world().ranks(), .started_ranks = world().ranks()};
  const Plan plan = plan_pipeline(pipeline, profile, *make_cost_model("p3pc", profile), space);
  EXPECT_NO_THROW(execute(plan, pipeline, world()));
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    Plan changed = plan;
    const PlanStep& step = plan.steps[i];
    if (step.kind == StepKind::broadcast) {
      changed.steps.erase(changed.steps.begin() + static_cast<std::ptrdiff_t>(i));
    } else if (step.kind == StepKind::reduce || step.kind == StepKind::read) {
      changed.steps[i].site = Site::everywhere;
    } else if (step.site == Site::everywhere) {
      changed.steps[i].site = Site::root;
    } else {
      continue;
    }
    EXPECT_THROW(execute(changed, pipeline, world()), ParameterError) << "step " << i;
  }
  EXPECT_EQ(std::ranges::count(plan.steps, Site::everywhere, &PlanStep::site), 5);
}

/// Ranks that a plan leaves idle get what the others have computed.
TEST(WorkOnAllRanks, OfFewerThanWereStartedGoesToTheOthers) {
  if (world().ranks() < 3) GTEST_SKIP() << "two ranks leave none idle";
  const Image in = noise({20, 20}, {PixelType::u8, 1});
  const Pipeline pipeline = record({fetch(convert(in, PixelType::f32)), fetch(convert(in, PixelType::f64))});
  const MachineProfile profile = test::flat_profile(1e-8, 10);
  const Plan plan =
      plan_pipeline(pipeline, profile, *make_cost_model("p3pc", profile), {.max_ranks = 2, .started_ranks = 2});
  EXPECT_EQ(std::ranges::count(plan.steps, Site::everywhere, &PlanStep::site), 2);
  test::expect_reference(execute(plan, pipeline, world()), plan, pipeline);
}

/// They leave their cores to the others' threads, until a plan needs them again.
TEST(IdleRanks, RestUntilTheyAreNeeded) {
  const Image in = noise({20, 20}, {PixelType::f32, 1});
  const Pipeline pipeline = record({fetch(convert(in, PixelType::f64))});
  const MachineProfile profile = test::flat_profile(1e-8, 10);
  const auto model = make_cost_model("p3pc", profile);
  const auto run_on = [&](int ranks) {
    const SearchSpace space{.max_ranks = world().ranks(), .started_ranks = world().ranks(), .ranks = ranks};
    const Plan plan = plan_pipeline(pipeline, profile, *model, space);
    test::expect_reference(execute(plan, pipeline, world()), plan, pipeline);
  };
  run_on(world().ranks());  // tests before have left some idle
  const WaitPolicy awake = world().wait_policy();
  EXPECT_NE(awake, WaitPolicy::resting);
  run_on(1);
  EXPECT_EQ(world().wait_policy(), world().is_root() ? awake : WaitPolicy::resting);
  run_on(world().ranks());
  EXPECT_EQ(world().wait_policy(), awake);
}

/// Every pair of grids, forced in turn, where it can hold the images.
void change_grids_everywhere(const Pipeline& pipeline) {
  for (const int ranks : test::tested_ranks(world().ranks(), 2)) {
    for (const Packing packing : all_packings) {
      for (const Distribution distribution : {Distribution::scatter, Distribution::broadcast}) {
        const SearchSpace forced{.max_ranks = world().ranks(),
                                 .ranks = ranks,
                                 .distribution = distribution,
                                 .packing = packing,
                                 .regrid = Regrid::always};
        SCOPED_TRACE(std::to_string(ranks) + " ranks, " + std::string(to_string(packing)));
        try {
          run_and_compare(pipeline, pipeline, forced);
        } catch (const ParameterError&) {  // no two grids hold the images
          EXPECT_THROW(run_and_compare(pipeline, pipeline, forced), ParameterError);
        }
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(BitIdentity, ChangesOfTheGrid) {
  for (const Border border : all_borders) {
    for (const Extent extent : {Extent{64, 48}, Extent{37, 29}, Extent{23, 61}}) {
      SCOPED_TRACE(to_string(extent) + " " + std::string(to_string(border)));
      const Image in = noise(extent, {PixelType::f32, 1});
      const ConvolveOptions options{.border = border, .border_value = 1.5};
      const Image wide = convolve_separable(in, {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2}, {1}, options);
      const Image tall = convolve_separable(abs(wide), {1}, {2, 3, 5, 7, 1, 1, 2, 3, 4}, options);
      const Pipeline pipeline = record({fetch(tall), fetch(wide), fetch(tall - in), reduce(sum(tall))});
      change_grids_everywhere(pipeline);
    }
  }
}

TEST(BitIdentity, RandomPipelinesOnTwoGrids) {
  for (unsigned seed = 1; seed <= random_pipelines(); ++seed) {
    test::Random random(seed);
    const Extent extent{8 + random.below(40), 8 + random.below(40)};
    const std::vector<std::string> keys{"sum"};
    const Pipeline pipeline = fetching(test::random_wide_and_tall(random, extent, keys));
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + pipeline.describe());
    change_grids_everywhere(pipeline);
  }
}

TEST(ChangesOfTheGrid, OfAPlanMadeByHandMustFit) {
  if (world().ranks() < 2) GTEST_SKIP() << "one rank has no tiles";
  const Image wide = convolve_separable(noise({40, 40}, {PixelType::f32, 1}), {1, 2, 3, 4, 5}, {1});
  const Pipeline pipeline = record({fetch(convolve_separable(wide, {1}, {1, 2, 3, 4, 5}))});
  const MachineProfile profile = test::flat_profile();
  const SearchSpace space{.max_ranks = 2, .regrid = Regrid::always};
  const Plan plan = plan_pipeline(pipeline, profile, *make_cost_model("p3pc", profile), space);
  EXPECT_NO_THROW(execute(plan, pipeline, world()));
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    if (plan.steps[i].site != Site::tiles) continue;
    Plan changed = plan;
    PlanStep& step = changed.steps[i];
    step.grid = grid_of(plan, step) == ProcessGrid{1, 2} ? ProcessGrid{2, 1} : ProcessGrid{1, 2};
    EXPECT_THROW(execute(changed, pipeline, world()), ParameterError) << "step " << i;
    step = plan.steps[i];
    step.grid = ProcessGrid{1, 1};
    EXPECT_THROW(execute(changed, pipeline, world()), ParameterError) << "step " << i;
  }
}

/// Without barriers in between a rank may begin the next run while others end the last one.
TEST(RunsThatAreNotTimed, FollowEachOtherAndComputeTheSame) {
  const auto small = [](const Image& image) { return convolve_separable(image, {1, 2, 1}, {1, 2, 1}); };
  const Image filtered = small(small(noise({40, 30}, {PixelType::f32, 1})));
  const Reduction total = sum(filtered);
  const Pipeline pipeline = record({fetch(filtered), {OutputKind::reduce, total.image, nullptr, total.method}});
  const MachineProfile profile = test::flat_profile();
  SearchSpace space{.max_ranks = world().ranks()};
  for (int ranks = 1; ranks <= world().ranks(); ++ranks) {
    space.ranks = ranks;
    const Plan plan = plan_pipeline(pipeline, profile, *make_cost_model("p3pc", profile), space);
    const ExecutablePlan executable(plan, pipeline, world());
    for (int run = 0; run < 20; ++run) {
      const ExecutionResult result = executable.execute({.timing = Timing::none});
      test::expect_reference_results(result, plan, pipeline);
      EXPECT_EQ(result.trace.measured_seconds, 0);
      EXPECT_TRUE(result.trace.peak_bytes.empty());
    }
  }
}

TEST(DeepHalos, OfAPlanMadeByHandMustBeThere) {
  if (world().ranks() < 2) GTEST_SKIP() << "one rank has no tiles";
  const auto small = [](const Image& image) { return convolve_separable(image, {1, 2, 1}, {1, 2, 1}); };
  const Pipeline pipeline = record({fetch(small(small(noise({20, 20}, {PixelType::f32, 1}))))});
  const MachineProfile profile = test::flat_profile();
  const SearchSpace space{
      .max_ranks = 2, .grid = GridPattern{1, 2}, .distribution = Distribution::scatter, .halo = HaloChoice::deep};
  const Plan plan = plan_pipeline(pipeline, profile, *make_cost_model("p3pc", profile), space);
  EXPECT_NO_THROW(execute(plan, pipeline, world()));
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    Plan changed = plan;
    PlanStep& step = changed.steps[i];
    if (step.kind == StepKind::scatter) {
      step.exchanged.y -= 1;
    } else if (step.kind == StepKind::compute) {
      step.margin.y += 1;
    } else {
      continue;
    }
    EXPECT_THROW(execute(changed, pipeline, world()), ParameterError) << "step " << i;
  }
}

TEST(OverlappedExchanges, OfAPlanMadeByHandMustHaveSomethingToPassBehind) {
  if (world().ranks() < 2) GTEST_SKIP() << "one rank has no tiles";
  const auto small = [](const Image& image) { return convolve_separable(image, {1, 2, 1}, {1, 2, 1}); };
  const Pipeline pipeline = record({fetch(small(small(noise({20, 20}, {PixelType::f32, 1}))))});
  const MachineProfile profile = test::flat_profile();
  const SearchSpace space{.max_ranks = 2,
                          .grid = GridPattern{1, 2},
                          .overlap = true,
                          .distribution = Distribution::scatter,
                          .halo = HaloChoice::shallow};
  const Plan plan = plan_pipeline(pipeline, profile, *make_cost_model("p3pc", profile), space);
  EXPECT_NO_THROW(execute(plan, pipeline, world()));
  const Trace trace = execute(plan, pipeline, world(), {.timing = Timing::each_step}).trace;
  int overlapped = 0;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    Plan changed = plan;
    PlanStep& step = changed.steps[i];
    if (step.overlapped) {
      ++overlapped;
      EXPECT_EQ(trace.plan.steps[i].measured_seconds.has_value(), world().is_root());
      step.cyclic = true;
    } else {
      step.overlapped = true;
    }
    EXPECT_THROW(execute(changed, pipeline, world()), ParameterError) << "step " << i;
    if (!plan.steps[i].overlapped) continue;
    changed.steps[i].cyclic = false;
    std::swap(changed.steps[i], changed.steps[i + 1]);
    EXPECT_THROW(execute(changed, pipeline, world()), ParameterError) << "what needs it comes before it";
  }
  EXPECT_EQ(overlapped, 2);
}

/// Also at those that this processor would not choose.
TEST(BitIdentity, AtEveryVectorLevel) {
  for (const SimdLevel level : test::simd_levels()) {
    const test::WithSimdLevel selected(level);
    SCOPED_TRACE(to_string(level));
    for (const PixelType type : {PixelType::u8, PixelType::f32, PixelType::f64}) {
      const Image image = noise({45, 37}, {type, 1}, 7);
      const Image along_x = gaussian_derivative(image, {.sigma = 1.5, .order_x = 1});
      const Image along_y = gaussian_derivative(image, {.sigma = 1.5, .order_y = 1});
      const Image strength = sqrt(along_x * along_x + along_y * along_y);
      const Reduction total = sum(strength);
      const Pipeline recorded =
          record({fetch(strength), fetch(along_x), {OutputKind::reduce, total.image, nullptr, total.method}});
      for (const int ranks : test::tested_ranks(world().ranks())) {
        run_and_compare(fused(recorded), recorded, {.max_ranks = world().ranks(), .ranks = ranks});
      }
    }
  }
}

TEST(BitIdentity, RandomPipelinesWithAnyHalos) {
  for (unsigned seed = 1; seed <= random_pipelines(); ++seed) {
    test::Random random(seed);
    const Extent extent{1 + random.below(24), 1 + random.below(24)};
    const std::vector<std::string> keys{"sum"};
    const Pipeline pipeline =
        seed % 2 == 0 ? test::random_chain(random, extent, keys) : test::random_pipeline(random, extent, keys);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + pipeline.describe());
    run_everywhere(fetching(pipeline), fetching(pipeline));
  }
}

}  // namespace
}  // namespace tilewright
