// A write is priced by the threads that share it, and its memory counts them.
#include <gtest/gtest.h>

#include "support/flat_profile.hpp"
#include "tilewright/imgops/files.hpp"
#include "tilewright/pipeline/pipeline.hpp"
#include "tilewright/scheduler/planner.hpp"

namespace tilewright {
namespace {

PlanStep write_step(const std::string& file, const ImageShape& shape, int threads) {
  const Image image(assumed_file("in.tif", shape));
  const Pipeline pipeline = record({{OutputKind::write, image, image_file_sink(file), nullptr}});
  const MachineProfile profile = test::flat_profile();
  SearchSpace space{.max_ranks = 1, .ranks_per_node = 1};
  space.threads = threads;
  return plan_pipeline(pipeline, profile, *make_cost_model("p3pc", profile), space).steps.back();
}

TEST(WriteCosts, AreSharedByThreadsThatCompressPng) {
  const ImageShape large{{2000, 1500}, {PixelType::u8, 1}};
  EXPECT_DOUBLE_EQ(*write_step("a.png", large, 1).predicted_seconds,
                   4 * *write_step("a.png", large, 4).predicted_seconds);
  EXPECT_DOUBLE_EQ(*write_step("a.tif", large, 1).predicted_seconds, *write_step("a.tif", large, 4).predicted_seconds);
}

TEST(WriteCosts, AreNotSharedByMoreThreadsThanThereAreBands) {
  const ImageShape small{{100, 100}, {PixelType::u8, 1}};
  EXPECT_DOUBLE_EQ(*write_step("a.png", small, 1).predicted_seconds, *write_step("a.png", small, 4).predicted_seconds);
}

TEST(WriteCosts, CountTheMemoryOfEachThread) {
  const ImageShape large{{2000, 1500}, {PixelType::u8, 1}};
  const auto png = image_file_sink("a.png");
  const std::int64_t one = png->scratch_bytes(large, 1);
  EXPECT_GE(one, large.bytes());
  EXPECT_GT(png->scratch_bytes(large, 4), one);
  EXPECT_LE(png->scratch_bytes(large, 4), 2 * large.bytes()) << "what OpenCV takes";
  EXPECT_EQ(image_file_sink("a.tif")->scratch_bytes(large, 1), image_file_sink("a.tif")->scratch_bytes(large, 4));
}

}  // namespace
}  // namespace tilewright
