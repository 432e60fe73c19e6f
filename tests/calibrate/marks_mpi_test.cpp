// What disturbs any rank marks the samples of all of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "../../src/calibrate/disturbance.hpp"
#include "../../src/calibrate/pattern_calibration.hpp"
#include "../../src/calibrate/shared_calibration.hpp"
#include "support/mpi_environment.hpp"
#include "switching_threads.hpp"

namespace tilewright {
namespace {

using test::world;

/// Patterns, exchanges and copies that take turns, while a stranger is on the second rank's core.
std::vector<RawSample> samples_beside_a_stranger() {
  PathEffort effort;
  effort.sizes = {0, 1024};
  effort.overlapped_sizes = {4096};
  effort.passes = effort.fewest_passes = 3;
  SampleLog log;
  Progress progress({}, 1);
  std::optional<test::SwitchingThreads> stranger;
  if (world().rank() == 1) stranger.emplace();
  calibrate_patterns(team_between_nodes(world()), effort, log, progress);
  calibrate_sharing(world(), effort, log, progress);
  world().barrier();
  return log.samples();
}

/// Of the kinds of cells that are wanted, those without a marked sample.
std::vector<std::string> unmarked(const std::vector<std::string>& wanted, const std::vector<RawSample>& samples) {
  std::vector<std::string> missing;
  for (const std::string& kind : wanted) {
    const bool is_marked = std::ranges::any_of(samples, [&](const RawSample& sample) {
      return sample.disturbed && sample.cell.find(kind) != std::string::npos;
    });
    if (!is_marked) missing.push_back(kind);
  }
  return missing;
}

/// A stranger comes when the system lets it, so not every sample of some milliseconds meets it.
TEST(Marks, WhereCoresAreTheirOwnAreOfAllRanks) {
  if (world().ranks() < 2) GTEST_SKIP() << "one rank sends no messages";
  if (!world().of_root(switches_of(world()) == Switches::foreign)) return;
  constexpr int most_attempts = 40;
  std::vector<std::string> missing{"swap/cc", "-to-", "exposed-swap/", "shared/"};
  for (int i = 0; i < most_attempts && world().of_root(!missing.empty()); ++i) {
    const std::vector<RawSample> samples = samples_beside_a_stranger();
    if (world().is_root()) missing = unmarked(missing, samples);
  }
  if (world().is_root()) {
    EXPECT_EQ(missing, std::vector<std::string>());
  }
}

}  // namespace
}  // namespace tilewright
