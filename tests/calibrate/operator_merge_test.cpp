#include "../../src/calibrate/operator_merge.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tilewright {
namespace {

OperatorSeries computing(const std::string& key, std::vector<double> processor_s) {
  OperatorSeries series{{key, PixelType::f32, 3, 65536, {}}, false, {}};
  for (const double seconds : processor_s) series.samples.push_back({seconds, 5 * seconds});
  return series;
}

OperatorSeries files(double processor_s, double elapsed_s) {
  return {{"write_tiff", PixelType::f32, 0, 65536, {}}, true, {{processor_s, elapsed_s}}};
}

TEST(OperatorMerge, TextIsReadBackUnchanged) {
  const OperatorMeasurement measurement{{computing("rows", {1e-9 / 3, 2.5e-9}), files(1e-8, 3e-8)}, {1.5, 7.125}};
  EXPECT_EQ(operator_measurement_from(to_text(measurement)), measurement);
}

TEST(OperatorMerge, KnowsWhatWasDisturbed) {
  OperatorMeasurement root{{computing("rows", {1e-9, 9e-9, 1e-9})}, {1, 1}}, other = root;
  root.series[0].samples[1].disturbed = true;
  EXPECT_EQ(operator_measurement_from(to_text(root)), root);
  const auto merged = merge({root, other}, 1);
  EXPECT_EQ(std::ranges::count_if(merged[0].samples, &MarkedSample::disturbed), 1);
  EXPECT_EQ(merged[0].cell.time_per_unit.samples, 5) << "the disturbed one does not count";
  OperatorMeasurement writing{{files(1e-9, 3e-9)}, {1, 1}};
  writing.series[0].samples[0].disturbed = true;
  EXPECT_TRUE(merge({writing}, 1)[0].samples[0].disturbed);
}

TEST(OperatorMerge, AShareOfACoreMakesEverythingSlower) {
  const auto merged = merge({{{computing("rows", {1e-9, 3e-9, 2e-9})}, {1, 5}}}, 1);
  ASSERT_EQ(merged.size(), 1U);
  EXPECT_DOUBLE_EQ(merged[0].cell.time_per_unit.seconds, 5 * 2e-9);
  EXPECT_EQ(merged[0].samples.size(), 3U);
}

TEST(OperatorMerge, RoundsOfOneRankAddUp) {
  OperatorMeasurement sum{{computing("rows", {1e-9})}, {1, 2}};
  sum.add({{computing("copy", {5e-9}), computing("rows", {3e-9, 2e-9})}, {1, 4}});
  EXPECT_EQ(sum, (OperatorMeasurement{{computing("rows", {1e-9, 3e-9, 2e-9}), computing("copy", {5e-9})}, {2, 6}}));
  EXPECT_DOUBLE_EQ(sum.slowdown(), 3);
}

TEST(OperatorMerge, WhatTheRootDoesAloneTakesItsOwnSlowdown) {
  OperatorSeries crowded = computing("rows", {3e-9});
  crowded.cell.ranks = 2;
  OperatorMeasurement root{{crowded}, {1, 6}};
  root.add(OperatorMeasurement{{computing("rows", {2e-9})}, {1, 5}}.alone());
  EXPECT_EQ(operator_measurement_from(to_text(root)), root);
  const auto seconds_of = [](const std::vector<MergedSeries>& merged, int ranks) {
    const auto found = std::ranges::find_if(merged, [&](const MergedSeries& one) { return one.cell.ranks == ranks; });
    return found->cell.time_per_unit.seconds;
  };
  const OperatorMeasurement alike{{crowded}, {1, 6}}, slower{{crowded}, {1, 12}};
  EXPECT_DOUBLE_EQ(seconds_of(merge({root, alike}, 1), 2), 6 * 3e-9);
  EXPECT_DOUBLE_EQ(seconds_of(merge({root, alike}, 1), 1), 5 * 2e-9);
  // Costs are those of the slowest node, beside which the root is twice as fast.
  EXPECT_DOUBLE_EQ(seconds_of(merge({root, slower}, 1), 2), 12 * 3e-9);
  EXPECT_DOUBLE_EQ(seconds_of(merge({root, slower}, 1), 1), 2 * 5 * 2e-9);
}

TEST(OperatorMerge, TheSlowestRankCounts) {
  const auto merged = merge({{{computing("rows", {1e-9})}, {1, 5}}, {{computing("rows", {1e-9})}, {1, 20}}}, 1);
  EXPECT_DOUBLE_EQ(merged[0].cell.time_per_unit.seconds, 20 * 1e-9);
}

TEST(OperatorMerge, AnOlderProcessorCountsAsASmallerShareDoes) {
  const OperatorMeasurement quick{{computing("rows", {1e-9}), computing("copy", {2e-9})}, {1, 1}};
  const OperatorMeasurement slow{{computing("rows", {4e-9}), computing("copy", {8e-9})}, {1, 1}};
  EXPECT_DOUBLE_EQ(std::ranges::max(slowdowns({quick, quick, slow})), 4);
  EXPECT_DOUBLE_EQ(std::ranges::max(slowdowns({quick, quick, quick})), 1);
}

TEST(OperatorMerge, NodesHaveThePaceOfTheirSlowestRank) {
  const auto share = [](double elapsed_s) { return OperatorMeasurement{{computing("rows", {1e-9})}, {1, elapsed_s}}; };
  const auto paces = node_paces({share(5), share(4), share(20), share(10)}, {"b", "b", "a", "c"});
  ASSERT_EQ(paces.size(), 3U);
  EXPECT_EQ(node_of_pace(paces[0].cell), "b");
  EXPECT_EQ(node_of_pace(paces[1].cell), "a");
  EXPECT_DOUBLE_EQ(paces[0].cell.time_per_unit.seconds, 0.25);
  EXPECT_DOUBLE_EQ(paces[1].cell.time_per_unit.seconds, 1);
  EXPECT_DOUBLE_EQ(paces[2].cell.time_per_unit.seconds, 0.5);
  EXPECT_TRUE(node_paces({share(5), share(4)}, {"a", "a"}).empty());
}

TEST(OperatorMerge, RanksThatShareACoreAreCountedByTheScheduler) {
  const OperatorMeasurement half{{computing("rows", {1e-9})}, {1, 2}};
  EXPECT_DOUBLE_EQ(merge({half, half}, 2)[0].cell.time_per_unit.seconds, 1e-9);
}

TEST(OperatorMerge, FilesTakeTheRootsElapsedTime) {
  const OperatorMeasurement root{{computing("rows", {1e-9}), files(1e-9, 9e-9)}, {1, 2}};
  const OperatorMeasurement other{{computing("rows", {1e-9}), files(5e-9, 70e-9)}, {1, 2}};
  EXPECT_DOUBLE_EQ(merge({root, other}, 1)[1].cell.time_per_unit.seconds, 9e-9);
}

TEST(OperatorMerge, ThreadsTakeTheRootsElapsedTime) {
  OperatorSeries shared = computing("rows", {1e-9});
  shared.cell.threads = 2;
  const OperatorMeasurement root{{computing("rows", {1e-9}), shared}, {1, 10}};
  const auto merged = merge({root}, 1);
  ASSERT_EQ(merged.size(), 2U);
  EXPECT_DOUBLE_EQ(merged[0].cell.time_per_unit.seconds, 10e-9);
  EXPECT_EQ(merged[1].cell.threads, 2);
  EXPECT_DOUBLE_EQ(merged[1].cell.time_per_unit.seconds, 5e-9);
  EXPECT_EQ(operator_measurement_from(to_text(root)), root);
}

TEST(OperatorMerge, FilesTakeNoLessThanTheirProcessorTime) {
  // A short sample fell into one slice of the share.
  EXPECT_DOUBLE_EQ(merge({{{files(1e-9, 1e-9)}, {1, 50}}}, 1)[0].cell.time_per_unit.seconds, 50e-9);
}

}  // namespace
}  // namespace tilewright
