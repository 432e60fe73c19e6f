// Places in shared memory: what is there at one time does not overlap, and what is not may.
#include "../../src/runtime/shared_places.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

constexpr ImageShape shape{{1024, 1024}, {PixelType::f32, 1}};  // 4 MiB
constexpr std::int64_t image_bytes = std::int64_t{4} << 20;

PlanStep step_of(StepKind kind, int image, std::optional<Algorithm> algorithm, std::vector<Release> releases = {}) {
  PlanStep step;
  step.kind = kind;
  step.image = image;
  step.algorithm = algorithm;
  step.releases = std::move(releases);
  return step;
}

/// Image 0 is read and scattered; 1, 2 and 3 are computed together, gathered and written, one after the other.
Plan plan_with(Algorithm scatter, Algorithm gather) {
  Plan plan;
  plan.images.assign(4, {"image", shape, {}});
  plan.steps.push_back(step_of(StepKind::read, 0, {}));
  plan.steps.push_back(step_of(StepKind::scatter, 0, scatter, {{0, true}}));
  PlanStep compute = step_of(StepKind::compute, 1, {}, {{0, false}});
  compute.site = Site::tiles;
  compute.results = 3;
  plan.steps.push_back(compute);
  for (int image = 1; image < 4; ++image) {
    plan.steps.push_back(step_of(StepKind::gather, image, gather, {{image, false}}));
    plan.steps.push_back(step_of(StepKind::write, image, {}, {{image, true}}));
  }
  return plan;
}

TEST(SharedPlaces, NoneWhereNothingIsShared) {
  const SharedPlaces places = shared_places(plan_with(Algorithm::oft, Algorithm::sbt));
  EXPECT_EQ(places.bytes, 0);
  for (const auto& offset : places.offset) EXPECT_FALSE(offset.has_value());
}

TEST(SharedPlaces, OfOneImageForAllThatAreThereOneAfterTheOther) {
  const SharedPlaces places = shared_places(plan_with(Algorithm::shared, Algorithm::shared));
  EXPECT_EQ(places.bytes, image_bytes);
  for (const auto& offset : places.offset) EXPECT_EQ(offset, 0);
}

TEST(SharedPlaces, ApartWhereImagesAreThereAtOneTime) {
  Plan plan = plan_with(Algorithm::shared, Algorithm::shared);
  plan.steps[1].releases.clear();  // the input stays
  plan.steps[4].releases.clear();  // and so does the first result
  const SharedPlaces places = shared_places(plan);
  EXPECT_EQ(places.offset[0], 0);
  EXPECT_EQ(places.offset[1], image_bytes);
  EXPECT_EQ(places.offset[2], 2 * image_bytes);
  EXPECT_EQ(places.offset[3], 2 * image_bytes);
  EXPECT_EQ(places.bytes, 3 * image_bytes);
}

/// Ranks that are early send into what is gathered in turn while others still read what was there before.
TEST(SharedPlaces, OfWhatIsGatheredInTurnAreItsOwnFromTheFirstTurnOn) {
  Plan plan = plan_with(Algorithm::shared, Algorithm::shared);
  plan.steps[1].algorithm = Algorithm::oft;
  plan.steps[1].in_turn = true;
  plan.steps[3].releases.clear();
  plan.steps[5].algorithm = Algorithm::oft;  // the second result's gather
  plan.steps[5].in_turn = true;
  plan.steps[6].kind = StepKind::broadcast;  // and to all ranks, through shared memory
  plan.steps[6].algorithm = Algorithm::shared;
  const SharedPlaces places = shared_places(plan);
  ASSERT_TRUE(places.offset[1] && places.offset[2]);
  EXPECT_NE(*places.offset[1], *places.offset[2]);
}

}  // namespace
}  // namespace tilewright
