#include "tilewright/model/concurrent_steps.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace tilewright {
namespace {

PlanStep write_to(const std::string& file) {
  PlanStep step;
  step.kind = StepKind::write;
  step.operation = file;
  return step;
}

Plan plan_of(std::vector<PlanStep> steps) {
  Plan plan;
  plan.threads = 2;
  plan.steps = std::move(steps);
  return plan;
}

TEST(StepsTogether, AreWritesThatFollowEachOther) {
  const Plan plan = plan_of({PlanStep{}, write_to("a"), write_to("b"), write_to("c"), PlanStep{}, write_to("d")});
  EXPECT_EQ(steps_together(plan, 0), 1U);
  EXPECT_EQ(steps_together(plan, 1), 3U);
  EXPECT_EQ(steps_together(plan, 4), 1U);
  EXPECT_EQ(steps_together(plan, 5), 1U);
}

TEST(StepsTogether, IsOneForOneThread) {
  Plan plan = plan_of({write_to("a"), write_to("b")});
  plan.threads = 1;
  EXPECT_EQ(steps_together(plan, 0), 1U);
}

TEST(StepsTogether, DoNotRaceForOneFile) {
  const Plan plan = plan_of({write_to("a"), write_to("b"), write_to("a"), write_to("c")});
  EXPECT_EQ(steps_together(plan, 0), 2U);
  EXPECT_EQ(steps_together(plan, 2), 2U);
}

TEST(BandsInMemory, AreNoMoreThanThereAre) {
  EXPECT_EQ(bands_in_memory(10, 1), 3);
  EXPECT_EQ(bands_in_memory(10, 8), 10);
  EXPECT_EQ(bands_in_memory(10, std::numeric_limits<int>::max()), 10);
}

TEST(BytesTogether, AreThoseOfTheLargest) {
  EXPECT_EQ(bytes_together({3, 10, 4, 7}, 2), 17);
  EXPECT_EQ(bytes_together({3, 10}, 8), 13);
  EXPECT_EQ(bytes_together({}, 2), 0);
}

}  // namespace
}  // namespace tilewright
