// How often each message is measured.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "../../src/calibrate/message_team.hpp"
#include "../../src/calibrate/path_sampling.hpp"
#include "support/mpi_environment.hpp"
#include "tilewright/calibrate/message_shape.hpp"
#include "tilewright/model/cell_names.hpp"

namespace tilewright {
namespace {

using test::world;

constexpr std::int64_t message_bytes = 4 << 20;

/// What the root has taken in so many seconds of two streams, as if the processor were rationed if there is a period;
/// elsewhere nothing.
std::vector<RawSample> samples_in(double budget_s, double ration_period_s, double reserve_s) {
  PathBench bench(world(), {world().is_root() ? 1 : 0}, message_bytes);
  if (!world().is_root()) {
    if (world().rank() == 1) bench.serve();
    return {};
  }
  SampleLog log;
  Progress progress({}, 1);
  PathSampling sampling(bench, {31}, reserve_s, switches_of(world()), ration_period_s, log, progress);
  const std::vector<PathCell> cells{{Path::send, Layout::cc, message_bytes, {}, Packing::datatype},
                                    {Path::recv, Layout::cc, message_bytes, {}, Packing::datatype}};
  std::vector<PathSeries> all = series_of(cells, log);
  sampling.measure(all, budget_s);
  bench.release();
  return log.samples();
}

bool is_of_state(const RawSample& sample) {
  return sample.cell == cell_name(message_of_state(false));
}

std::map<std::string, int> count_by_cell(const std::vector<RawSample>& samples) {
  std::map<std::string, int> counts;
  for (const RawSample& sample : samples) {
    if (!is_of_state(sample)) ++counts[sample.cell];
  }
  return counts;
}

/// A burst tells what it can in ten periods, here 40 ms; three of a third of a second each would use up the time.
TEST(PathSampling, MoreTimeMakesMoreBurstsOfARationedProcessorNotLongerOnes) {
  if (world().ranks() < 2) GTEST_SKIP() << "one rank sends no messages";
  const auto counts = count_by_cell(samples_in(2, 4e-3, 1));
  EXPECT_EQ(counts.size(), world().is_root() ? 2U : 0U);
  for (const auto& [cell, count] : counts) EXPECT_GE(count, 6) << cell;
}

/// An empty message there and back again, before the first of them and between others.
TEST(PathSampling, LooksAtTheStateOfTheMachineAmongMessages) {
  if (world().ranks() < 2) GTEST_SKIP() << "one rank sends no messages";
  const std::vector<RawSample> samples = samples_in(2, 0, 1);
  if (!world().is_root()) return;
  ASSERT_FALSE(samples.empty());
  EXPECT_TRUE(is_of_state(samples.front()));
  const auto another = std::find_if_not(samples.begin(), samples.end(), is_of_state);
  EXPECT_TRUE(std::any_of(another, samples.end(), is_of_state));
  EXPECT_LE(std::ranges::count_if(samples, is_of_state), 21) << "every tenth of a second at most";
}

}  // namespace
}  // namespace tilewright
