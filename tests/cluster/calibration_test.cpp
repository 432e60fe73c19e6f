// Measures an emulated cluster; the other suites plan with what it found.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "cluster_fixture.hpp"

namespace tilewright::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class ClusterCalibration : public ClusterTest {};

TEST_F(ClusterCalibration, FindsFourNodesAndTheirWire) {
  ASSERT_EQ(cluster("up 4 100mbit 20").status, 0);
  const Outcome measured = cluster(fmt::format("run 4 {} calibrate --effort quick --machine cluster --db {}",
                                               program("tilewright"), database().string()));
  ASSERT_EQ(measured.status, 0) << measured.error;
  const Outcome shown =
      run(fmt::format("{} db show cluster --db {}", program("tilewright"), database().string()), folder);
  EXPECT_THAT(shown.out, HasSubstr("4 ranks on 4 nodes")) << shown.out;
  EXPECT_THAT(shown.out, HasSubstr("UCX_TLS=tcp,self"));
}

/// Two ranks on each of two nodes, in a database of their own.
TEST_F(ClusterCalibration, TellsMessagesWithinANodeFromThoseBetweenNodes) {
  ASSERT_EQ(cluster("up 2 100mbit 40").status, 0);
  const std::filesystem::path own = folder / "within.sqlite";
  const Outcome measured = cluster(
      fmt::format("run 4 {} calibrate --effort quick --machine pairs --db {}", program("tilewright"), own.string()));
  ASSERT_EQ(measured.status, 0) << measured.error;
  const Outcome exported =
      run(fmt::format("{} db export pairs --format json --db {}", program("tilewright"), own.string()), folder);
  ASSERT_EQ(exported.status, 0) << exported.error;
  const json profile = json::parse(exported.out);
  std::map<std::pair<bool, std::string>, double> longest;  // the longest contiguous message, by where it goes and path
  for (const json& cell : profile.at("path_cells")) {
    EXPECT_NE(cell.at("path"), "shared") << "ranks 0 and 1 are on two nodes, though of one kernel";
    const bool is_meant = cell.at("layout") == "cc" && cell.at("packing") == "datatype";
    if (!is_meant || cell.at("bytes").get<int>() < 100'000) continue;
    longest[{cell.at("within_node").get<bool>(), cell.at("path").get<std::string>()}] =
        cell.at("seconds").get<double>();
  }
  for (const std::string path : {"full", "swap"}) {
    ASSERT_TRUE(longest.contains({true, path}) && longest.contains({false, path})) << path;
    const double within = longest.at({true, path});
    EXPECT_LT(2 * within, longest.at({false, path})) << path << ": the wire has 12.5 MB/s, the node's memory has more";
  }
}

class ClusterDown : public ClusterTest {};

/// After all other suites, also where one was killed in the middle.
TEST_F(ClusterDown, NothingIsLeft) {
  EXPECT_EQ(run(fmt::format("{}/tests/cluster/slurm.sh down", TILEWRIGHT_SOURCE_DIR), folder).status, 0);
  EXPECT_EQ(cluster("down").status, 0);
  EXPECT_EQ(cluster("status").out, "down\n");
}

}  // namespace
}  // namespace tilewright::test
