// The planner against all plans there are (all_plans.hpp), on random questions.
#include <gtest/gtest.h>

#include <functional>

#include "scheduler/all_plans.hpp"
#include "scheduler/planning.hpp"
#include "scheduler/random_questions.hpp"

namespace tilewright {
namespace {

using test::infinity;
using test::MakePipeline;
using test::Optimum;
using test::optimum_in_turn;
using test::optimum_of_all_plans;
using test::optimum_of_regridding;
using test::optimum_with_kept;
using test::Question;
using test::Random;
using test::random_question;

constexpr unsigned pipelines = 300;
constexpr MakePipeline all_makers[] = {test::random_pipeline, test::random_chain, test::random_wide_and_tall};

bool has_step(const Plan& plan, const std::function<bool(const PlanStep&)>& is_meant) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), is_meant);
}

TEST(Planner, FindsTheCheapestOfAllPlans) {
  int on_one_rank = 0;
  int on_several = 0;
  int packed_by_hand = 0;
  int on_few_of_a_node = 0;
  int in_blocks = 0;
  for (unsigned seed = 1; seed <= pipelines; ++seed) {
    const Question question = random_question(seed);
    const auto model = make_cost_model("", question.profile);
    const Plan plan = plan_pipeline(question.pipeline, question.profile, *model, question.space);
    const Optimum optimum = optimum_of_all_plans(question, *model);
    ASSERT_TRUE(plan.predicted_seconds);
    // Sums of the same numbers in another order: equal but for the last bits.
    const double rounding = 1e-12 * optimum.seconds;
    ASSERT_NEAR(*plan.predicted_seconds, optimum.seconds, rounding) << "seed " << seed << "\n"
                                                                    << question.pipeline.describe();
    EXPECT_NEAR(*plan.lower_bound_seconds, optimum.seconds, rounding);
    EXPECT_TRUE(plan.proven_optimal);
    on_few_of_a_node += plan.grid.mapping.is_given() && plan.ranks_per_node < question.space.ranks_per_node;
    in_blocks += plan.grid.mapping.is_in_blocks();
    packed_by_hand += has_step(plan, [](const PlanStep& step) { return step.packing == Packing::manual; });
    (plan.ranks == 1 ? on_one_rank : on_several) += optimum.possible > 1 ? 1 : 0;
  }
  EXPECT_GT(on_one_rank, 40) << "both answers must be common where there is a choice";
  EXPECT_GT(on_several, 40);
  EXPECT_GT(packed_by_hand, 5);
  EXPECT_GT(on_few_of_a_node, 3);
  EXPECT_GT(in_blocks, 0);
}

/// Plans, and sees that the plan takes `least` seconds; of infinity, that there is none.
void plan_of_cost(const Question& question, const CostModel& model, double least, unsigned seed,
                  std::optional<Plan>& plan) {
  if (least == infinity) {
    EXPECT_THROW((void)plan_pipeline(question.pipeline, question.profile, model, question.space), ParameterError);
    return;
  }
  plan = plan_pipeline(question.pipeline, question.profile, model, question.space);
  ASSERT_NEAR(*plan->predicted_seconds, least, 1e-12 * least) << "seed " << seed << "\n"
                                                              << question.pipeline.describe();
  EXPECT_TRUE(plan->proven_optimal);
}

/// Plans, and sees that no plan of all is cheaper.
void find_optimum(const Question& question, unsigned seed, Plan& plan) {
  const auto model = make_cost_model("", question.profile);
  std::optional<Plan> found;
  ASSERT_NO_FATAL_FAILURE(plan_of_cost(question, *model, optimum_of_all_plans(question, *model).seconds, seed, found));
  ASSERT_TRUE(found) << "seed " << seed;
  plan = *std::move(found);
}

