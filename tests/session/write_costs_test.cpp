// Writes that several threads do at the same time: what they are priced at, and the memory that they take.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/flat_profile.hpp"
#include "tilewright/imgops/files.hpp"
#include "tilewright/pipeline/pipeline.hpp"
#include "tilewright/scheduler/planner.hpp"

namespace tilewright {
namespace {

const ImageShape shape{{2000, 1500}, {PixelType::u8, 1}};

Plan plan_of_writes(const std::vector<std::string>& files, int threads, int cores) {
  const Image image(assumed_file("in.tif", shape));
  std::vector<OutputRequest> outputs;
  for (const std::string& file : files) outputs.push_back({OutputKind::write, image, image_file_sink(file), nullptr});
  const MachineProfile profile = test::flat_profile();
  SearchSpace space{.max_ranks = 1, .ranks_per_node = 1, .cores_per_node = cores};
  space.threads = threads;
  return plan_pipeline(record(outputs), profile, *make_cost_model("p3pc", profile), space);
}

/// Predicted.
double seconds_of_writes(const std::vector<std::string>& files, int threads, int cores = 8) {
  double sum = 0;
  for (const PlanStep& step : plan_of_writes(files, threads, cores).steps) {
    if (step.kind == StepKind::write) sum += *step.predicted_seconds;
  }
  return sum;
}

TEST(WriteCosts, AreSharedByThreads) {
  const double alone = seconds_of_writes({"a.tif"}, 1);
  EXPECT_DOUBLE_EQ(seconds_of_writes({"a.tif"}, 2), alone) << "a sink has one thread";
  EXPECT_DOUBLE_EQ(seconds_of_writes({"a.tif", "b.png", "c.tif", "d.pgm"}, 1), 4 * alone);
  EXPECT_DOUBLE_EQ(seconds_of_writes({"a.tif", "b.png", "c.tif", "d.pgm"}, 2), 2 * alone);
  EXPECT_DOUBLE_EQ(seconds_of_writes({"a.tif", "b.png"}, 8), alone) << "no less than the longest of them";
  EXPECT_DOUBLE_EQ(seconds_of_writes({"a.tif", "b.png", "c.tif", "d.pgm"}, 64, 2), 2 * alone) << "two cores do two";
}

TEST(WriteCosts, CountTheMemoryOfThoseThatRunTogether) {
  const auto scratch = [](const char* file) { return image_file_sink(file)->scratch_bytes(shape); };
  const std::int64_t one = plan_of_writes({"a.png", "b.tif", "c.jpg"}, 1, 8).root_bytes;
  const std::int64_t two = plan_of_writes({"a.png", "b.tif", "c.jpg"}, 2, 8).root_bytes;
  EXPECT_EQ(two - one, std::min(scratch("a.png"), scratch("c.jpg")));
}

}  // namespace
}  // namespace tilewright
