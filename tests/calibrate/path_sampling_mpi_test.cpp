// How often each message is measured.
#include <gtest/gtest.h>

#include <vector>

#include "../../src/calibrate/message_team.hpp"
#include "../../src/calibrate/path_sampling.hpp"
#include "support/mpi_environment.hpp"
#include "tilewright/calibrate/message_shape.hpp"

namespace tilewright {
namespace {

using test::world;

constexpr std::int64_t message_bytes = 4 << 20;

/// On the root, of streams there and back in so many seconds, as if the processor were rationed; elsewhere none.
std::vector<std::size_t> samples_in(double budget_s, double ration_period_s, double reserve_s) {
  PathBench bench(world(), {world().is_root() ? 1 : 0}, message_bytes);
  if (!world().is_root()) {
    if (world().rank() == 1) bench.serve();
    return {};
  }
  SampleLog log;
  Progress progress({}, 1);
  PathSampling sampling(bench, 31, reserve_s, 1, switches_of(world()), ration_period_s, log, progress);
  const std::vector<PathCell> cells{{Path::send, Layout::cc, message_bytes, {}, Packing::datatype},
                                    {Path::recv, Layout::cc, message_bytes, {}, Packing::datatype}};
  std::vector<PathSeries> all = series_of(cells, log);
  sampling.measure(all, budget_s);
  bench.release();
  std::vector<std::size_t> samples;
  for (const PathSeries& series : all) samples.push_back(series.samples.size());
  return samples;
}

/// A burst tells what it can in ten periods, here 40 ms; three of a third of a second each would use up the time.
TEST(PathSampling, MoreTimeMakesMoreBurstsOfARationedProcessorNotLongerOnes) {
  if (world().ranks() < 2) GTEST_SKIP() << "one rank sends no messages";
  for (const std::size_t samples : samples_in(2, 4e-3, 1)) EXPECT_GE(samples, 6U);
}

}  // namespace
}  // namespace tilewright
