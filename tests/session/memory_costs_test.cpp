// What images in memory cost: nothing where operators make the border up; else a copy if they are small, and copies of
// the strips along their edges if not.
#include <gtest/gtest.h>

#include "support/flat_profile.hpp"
#include "support/test_pipeline.hpp"
#include "tilewright/core/edges.hpp"
#include "tilewright/imgops/files.hpp"
#include "tilewright/imgops/gaussian.hpp"
#include "tilewright/pipeline/pipeline.hpp"
#include "tilewright/scheduler/planner.hpp"

namespace tilewright {
namespace {

constexpr double seconds_per_value = 1e-8;

Image in_memory(const Extent& extent) {
  return Image(image_in_memory(Raster(ImageShape{extent, {PixelType::f32, 1}}), "memory"));
}

/// By an operator that wants its border filled in.
Pipeline sum_in_memory(const Extent& extent) {
  return record({test::keep(test::filter({in_memory(extent)}, {.halo = {7, 8}, .work_keys = {"convolve_2d"}}))});
}

Plan plan_on_one_rank(const Pipeline& pipeline, int threads) {
  const MachineProfile profile = test::flat_profile(seconds_per_value);
  SearchSpace space{.max_ranks = 1, .ranks_per_node = 1};
  space.threads = threads;
  return plan_pipeline(pipeline, profile, *make_cost_model("p3pc", profile), space);
}

double work_seconds(const Pipeline& pipeline, const Rect& area) {
  double sum = 0;
  for (const Work& work : pipeline.images[1].op->work(pipeline.input_shapes(1), {area.width(), area.height()})) {
    sum += work.units * seconds_per_value;
  }
  return sum;
}

TEST(MemoryCosts, OfALargeImageAreThoseOfItsMiddleAndOfItsStrips) {
  const Extent extent{1100, 1000};
  const Pipeline pipeline = sum_in_memory(extent);
  const Halo halo = pipeline.images[1].op->halo();
  const Edges edges = edges_of(extent, halo);
  ASSERT_EQ(edges.strips.size(), 4U);
  double computing = work_seconds(pipeline, edges.middle);
  double copying = 0;
  for (const Rect& strip : edges.strips) {
    computing += work_seconds(pipeline, strip);
    const std::int64_t all = padded(strip, halo).pixels();
    const std::int64_t outside = all - intersection(padded(strip, halo), rect_of(extent)).pixels();
    copying += static_cast<double>(all + outside) * seconds_per_value;
  }
  for (const int threads : {1, 2}) {
    const Plan plan = plan_on_one_rank(pipeline, threads);
    ASSERT_EQ(plan.steps.size(), 2U);
    EXPECT_DOUBLE_EQ(*plan.steps[0].predicted_seconds, 0) << "it is lent";
    EXPECT_NEAR(*plan.steps[1].predicted_seconds, computing / threads + copying, 1e-12);
  }
}

TEST(MemoryCosts, OfASmallImageAreThoseOfACopy) {
  const Extent extent{300, 200};
  const Pipeline pipeline = sum_in_memory(extent);
  const Plan plan = plan_on_one_rank(pipeline, 1);
  ASSERT_EQ(plan.steps.size(), 2U);
  EXPECT_NEAR(*plan.steps[0].predicted_seconds, static_cast<double>(extent.pixels()) * seconds_per_value, 1e-12);
  const std::int64_t border = padded(rect_of(extent), pipeline.storage_halo(0)).pixels() - extent.pixels();
  EXPECT_NEAR(*plan.steps[1].predicted_seconds,
              work_seconds(pipeline, rect_of(extent)) + static_cast<double>(border) * seconds_per_value, 1e-12);
}

TEST(MemoryCosts, OfAnOperatorThatMakesTheBorderAreThoseOfItsWork) {
  for (const Extent& extent : {Extent{300, 200}, {1100, 1000}}) {
    const Pipeline pipeline = record({test::keep(gaussian_derivative(in_memory(extent), {.sigma = 2, .order_x = 1}))});
    const Plan plan = plan_on_one_rank(pipeline, 1);
    ASSERT_EQ(plan.steps.size(), 2U);
    EXPECT_DOUBLE_EQ(*plan.steps[0].predicted_seconds, 0) << "it is lent";
    EXPECT_NEAR(*plan.steps[1].predicted_seconds, work_seconds(pipeline, rect_of(extent)), 1e-12);
    EXPECT_EQ(plan.images[0].storage_halo, Halo{});
  }
}

}  // namespace
}  // namespace tilewright
