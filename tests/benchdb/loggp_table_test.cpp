// LogGP's parameters as a table, and the profile of the log_nP paper's machine that ships with Tilewright.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "support/temporary_folder.hpp"
#include "tilewright/benchdb/exchange.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr double us = 1e-6;

TEST(LogGpTable, TheShippedProfileGivesThePapersMessages) {
  const auto path = std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "benchdb" / "profiles" / "titan.csv";
  const Calibration titan = read_profile(path, "titan");
  const MachineProfile& profile = titan.profile;
  EXPECT_EQ(profile.name(), "titan");
  EXPECT_FALSE(profile.has_operators());
  EXPECT_TRUE(titan.samples.empty());
  EXPECT_THAT(profile.fingerprint().source, HasSubstr("Source: Cameron, Ge & Sun 2007, Table 1."));
  // L = 13.62, o = 5.9, G = 0.00448, g = 14.6 microseconds, copied from the paper by hand.
  EXPECT_NEAR(profile.path_seconds(Path::full, Layout::cc, 1), 25.42 * us, 1e-12);
  EXPECT_NEAR(profile.path_seconds(Path::full, Layout::cc, 65536), (25.42 + 65535 * 0.00448) * us, 1e-12);
  EXPECT_NEAR(profile.path_seconds(Path::send, Layout::cc, 16384), (14.6 + 16383 * 0.00448) * us, 1e-12);
  EXPECT_EQ(profile.path_seconds(Path::recv, Layout::cc, 16384), profile.path_seconds(Path::send, Layout::cc, 16384));
  EXPECT_NEAR(profile.path_seconds(Path::overhead, Layout::cc, 4096), 5.9 * us, 1e-12);
  EXPECT_FALSE(profile.has(Path::full, Layout::nc)) << "LogGP knows no layouts";
}

/// The paper's table as it is, with log_3P's numbers below.
TEST(LogGpTable, MayHaveLog3psNumbersBelow) {
  const auto tables = std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "tests" / "benchdb" / "tables";
  const auto shipped = std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "benchdb" / "profiles" / "titan.csv";
  const MachineProfile profile = read_profile(tables / "loggp_titan.csv", "titan").profile;
  EXPECT_EQ(profile.paths(), read_profile(shipped, "titan").profile.paths());
  EXPECT_THAT(profile.fingerprint().source, HasSubstr("Source: Cameron, Ge & Sun 2007, Table 1."));
  EXPECT_THAT(profile.fingerprint().source, HasSubstr("o_mw 29, l_mw 420, T_mem 3, o_net 131, T00 452, T01 580"));
}

TEST(LogGpTable, GComesBackToFiveDigits) {
  const auto path = std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "benchdb" / "profiles" / "titan.csv";
  const std::vector<PathCell> cells = read_profile(path, "titan").profile.paths();
  const auto longest = std::max_element(cells.begin(), cells.end(), [](const PathCell& a, const PathCell& b) {
    return std::pair(a.path == Path::send, a.bytes) < std::pair(b.path == Path::send, b.bytes);
  });
  ASSERT_EQ(longest->path, Path::send);
  EXPECT_NEAR(longest->time.seconds / static_cast<double>(longest->bytes) / (0.00448 * us), 1, 1e-5);
}

TEST(LogGpTable, FaultsCarryTheirLine) {
  const test::TemporaryFolder folder;
  const auto expect_fault = [&](const std::string& content, const std::string& reason) {
    EXPECT_THAT([&] { (void)read_profile(folder.file("t", content), "m"); },
                ThrowsMessage<ParameterError>(HasSubstr(reason)))
        << content;
  };
  expect_fault("L,o,G,g\n", "line 1: no row");
  expect_fault("# c\nL,o,G,g\n1,2,3\n", "line 3: 3 fields, where 4 are needed");
  expect_fault("L,o,G,g\n1,2,x,4\n", "line 2: field 3 is 'x'");
  expect_fault("L,o,G,g\n1,2,-3,4\n", "line 2: G = -3 is negative");
  expect_fault("L,o,G,g\n1,2,3,4\n5,6,7,8\n", "line 3: a second row");
  expect_fault("L,o,G,g\n1,2,3,4\no_mw,l_mw,T_mem,o_net,T00,T01\n", "line 3: log_3P's numbers are one row");
  expect_fault("L,o,G,g\n1,2,3,4\no_mw,l_mw,T_mem,o_net,T00,T01\n1,2,3,4,5\n", "line 4: 5 fields");
  expect_fault("L,o,g,G\n1,2,3,4\n", "line 1: is no machine profile");
}

}  // namespace
}  // namespace tilewright
