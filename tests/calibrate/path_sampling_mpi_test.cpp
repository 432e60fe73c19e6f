// How often each message is measured.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
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

using Measuring = std::function<void(PathSampling& sampling, std::vector<PathSeries>& streams)>;

/// What the root has taken of two streams, as if the processor were rationed if there is a period; elsewhere nothing.
std::vector<RawSample> samples_of(const Measuring& measure, double ration_period_s, double reserve_s) {
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
  measure(sampling, all);
  bench.release();
  return log.samples();
}

std::vector<RawSample> samples_in(double budget_s, double ration_period_s, double reserve_s) {
  const auto measure = [&](PathSampling& sampling, std::vector<PathSeries>& all) { sampling.measure(all, budget_s); };
  return samples_of(measure, ration_period_s, reserve_s);
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

TEST(PathSampling, APilotIsASampleWhereThereIsNoOther) {
  if (world().ranks() < 2) GTEST_SKIP() << "one rank sends no messages";
  std::map<std::string, double> pilots;
  const auto pilots_alone = [&](PathSampling& sampling, std::vector<PathSeries>& all) {
    sampling.measure(all, 0);
    for (const PathSeries& series : all) {
      EXPECT_TRUE(series.samples.empty());
      EXPECT_EQ(sampling.fitted(series)->time.seconds, series.pilot_s);
      pilots[cell_name(series.cell)] = series.pilot_s;
    }
    sampling.keep_pilots(all);
  };
  for (const RawSample& sample : samples_of(pilots_alone, 0, 1)) {
    if (is_of_state(sample)) continue;
    EXPECT_EQ(sample.seconds, pilots.at(sample.cell));
  }
  EXPECT_EQ(pilots.size(), world().is_root() ? 2U : 0U);

  const auto with_visits = [&](PathSampling& sampling, std::vector<PathSeries>& all) {
    sampling.measure(all, 0);
    for (const PathSeries& series : all) pilots[cell_name(series.cell)] = series.pilot_s;
    sampling.measure(all, 0.2);
    sampling.keep_pilots(all);
  };
  const std::vector<RawSample> visited = samples_of(with_visits, 0, 1);
  EXPECT_EQ(count_by_cell(visited).size(), world().is_root() ? 2U : 0U);
  for (const RawSample& sample : visited) {
    if (is_of_state(sample)) continue;
    EXPECT_NE(sample.seconds, pilots.at(sample.cell));
  }
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
