#include "tilewright/calibrate/sentinels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tilewright/model/cell_names.hpp"

namespace tilewright {
namespace {

using ::testing::HasSubstr;

TEST(Sentinels, DriftMustBeLargeAndBeyondTheNoise) {
  const auto drifted = [](double then, double now, double spread) {
    return Sentinel{"x", {then, spread, 9}, {now, spread, 9}}.has_drifted();
  };
  EXPECT_FALSE(drifted(1, 1.2, 0));
  EXPECT_TRUE(drifted(1, 1.3, 0.01));
  EXPECT_TRUE(drifted(1, 0.5, 0.01)) << "a machine that has become faster";
  EXPECT_FALSE(drifted(1, 1.3, 0.1)) << "the noise is as large";
}

MachineProfile profile_of(std::int64_t samples) {
  const Estimate time{1e-5, 0, samples};
  return {"m",
          {},
          {{Path::full, Layout::cc, 0, time},
           {Path::full, Layout::cc, 4096, time},
           {Path::full, Layout::cc, 409600, time},
           {Path::send, Layout::cc, 65536, time},
           {Path::send, Layout::nc, 65536, time},
           {Path::full, Layout::nc, 16384, time, Packing::datatype, 4, 8},
           {Path::full, Layout::nc, 16384, time, Packing::datatype, 64, 128}},
          {{"copy", PixelType::f32, 0, 65536, time},
           {"sqrt", PixelType::u8, 0, 65536, time},
           {"convolve_separable", PixelType::f32, 18, 65536, time, 8}}};
}

TEST(Sentinels, AreCellsOfTheProfile) {
  std::vector<std::string> names;
  for (const PathCell& cell : sentinel_messages(profile_of(3))) names.push_back(cell_name(cell));
  EXPECT_EQ(names, (std::vector<std::string>{"full/cc/0", "full/cc/4096", "full/cc/409600", "send/cc/65536",
                                             "full/nc/16384/datatype/4/8"}));
  const std::vector<OperatorCell> operators = sentinel_operators(profile_of(3));
  ASSERT_EQ(operators.size(), 1U) << "of floats, on the root alone";
  EXPECT_EQ(operators.front().key, "copy");
  std::vector<PathCell> within = profile_of(3).paths();
  for (PathCell& cell : within) cell.within_node = true;
  EXPECT_TRUE(sentinel_messages({"m", {}, within, {}}).empty());
  EXPECT_TRUE(sentinel_messages(profile_of(0)).empty()) << "a paper's machine cannot be measured again";
}

TEST(Sentinels, SayWhyThereAreNone) {
  const auto why = [](const MachineProfile& profile, int ranks) { return nothing_to_measure(profile, ranks); };
  EXPECT_EQ(why(profile_of(3), 1), "");
  EXPECT_THAT(why(profile_of(0), 2), HasSubstr("imported"));
  const MachineProfile messages{"m", {}, profile_of(3).paths(), {}};
  EXPECT_EQ(why(messages, 2), "");
  EXPECT_THAT(why(messages, 1), HasSubstr("2 ranks or more"));
  EXPECT_THAT(why({"m", {}, {}, {{"tea", PixelType::f32, 0, 65536, {1e-9, 0, 3}}}}, 2), HasSubstr("none of the few"));
  EXPECT_THAT(why({"m", {}, {}, {}}, 2), HasSubstr("'m' has no costs"));
}

}  // namespace
}  // namespace tilewright
