// The table of the P-3PC paper, and the profile of its machine that ships with Tilewright.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/temporary_folder.hpp"
#include "tilewright/benchdb/exchange.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(PaperTable, TheShippedProfileIsTheTableOfThePaper) {
  const auto path = std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "benchdb" / "profiles" / "das.csv";
  const Calibration das = read_profile(path, "das");
  const MachineProfile& profile = das.profile;
  EXPECT_EQ(profile.name(), "das");
  EXPECT_EQ(profile.paths().size(), 3U * 4U * 5U);
  EXPECT_FALSE(profile.has_operators());
  EXPECT_TRUE(das.samples.empty());
  EXPECT_EQ(profile.fingerprint().cores_per_node, 0);
  EXPECT_THAT(profile.fingerprint().source, HasSubstr("Source: Seinstra & Koelma 2002, Table 1."));
  EXPECT_THAT(profile.fingerprint().source, HasSubstr("Distributed ASCI Supercomputer"));
  // Four corners and two cells between, copied from the paper by hand.
  EXPECT_DOUBLE_EQ(profile.path_seconds(Path::send, Layout::cc, 0), 5.98 / 1e6);
  EXPECT_DOUBLE_EQ(profile.path_seconds(Path::send, Layout::cc, 500 * 4096), 58596.98 / 1e6);
  EXPECT_DOUBLE_EQ(profile.path_seconds(Path::full, Layout::nn, 0), 24.47 / 1e6);
  EXPECT_DOUBLE_EQ(profile.path_seconds(Path::full, Layout::nn, 500 * 4096), 132399.20 / 1e6);
  EXPECT_DOUBLE_EQ(profile.path_seconds(Path::recv, Layout::nc, 4096), 46.56 / 1e6);
  EXPECT_DOUBLE_EQ(profile.path_seconds(Path::send, Layout::nc, 100 * 4096), 15142.74 / 1e6);
}

TEST(PaperTable, SizesMayBeAnyNumberOfValues) {
  const test::TemporaryFolder folder;
  const auto path = folder.file("t", "path,layout,m_2M,m_7,m_3K\nfull,cn,3,1,2\n");
  const std::vector<PathCell> cells = read_profile(path, "m").profile.paths();
  ASSERT_EQ(cells.size(), 3U);
  EXPECT_EQ(cells[0], (PathCell{Path::full, Layout::cn, 28, {1 / 1e6, 0, 0}}));
  EXPECT_EQ(cells[1], (PathCell{Path::full, Layout::cn, 3 * 4096, {2 / 1e6, 0, 0}}));
  EXPECT_EQ(cells[2], (PathCell{Path::full, Layout::cn, 8 << 20, {3 / 1e6, 0, 0}}));
}

TEST(PaperTable, FaultsCarryTheirLine) {
  const test::TemporaryFolder folder;
  const auto expect_fault = [&](const std::string& content, const std::string& reason) {
    EXPECT_THAT([&] { (void)read_profile(folder.file("t", content), "m"); },
                ThrowsMessage<ParameterError>(HasSubstr(reason)))
        << content;
  };
  expect_fault("# c\npath,layout,m_0,m_1G\nsend,cc,1,2\n", "line 2: column 'm_1G'");
  expect_fault("path,layout,m_0,m_\nsend,cc,1,2\n", "line 1: column 'm_'");
  expect_fault("path,layout,m_0,n_1\nsend,cc,1,2\n", "line 1: column 'n_1'");
  expect_fault("path,layout,m_0,m_99999999999999999M\nsend,cc,1,2\n", "line 1");
  expect_fault("path,layout,m_1K,m_1024\nsend,cc,1,2\n", "line 1: column 'm_1024' is given twice");
  expect_fault("path,layout,m_0,m_1\nsend,cc,1\n", "line 2: 3 fields, where 4 are needed");
  expect_fault("path,layout,m_0,m_1\nsend,cc,1,\n", "line 2: field 4 is ''");
  expect_fault("path,layout,m_0\nsend,cc,-1\n", "line 2: the time -1 is negative");
  expect_fault("path,layout,m_0\nsend,xx,1\n", "line 2: 'xx' is no layout");
  expect_fault("path,layout,m_0\nsend,cc,1\nsend,cc,1\n", "line 3: the row send,cc is given twice");
  expect_fault("path,layout,m_0\n", "line 1: no row");
}

}  // namespace
}  // namespace tilewright
