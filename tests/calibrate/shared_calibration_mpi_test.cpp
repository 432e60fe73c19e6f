// Transfers through shared memory, measured again.
#include <gtest/gtest.h>

#include <map>

#include "../../src/calibrate/shared_calibration.hpp"
#include "support/mpi_environment.hpp"

namespace tilewright {
namespace {

using test::world;

TEST(SharedCalibration, MeasuresScattersAndTheirGathers) {
  const std::vector<PathCell> wanted =
      world().is_root()
          ? std::vector<PathCell>{{Path::shared, Layout::cc, 4096, {}}, {Path::shared, Layout::nn, 1 << 20, {}}}
          : std::vector<PathCell>();
  const std::vector<PathCell> now = measure_sharing(world(), wanted, 6, 0.1);
  if (!world().is_root() || world().sharing_ranks() < 2) {
    EXPECT_TRUE(now.empty());
    return;
  }
  ASSERT_EQ(now.size(), 4U);
  std::map<Path, std::map<Layout, double>> seconds;
  for (const PathCell& cell : now) {
    EXPECT_GE(cell.time.samples, 1);
    seconds[cell.path][cell.layout] = cell.time.seconds;
  }
  for (const Path path : {Path::shared, Path::shared_gather}) {
    EXPECT_GT(seconds[path][Layout::cc], 0) << to_string(path);
    if (world().wait_policy() != WaitPolicy::fast) continue;  // ranks wait for each other's core most of the time
    EXPECT_GT(seconds[path][Layout::nn], seconds[path][Layout::cc]) << to_string(path) << ": 256 times as many bytes";
  }
}

TEST(SharedCalibration, MeasuresNothingThatIsNotAskedFor) {
  EXPECT_TRUE(measure_sharing(world(), {}, 6, 0.1).empty());
}

}  // namespace
}  // namespace tilewright
