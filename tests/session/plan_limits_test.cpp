// Numbers of a plan made by hand that nothing can be done with are refused, before memory is taken for them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "support/temporary_folder.hpp"
#include "support/test_pipeline.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/imgops/files.hpp"
#include "tilewright/runtime/executor.hpp"
#include "tilewright/scheduler/planner.hpp"

namespace tilewright {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr int largest_int = std::numeric_limits<int>::max();

void expect_refusal(const Plan& plan, const Pipeline& pipeline, const std::string& reason) {
  EXPECT_THAT([&] { (void)execute(plan, pipeline, Communicator::alone()); },
              ThrowsMessage<ParameterError>(HasSubstr(reason)));
}

TEST(PlanLimits, AreThoseOfHalos) {
  const Pipeline pipeline = record({test::fetch(test::filter({test::source()}, {.halo = {2, 3}}))});
  const Plan good = sequential_plan(pipeline, 1);
  const Extent extent = good.images.front().shape.extent;
  Plan plan = good;
  plan.images.front().storage_halo = {extent.width, extent.height};
  EXPECT_NO_THROW((void)execute(plan, pipeline, Communicator::alone()));
  for (const int bits : {40, 61}) {
    plan.images.front().storage_halo = {std::int64_t{1} << bits, 3};
    expect_refusal(plan, pipeline, "pixels around");
  }
}

TEST(PlanLimits, AreThoseOfBands) {
  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "a.tif").string();
  const Pipeline pipeline =
      record({{OutputKind::write, test::filter({test::source()}), image_file_sink(path), nullptr}});
  Plan plan = sequential_plan(pipeline, 1);
  PlanStep& made = *std::find_if(plan.steps.begin(), plan.steps.end(),
                                 [](const PlanStep& step) { return step.kind == StepKind::compute; });
  made.bands = static_cast<int>(plan.images.front().shape.extent.height);
  EXPECT_NO_THROW((void)execute(plan, pipeline, Communicator::alone()));
  for (const int bands : {made.bands + 1, largest_int}) {
    made.bands = bands;
    expect_refusal(plan, pipeline, "rows are cut into");
  }
}

/// As many as an int counts: no sum of them may overflow.
TEST(PlanLimits, AreNotThoseOfThreads) {
  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "a.tif").string();
  const Pipeline pipeline =
      record({{OutputKind::write, test::filter({test::source()}), image_file_sink(path), nullptr}});
  Plan plan = sequential_plan(pipeline, 1);
  plan.threads = largest_int;
  for (PlanStep& step : plan.steps) {
    if (step.kind == StepKind::compute) step.bands = 4;
  }
  (void)execute(plan, pipeline, Communicator::alone());
  const Raster whole = image_file(path)->load({});
  (void)execute(sequential_plan(pipeline, 1), pipeline, Communicator::alone());
  EXPECT_TRUE(same_pixels(whole.view(), image_file(path)->load({}).view()));
}

}  // namespace
}  // namespace tilewright