TEST(Planner, FindsTheCheapestOfAllPlansForChainsOfSmallFilters) {
  int scattered_with_halo = 0;
  int computed_beyond = 0;
  int exchanged_deep = 0;
  for (unsigned seed = 1; seed <= pipelines * 3 / 8; ++seed) {
    const Question question = random_question(seed, test::random_chain);
    Plan plan;
    ASSERT_NO_FATAL_FAILURE(find_optimum(question, seed, plan));
    scattered_with_halo +=
        has_step(plan, [](const PlanStep& step) { return step.kind == StepKind::scatter && !step.exchanged.empty(); });
    computed_beyond += has_step(plan, [](const PlanStep& step) { return !step.margin.empty(); });
    exchanged_deep += has_step(plan, [&](const PlanStep& step) {
      return step.kind == StepKind::exchange && step.exchanged != question.pipeline.storage_halo(step.image);
    });
  }
  EXPECT_GT(scattered_with_halo, 20);
  EXPECT_GT(computed_beyond, 20);
  EXPECT_GT(exchanged_deep, 2);
}

TEST(Planner, FindsTheCheapestOfAllPlansThatMayOverlapExchanges) {
  constexpr int large = 8;  // so that there is something to compute meanwhile
  int overlapped = 0;
  int waiting = 0;
  for (unsigned seed = 2; seed <= pipelines / 2; seed += 2) {
    Question question = random_question(seed, test::random_chain, large);
    question.space.halo = HaloChoice::shallow;
    question.space.in_turn = false;
    question.space.distribution = Distribution::scatter;
    const auto model = make_cost_model("", question.profile);
    const Plan free = plan_pipeline(question.pipeline, question.profile, *model, question.space);
    question.space.overlap = false;
    const Plan without = plan_pipeline(question.pipeline, question.profile, *model, question.space);
    EXPECT_LE(*free.predicted_seconds, *without.predicted_seconds * (1 + 1e-12));
    EXPECT_FALSE(has_step(without, [](const PlanStep& step) { return step.overlapped; }));
    question = random_question(seed, test::random_chain, large);
    Plan plan;
    ASSERT_NO_FATAL_FAILURE(find_optimum(question, seed, plan));
    overlapped += has_step(free, [](const PlanStep& step) { return step.overlapped; });
    waiting += has_step(free, [](const PlanStep& step) { return step.kind == StepKind::exchange && !step.overlapped; });
  }
  EXPECT_GT(overlapped, 5);
  EXPECT_GT(waiting, 5);
}

TEST(Planner, FindsTheCheapestOfAllPlansThatMayChangeTheGrid) {
  int changed = 0;
  for (unsigned seed = 1; seed <= pipelines; ++seed) {
    const Question question = random_question(seed, test::random_wide_and_tall);
    Plan plan;
    ASSERT_NO_FATAL_FAILURE(find_optimum(question, seed, plan));
    changed += has_step(plan, [](const PlanStep& step) { return step.kind == StepKind::redistribute; });
  }
  EXPECT_GT(changed, 5);
}

TEST(Planner, FindsTheCheapestOfAllPlansOnUnequalNodes) {
  int uneven = 0;
  int even = 0;
  for (unsigned seed = 1; seed <= pipelines; ++seed) {
    Question question = random_question(seed, all_makers[seed % std::size(all_makers)]);
    Random random(seed);
    for (int rank = 0; rank < question.space.max_ranks; ++rank) {
      question.space.rank_speeds.push_back(random.between(1, 4));
    }
    Plan plan;
    ASSERT_NO_FATAL_FAILURE(find_optimum(question, seed, plan));
    if (plan.ranks > 1) (plan.grid.is_even() ? even : uneven) += 1;
  }
  EXPECT_GT(uneven, 40);
  EXPECT_GT(even, 5);
}

