// Measures an emulated cluster; the other suites plan with what it found.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "cluster_fixture.hpp"

namespace tilewright::test {
namespace {

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

class ClusterDown : public ClusterTest {};

/// After all other suites, also where one was killed in the middle.
TEST_F(ClusterDown, NothingIsLeft) {
  EXPECT_EQ(run(fmt::format("{}/tests/cluster/slurm.sh down", TILEWRIGHT_SOURCE_DIR), folder).status, 0);
  EXPECT_EQ(cluster("down").status, 0);
  EXPECT_EQ(cluster("status").out, "down\n");
}

}  // namespace
}  // namespace tilewright::test
