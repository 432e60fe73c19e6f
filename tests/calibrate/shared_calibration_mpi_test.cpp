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

/// Half of what they take where nothing is found again, or less; of times of microseconds the least tells most.
TEST(SharedCalibration, FindsWhatLittleElsePassesByInTheCaches) {
  constexpr std::int64_t bytes = 256 * 1024;
  std::vector<PathCell> wanted;
  if (world().is_root()) {
    for (const Path path : {Path::shared, Path::shared_warm, Path::message_scatter, Path::message_scatter_warm,
                            Path::message_scatter_rested, Path::message_scatter_spilled}) {
      wanted.push_back({path, Layout::cc, bytes, {}});
    }
    for (const Path path : {Path::message_scatter, Path::message_scatter_warm})
      wanted.push_back({path, Layout::cc, bytes, {}, Packing::manual});
  }
  const std::vector<PathCell> now = measure_sharing(world(), wanted, 12, 0.5);
  if (!world().is_root() || world().sharing_ranks() < 2) return;
  std::map<Path, double> seconds, by_hand;
  for (const PathCell& cell : now) {
    (cell.packing == Packing::manual ? by_hand : seconds)[cell.path] = cell.time.seconds;
  }
  EXPECT_EQ(seconds.size(), 10U) << "and a gather of each kind";
  EXPECT_EQ(by_hand.size(), 2U);
  if (world().wait_policy() != WaitPolicy::fast) return;  // ranks wait for each other's core most of the time
  // What is scattered through the memory was put there just before.
  for (const Path cold : {Path::shared_gather, Path::message_scatter}) {
    EXPECT_GT(seconds[cold], 1.1 * seconds[path_of(cold, Warm::yes).value()]) << to_string(cold);
  }
  EXPECT_GT(by_hand[Path::message_scatter], 1.1 * by_hand[Path::message_scatter_warm]);
  EXPECT_GT(seconds[Path::shared_gather_spilled], 1.1 * seconds[Path::shared_gather_warm]);
}

TEST(SharedCalibration, MeasuresNothingThatIsNotAskedFor) {
  EXPECT_TRUE(measure_sharing(world(), {}, 6, 0.1).empty());
}

}  // namespace
}  // namespace tilewright