TEST(Planner, FindsTheCheapestOfAllPlansThatServeRanksInTurn) {
  int possible = 0;
  int hidden = 0;
  constexpr MakePipeline makers[] = {test::random_pipeline, test::random_chain};
  for (unsigned seed = 1; seed <= pipelines; ++seed) {
    constexpr int large = 24;  // so that messages are answered
    Question question = random_question(seed, makers[seed % std::size(makers)], large);
    question.space.in_turn = true;
    if (seed % 3 == 0) question.space.tiles = TileSizes::less_on_root;
    const auto model = make_cost_model("", question.profile);
    std::optional<Plan> plan;
    const double least = optimum_in_turn(question, *model, infinity);
    ASSERT_NO_FATAL_FAILURE(plan_of_cost(question, *model, least, seed, plan));
    if (!plan) continue;
    ++possible;
    hidden += has_step(*plan, [](const PlanStep& step) { return step.hidden_seconds > 0; });
  }
  EXPECT_GT(possible, 100);
  EXPECT_GT(hidden, 50);
}

TEST(Planner, FindsTheCheapestOfAllPlansThatKeepImagesOnTilesOrFindThemThere) {
  int kept = 0;
  int found = 0;
  int gathered = 0;
  int brought_up = 0;
  constexpr MakePipeline makers[] = {test::random_pipeline, test::random_chain};
  for (unsigned seed = 1; seed <= pipelines; ++seed) {
    Question question = random_question(seed, makers[seed % std::size(makers)]);
    Random random(seed);
    const int ranks = question.space.max_ranks;
    const std::vector<ProcessGrid> grids = grids_of(ranks);
    const bool is_tiled = ranks > 1 && random.below(2) == 0;
    const auto grid = is_tiled
                          ? std::optional(grids[static_cast<std::size_t>(random.below(static_cast<int>(grids.size())))])
                          : std::nullopt;
    question.pipeline = test::with_kept(random, std::move(question.pipeline), grid);
    question.profile = test::with_file_costs(random, question.profile);
    question.space.keeps_in_place = random.below(3) > 0;
    for (int i = 0; i < static_cast<int>(question.pipeline.images.size()); ++i) {
      const bool is_source = question.pipeline.images[static_cast<std::size_t>(i)].source != nullptr;
      if (is_source && random.below(3) == 0) question.space.counted[i] = random.between(0.01, 1);
    }
    const auto model = make_cost_model("", question.profile);
    std::optional<Plan> possible;
    ASSERT_NO_FATAL_FAILURE(plan_of_cost(question, *model, optimum_with_kept(question, *model), seed, possible));
    if (!possible) continue;
    const Plan& plan = *possible;
    const bool finds =
        has_step(plan, [](const PlanStep& step) { return step.kind == StepKind::read && step.site == Site::tiles; });
    found += finds;
    gathered += finds && has_step(plan, [](const PlanStep& step) { return step.kind == StepKind::gather; });
    for (const PlanImage& image : plan.images) kept += image.stays_on_tiles;
    brought_up += !finds && plan.ranks > 1;
  }
  EXPECT_GT(kept, 40);
  EXPECT_GT(found, 40);
  EXPECT_GT(gathered, 20);
  EXPECT_GT(brought_up, 20);
}

TEST(Planner, FindsTheCheapestOfAllPlansThatMayHaveFilesInParts) {
  int on_root = 0;
  int on_tiles = 0;
  int with_halo = 0;
  int written = 0;
  for (unsigned seed = 1; seed <= pipelines; ++seed) {
    Question question = random_question(seed, all_makers[seed % std::size(all_makers)]);
    Random random(seed);
    question.pipeline = test::with_files(random, std::move(question.pipeline));
    question.profile = test::with_file_costs(random, question.profile);
    Plan plan;
    ASSERT_NO_FATAL_FAILURE(find_optimum(question, seed, plan));
    const auto reads = [&](Site site) {
      return has_step(plan, [&](const PlanStep& s) { return s.kind == StepKind::read && s.site == site; });
    };
    on_root += plan.ranks > 1 && reads(Site::root);
    on_tiles += reads(Site::tiles);
    written +=
        has_step(plan, [](const PlanStep& step) { return step.kind == StepKind::write && step.site == Site::tiles; });
    with_halo +=
        has_step(plan, [](const PlanStep& step) { return step.kind == StepKind::read && !step.exchanged.empty(); });
  }
  EXPECT_GT(on_root, 20);
  EXPECT_GT(on_tiles, 20);
  EXPECT_GT(with_halo, 5);
  EXPECT_GT(written, 5);
}

