#include "../../src/calibrate/settled.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "tilewright/model/cell_names.hpp"
#include "tilewright/model/message_overheads.hpp"

namespace tilewright {
namespace {

/// As many samples around `middle`, evenly up to `reach` of it on either side.
std::vector<double> around(double middle, double reach, int count = 11) {
  std::vector<double> samples;
  for (int i = 0; i < count; ++i) samples.push_back(middle * (1 + reach * (2.0 * i / (count - 1) - 1)));
  return samples;
}

TEST(Settled, NeedsSamplesAndANarrowInterval) {
  EXPECT_TRUE(is_settled(around(1, 0.02), {}));
  EXPECT_FALSE(is_settled(around(1, 0.02, 5), {})) << "five tell nothing of the median";
  EXPECT_FALSE(is_settled(around(1, 0.08), {}));
  EXPECT_TRUE(is_settled(around(1, 0.08, 101), {})) << "many samples narrow it";
}

TEST(Settled, AWiderIntervalIsEnoughWhereTheChoiceIsClear) {
  const auto own = around(1, 0.08);
  const auto near = around(1.05, 0.08), far = around(2, 0.08), few = around(2, 0, 3);
  EXPECT_TRUE(is_settled(own, {far}));
  EXPECT_FALSE(is_settled(own, {near}));
  EXPECT_FALSE(is_settled(own, {far, near}));
  EXPECT_FALSE(is_settled(own, {far, few})) << "of which too little is known";
  EXPECT_FALSE(is_settled(around(1, 0.4), {far})) << "too wide for a price";
}

std::vector<RawSample> samples_of(const std::string& cell, const std::vector<double>& seconds, int launch = 1) {
  std::vector<RawSample> samples;
  for (const double time : seconds) samples.push_back({cell, launch, 0, time});
  return samples;
}

std::set<std::string> unsettled(const std::vector<std::vector<RawSample>>& parts) {
  std::vector<RawSample> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return unsettled_cells(all, 1);
}

TEST(Unsettled, AreTheCellsOfThatLaunchWhoseIntervalsAreWide) {
  const std::string path = "full/cc/4096", operation = "copy/f32/0/65536/1";
  EXPECT_EQ(unsettled({samples_of(path, around(1, 0.01)), samples_of(operation, around(1, 0.01))}),
            std::set<std::string>());
  EXPECT_EQ(unsettled({samples_of(path, around(1, 0.2)), samples_of(operation, around(1, 0.3))}),
            (std::set<std::string>{path, operation}));
  EXPECT_EQ(unsettled({samples_of(path, around(1, 0.01)), samples_of(operation, around(1, 0.3), 0)}),
            std::set<std::string>())
      << "of an earlier launch";
}

TEST(Unsettled, DependsOnTheOtherPackings) {
  const std::string own = "full/nc/16384/datatype/16/4096", rival = "full/nc/16384/manual/16/4096";
  EXPECT_EQ(unsettled({samples_of(own, around(1, 0.08)), samples_of(rival, around(2, 0.01))}), std::set<std::string>());
  EXPECT_EQ(unsettled({samples_of(own, around(1, 0.08)), samples_of(rival, around(1.01, 0.01))}),
            (std::set<std::string>{own}));
}

TEST(Unsettled, LeavesOutDifferencesOverheadsAndDisturbedSamples) {
  std::vector<RawSample> disturbed;
  for (int i = 0; i < 3; ++i) {
    for (const RawSample& sample : samples_of("send/cc/0", around(1, 0.01))) disturbed.push_back(sample);
  }
  for (RawSample& sample : samples_of("send/cc/0", around(3, 0.5))) {
    sample.disturbed = true;
    disturbed.push_back(sample);
  }
  EXPECT_EQ(unsettled({disturbed, samples_of("exposed/cc/4096/blocked/0/0", {0, 0, 1, 0, 2, 0, 3}),
                       samples_of(cell_name(message_overhead_cell(Path::send)), around(1, 0.3))}),
            std::set<std::string>());
}

}  // namespace
}  // namespace tilewright
