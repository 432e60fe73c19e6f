#include "../../src/calibrate/refit.hpp"

#include <gtest/gtest.h>

#include <map>

#include "tilewright/calibrate/fit.hpp"
#include "tilewright/model/cell_names.hpp"

namespace tilewright {
namespace {

std::vector<RawSample> samples_of(const std::string& cell, int launch, const std::vector<double>& seconds) {
  std::vector<RawSample> samples;
  for (const double time : seconds) samples.push_back({cell, launch, 0, time});
  return samples;
}

void append(std::vector<RawSample>& all, const std::vector<RawSample>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

TEST(Refit, OfOneLaunchIsItsFit) {
  std::vector<RawSample> samples = samples_of("send/cc/4096", 0, {3, 1, 2});
  append(samples, samples_of("full/nc/0", 0, {8, 10, 12}));
  append(samples, samples_of("full/nc/4000", 0, {20, 21, 22}));
  append(samples, samples_of("copy/f32/0/65536", 0, {5, 7, 6}));
  const MachineProfile profile = fitted_profile("m", {}, samples);
  ASSERT_EQ(profile.paths().size(), 3U);
  EXPECT_EQ(profile.paths()[0].time, fit(std::vector<double>{3, 1, 2}));
  EXPECT_EQ(profile.paths()[1].time, fit_empty_full(std::vector<double>{8, 10, 12}));
  EXPECT_EQ(profile.paths()[2].time, fit_full(std::vector<double>{20, 21, 22}, std::vector<double>{8, 10, 12}));
  ASSERT_EQ(profile.operators().size(), 1U);
  EXPECT_EQ(profile.operators()[0].time_per_unit.seconds, 6);
}

TEST(Refit, EachLaunchCountsOnce) {
  std::vector<RawSample> samples = samples_of("send/cc/4096", 0, {10, 10, 10, 10, 10, 10, 10, 10});
  append(samples, samples_of("send/cc/4096", 1, {12}));
  append(samples, samples_of("send/cc/4096", 2, {14, 14}));
  const MachineProfile profile = fitted_profile("m", {}, samples);
  EXPECT_EQ(profile.paths()[0].time.seconds, 12) << "not that of the launch with the most samples";
  EXPECT_EQ(profile.paths()[0].time.spread_s, 1) << "launches differ by more than their samples";
  EXPECT_EQ(profile.paths()[0].time.samples, 11);
}

TEST(Refit, GoesOfMessagesBetweenOperatorsCountTheirMean) {
  std::vector<RawSample> samples = samples_of("send/cc/4096", 0, {10, 11, 10, 10});
  append(samples, samples_of("full/cc/0", 0, {2}));
  append(samples, samples_of("full/cc/8", 0, {10}));
  append(samples, samples_of("copy/f32/0/65536", 0, {5, 5}));
  append(samples, samples_of("send/cc/4096", 0, {20}));
  append(samples, samples_of("full/cc/0", 0, {4}));
  append(samples, samples_of("full/cc/8", 0, {22}));
  append(samples, samples_of("copy/f32/0/65536", 0, {9}));
  append(samples, samples_of("send/cc/4096", 0, {30, 30, 30}));
  const MachineProfile profile = fitted_profile("m", {}, samples);
  ASSERT_EQ(profile.paths().size(), 3U);
  const Estimate& send = profile.paths()[0].time;
  EXPECT_EQ(send.seconds, 20) << "each go as in the mean of all, and none is left out";
  EXPECT_EQ(send.samples, 8);
  EXPECT_EQ(send.spread_s, 5) << "that of the goes";
  EXPECT_NEAR(profile.paths()[1].time.seconds, 1.5, 0.02);
  EXPECT_NEAR(profile.paths()[2].time.seconds, (9 + 20) / 2.0, 0.2) << "each less the way back of its go";
  EXPECT_EQ(profile.operators()[0].time_per_unit.seconds, 5) << "the median of all of a launch";
  append(samples, samples_of("send/cc/4096", 1, {90}));
  append(samples, samples_of("send/cc/4096", 2, {21}));
  EXPECT_EQ(fitted_profile("m", {}, samples).paths()[0].time.seconds, 21) << "launches count their median";
}

/// Strangers came for the seconds in which two of a go's three samples were taken; the second go was slower as a whole.
TEST(Refit, AGoOfFewSamplesDoesNotSpoilAMessage) {
  std::vector<RawSample> samples;
  for (const double slower : {1.0, 1.2, 1.0}) {
    for (const std::string size : {"256", "1024", "2048", "4096", "8192", "16384", "32768"})
      append(samples, samples_of("send/cc/" + size, 0, {5 * slower, 5 * slower}));
    const double strangers = slower > 1 ? 9 : 1;
    append(samples, samples_of("send/cc/512", 0, {5 * slower, 5 * slower * strangers, 5 * slower * strangers}));
    append(samples, samples_of("all-to-all/cc/512", 0, {5 * slower * strangers}));
    append(samples, samples_of("copy/f32/0/65536", 0, {5}));
  }
  const MachineProfile profile = fitted_profile("m", {}, samples);
  const auto seconds = [&](const std::string& name) { return find_cell(profile.paths(), name)->time.seconds; };
  EXPECT_NEAR(seconds("send/cc/512"), 5 * 3.2 / 3, 1e-9);
  EXPECT_NEAR(seconds("send/cc/1024"), 5 * 3.2 / 3, 1e-9);
  EXPECT_NEAR(seconds("all-to-all/cc/512"), 5 * (2 + 1.2 * 9) / 3, 1e-9) << "what all ranks do at once has its mean";
}

TEST(Refit, WhatSomeGoesHaveNotMeasuredIsToldByWhatAllHave) {
  std::vector<RawSample> samples = samples_of("send/cc/4096", 0, {10});
  append(samples, samples_of("send/cc/8192", 0, {20}));
  append(samples, samples_of("send/nc/8000", 0, {7}));
  append(samples, samples_of("copy/f32/0/65536", 0, {5}));
  append(samples, samples_of("send/cc/4096", 0, {30}));
  append(samples, samples_of("send/cc/6144", 0, {45}));
  append(samples, samples_of("send/cc/8192", 0, {60}));
  append(samples, samples_of("send/nc/8000", 0, {7}));
  append(samples, samples_of("send/cn/8000", 0, {9}));
  const MachineProfile profile = fitted_profile("m", {}, samples);
  std::map<std::string, double> seconds;
  for (const PathCell& cell : profile.paths()) seconds[cell_name(cell)] = cell.time.seconds;
  EXPECT_EQ(seconds.at("send/cc/4096"), 20);
  EXPECT_EQ(seconds.at("send/cc/6144"), 30) << "the second go took 1.5 times as long as both in the mean";
  EXPECT_EQ(seconds.at("send/cc/8192"), 40);
  EXPECT_EQ(seconds.at("send/nc/8000"), 7);
  EXPECT_EQ(seconds.at("send/cn/8000"), 9) << "no other cell of the layout tells";
}

TEST(Refit, RoundTripsGoWithTheEmptyMessageOfTheirLaunch) {
  std::vector<RawSample> samples = samples_of("full/cc/0", 0, {2});
  append(samples, samples_of("full/cc/8", 0, {10}));
  append(samples, samples_of("full/cc/8", 1, {50}));
  append(samples, samples_of("full/nn/8", 0, {50}));
  const MachineProfile profile = fitted_profile("m", {}, samples);
  ASSERT_EQ(profile.paths().size(), 2U) << "nn has none";
  EXPECT_EQ(profile.paths()[1].time.seconds, 9) << "the second launch has none";
}

TEST(Refit, MessagesWithinANodeAreCellsOfTheirOwn) {
  std::vector<RawSample> samples = samples_of("send/cc/4096", 0, {10});
  append(samples, samples_of("within/send/cc/4096", 0, {1}));
  append(samples, samples_of("full/cc/0", 0, {20}));
  append(samples, samples_of("full/cc/8", 0, {40}));
  append(samples, samples_of("within/full/cc/0", 0, {2}));
  append(samples, samples_of("within/full/cc/8", 0, {4}));
  append(samples, samples_of("full/nc/0", 0, {20}));
  append(samples, samples_of("within/full/nc/400", 0, {50}));
  const MachineProfile profile = fitted_profile("m", {}, samples);
  EXPECT_EQ(profile.paths().size(), 7U) << "within/full/nc has no empty message";
  EXPECT_EQ(profile.path_seconds(Path::send, Layout::cc, 4096), 10);
  EXPECT_EQ(profile.path_seconds(Path::full, Layout::cc, 8), 30);
  const MachineProfile within = *profile.within_nodes();
  EXPECT_EQ(within.paths().size(), 3U);
  EXPECT_EQ(within.path_seconds(Path::send, Layout::cc, 4096), 1);
  EXPECT_EQ(within.path_seconds(Path::full, Layout::cc, 0), 1);
  EXPECT_EQ(within.path_seconds(Path::full, Layout::cc, 8), 3) << "less the empty message within a node";
}

TEST(Refit, DisturbedSamplesCountWhereTheyAreMany) {
  std::vector<RawSample> samples = samples_of("send/cc/8", 0, {1, 1, 2, 60});
  append(samples, samples_of("copy/f32/0/65536", 0, {1, 1, 2, 60}));
  for (const std::size_t i : {3, 7}) samples[i].disturbed = true;
  const MachineProfile few = fitted_profile("m", {}, samples);
  EXPECT_EQ(few.paths()[0].time, fit(std::vector<double>{1, 1, 2}));
  EXPECT_EQ(few.operators()[0].time_per_unit, fit(std::vector<double>{1, 1, 2}));
  samples.insert(samples.begin(), {"send/cc/8", 0, 0, 70, true});
  EXPECT_EQ(fitted_profile("m", {}, samples).paths()[0].time, fit(std::vector<double>{70, 1, 1, 2, 60}));
  for (RawSample& sample : samples) sample.disturbed = true;
  EXPECT_EQ(fitted_profile("m", {}, samples).paths()[0].time.seconds, 2) << "no cell is lost";
}

/// Of ten round trips of the empty message, each with one sample of another message before it.
void append_state(std::vector<RawSample>& all, int launch, double empty_s, const std::string& cell, double seconds) {
  for (int i = 0; i < 10; ++i) {
    all.push_back({cell, launch, 0, seconds});
    all.push_back({"full/cc/0", launch, 0, empty_s});
  }
}

TEST(Refit, SamplesOfTheStateThatPrevailedCount) {
  std::vector<RawSample> samples;
  append_state(samples, 0, 2, "send/cc/8", 1);
  append_state(samples, 0, 6, "send/cc/8", 3);
  append_state(samples, 0, 2, "recv/cc/8", 1);
  const MachineProfile profile = fitted_profile("m", {}, samples);
  EXPECT_EQ(profile.path_seconds(Path::send, Layout::cc, 8), 1);
  EXPECT_EQ(profile.path_seconds(Path::full, Layout::cc, 0), 1);
  EXPECT_LT(profile.paths().front().time.samples, 15) << "ten of the state, and what is taken for some of it";
  append_state(samples, 0, 6, "recv/cc/400", 9);
  EXPECT_EQ(fitted_profile("m", {}, samples).path_seconds(Path::recv, Layout::cc, 400), 9) << "no cell is lost";
  append_state(samples, 1, 6, "send/cc/8", 3);
  EXPECT_EQ(fitted_profile("m", {}, samples).path_seconds(Path::send, Layout::cc, 8), 2)
      << "launches have states of their own";
}

/// A size that was added late, when the machine was in another state.
TEST(Refit, WhatWasMeasuredInAnotherStateAloneIsToldByWhatWasInBoth) {
  std::vector<RawSample> samples;
  for (int i = 0; i < 4; ++i) append_state(samples, 0, 2, "recv/cc/8", 1);  // prevails
  for (const std::string cell : {"send/cc/8", "send/cc/16", "recv/cc/8"}) append_state(samples, 0, 2, cell, 1);
  append_state(samples, 0, 6, "send/cc/8", 3);
  append_state(samples, 0, 6, "send/cc/16", 5);
  for (const std::string cell : {"send/cc/400", "recv/cc/400", "send/cc/400/manual/0/0", "send/nn/400"})
    append_state(samples, 0, 6, cell, 8);
  const MachineProfile profile = fitted_profile("m", {}, samples);
  const auto seconds = [&](const std::string& name) { return find_cell(profile.paths(), name)->time.seconds; };
  EXPECT_EQ(seconds("send/cc/8"), 1);
  EXPECT_NEAR(seconds("send/cc/400"), 8 * (1.0 / 3 + 1.0 / 5) / 2, 1e-9);
  for (const std::string cell : {"recv/cc/400", "send/cc/400/manual/0/0", "send/nn/400"})
    EXPECT_EQ(seconds(cell), 8) << cell << ": nothing alike was measured in both";
}

TEST(Refit, NoCellIsLeftOutForItsValue) {
  std::vector<RawSample> samples = samples_of("full/cc/0", 0, {20});
  append(samples, samples_of("full/cc/8", 0, {4}));
  const MachineProfile profile = fitted_profile("m", {}, samples);
  ASSERT_EQ(profile.paths().size(), 2U);
  EXPECT_EQ(profile.paths()[1].time.seconds, 2);
}

TEST(Refit, WhatNamesNoCellIsLeftOut) {
  const MachineProfile profile = fitted_profile("m", {}, samples_of("tea", 0, {1}));
  EXPECT_FALSE(profile.has_paths());
  EXPECT_FALSE(profile.has_operators());
}

TEST(Refit, FewSamplesOfMessagesBetweenNodesTellEachOther) {
  std::vector<RawSample> samples;
  for (std::int64_t i = 0; i < 40; ++i) {
    const double odd = i == 20 ? 1.4 : 1.0;
    const std::string size = std::to_string(1024 + 128 * i);
    append(samples, samples_of("send/cc/" + size, 0, {0.8 * odd, odd, 1.2 * odd}));
  }
  Fingerprint cluster;
  cluster.nodes = 2;
  const MachineProfile between_nodes = fitted_profile("m", cluster, samples);
  for (const PathCell& cell : between_nodes.paths()) {
    EXPECT_NEAR(cell.time.seconds, 1, 0.2) << cell.bytes;
    EXPECT_EQ(cell.time.samples, 3);
  }
  cluster.nodes = 1;
  const MachineProfile within_one = fitted_profile("m", cluster, samples);
  EXPECT_EQ(within_one.paths()[20].time.seconds, 1.4) << "of one node each cell is what its samples say";
}

}  // namespace
}  // namespace tilewright
