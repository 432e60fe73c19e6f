#include "../../src/session/told_plans.hpp"

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

std::size_t plans_in(const std::string& path) {
  return plans_from_json(test::content_of(path)).size();
}

TEST(ToldPlans, ShortSegmentsDoNotWriteAllTheOthersAnew) {
  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "plans.json").string();
  ToldPlans plans(path, PlanFormat::json);
  const ToldPlans::Clock::time_point start = ToldPlans::Clock::now();
  plans.add({}, start);
  EXPECT_EQ(plans_in(path), 1U);
  for (int i = 0; i < 9; ++i) plans.add({}, start);
  EXPECT_EQ(plans_in(path), 1U) << "it is not long ago";
  plans.add({}, start + std::chrono::hours(1));
  EXPECT_EQ(plans_in(path), 11U);
  plans.add({}, start + std::chrono::hours(1));
  plans.finish();
  EXPECT_EQ(plans_in(path), 12U);
}

TEST(ToldPlans, WithoutAnyThereIsNoFile) {
  const test::TemporaryFolder folder;
  ToldPlans((folder.path() / "plans.json").string(), PlanFormat::json).finish();
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace tilewright