TEST(Planner, FindsTheCheapestOfAllPlansThatMayComputeEverywhere) {
  int everywhere = 0;
  int beside_tiles = 0;
  int from_files = 0;
  int forbidden = 0;
  for (unsigned seed = 1; seed <= pipelines; ++seed) {
    Question question = random_question(seed, all_makers[seed % std::size(all_makers)]);
    Random random(seed);
    question.pipeline = test::with_fetched(random, std::move(question.pipeline));
    if (seed % 2 == 0) {
      question.pipeline = test::with_files(random, std::move(question.pipeline));
      question.profile = test::with_file_costs(random, question.profile);
    }
    if (seed % 5 == 0) {
      for (int rank = 0; rank < question.space.max_ranks; ++rank) {
        question.space.rank_speeds.push_back(random.between(1, 4));
      }
    }
    if (seed % 7 == 0) question.space.everywhere = false;
    Plan plan;
    ASSERT_NO_FATAL_FAILURE(find_optimum(question, seed, plan));
    const bool is_everywhere = has_step(plan, [](const PlanStep& step) { return step.site == Site::everywhere; });
    everywhere += is_everywhere;
    from_files += is_everywhere && seed % 2 == 0;
    beside_tiles += is_everywhere && has_step(plan, [](const PlanStep& step) {
                      return step.kind == StepKind::compute && step.site == Site::tiles;
                    });
    forbidden += is_everywhere && !question.space.everywhere;
  }
  EXPECT_GT(everywhere, 20);
  EXPECT_GT(from_files, 10);
  EXPECT_GT(beside_tiles, 3);
  EXPECT_EQ(forbidden, 0);
}

TEST(Planner, FindsTheCheapestOfThePlansThatChangeTheGridWhereThatIsForced) {
  for (unsigned seed = 1; seed <= pipelines / 3; ++seed) {
    Question question = random_question(seed, test::random_wide_and_tall);
    question.space.regrid = Regrid::always;
    const auto model = make_cost_model("", question.profile);
    std::optional<Plan> plan;
    ASSERT_NO_FATAL_FAILURE(plan_of_cost(question, *model, optimum_of_regridding(question, *model), seed, plan));
  }
}

TEST(Planner, StaysWithinTheTieZoneOfTheCheapestOfAllPlans) {
  int ties = 0;
  for (unsigned seed = 1; seed <= pipelines; ++seed) {
    Question question = random_question(seed);
    Random random(seed + pipelines);
    question.profile = test::with_spread(question.profile, random);
    const auto model = make_cost_model("", question.profile);
    const Plan plan = plan_pipeline(question.pipeline, question.profile, *model, question.space);
    const double least = optimum_of_all_plans(question, *model).seconds;
    const double rounding = 1e-12 * least;
    ASSERT_NEAR(*plan.lower_bound_seconds, least, rounding) << "seed " << seed;
    EXPECT_TRUE(plan.proven_optimal);
    EXPECT_NEAR(plan.tie ? plan.tie->fastest_seconds : *plan.predicted_seconds, least, rounding) << "seed " << seed;
    if (!plan.tie) continue;
    EXPECT_LE(*plan.predicted_seconds, least + plan.tie->zone_seconds + rounding) << "seed " << seed;
    EXPECT_LE(plan.ranks, plan.tie->fastest_grid.x * plan.tie->fastest_grid.y) << "seed " << seed;
    ++ties;
  }
  EXPECT_GT(ties, 5);
  EXPECT_LT(ties, static_cast<int>(pipelines) / 3) << "a zone so wide would choose nothing";
}

}  // namespace
}  // namespace tilewright
