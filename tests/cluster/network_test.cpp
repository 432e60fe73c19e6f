// The emulated cluster itself: it comes up and goes down from any state that a crash may leave.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <set>
#include <sstream>

#include "cluster_fixture.hpp"

namespace tilewright::test {
namespace {

using ::testing::HasSubstr;

class ClusterNetwork : public ClusterTest {
 protected:
  static std::string number() { return std::getenv("TILEWRIGHT_CLUSTER"); }
  static void expect_nodes(int nodes) {
    EXPECT_EQ(status().size(), static_cast<std::size_t>(nodes));
    const Outcome names = cluster(fmt::format("run {} hostname", nodes));
    EXPECT_EQ(names.status, 0) << names.error;
    std::istringstream text(names.out);
    std::set<std::string> seen;
    for (std::string name; text >> name;) seen.insert(name);
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(nodes)) << names.out;
  }
};

TEST_F(ClusterNetwork, GoesUpAndDownAsOftenAsOneLikes) {
  EXPECT_EQ(cluster("down").status, 0);
  EXPECT_EQ(cluster("status").out, "down\n");
  ASSERT_EQ(cluster("up 4 100mbit 20").status, 0);
  expect_nodes(4);
  const std::int64_t sent = status().front().sent;
  EXPECT_GT(sent, 0);
  ASSERT_EQ(cluster("up 4 100mbit 20").status, 0);
  EXPECT_GE(status().front().sent, sent) << "the same cluster was made anew";
  ASSERT_EQ(cluster("up 2 1gbit 10").status, 0);
  expect_nodes(2);
  EXPECT_EQ(cluster("down").status, 0);
  EXPECT_EQ(cluster("down").status, 0);
  EXPECT_EQ(cluster("status").out, "down\n");
  const Outcome left =
      run(fmt::format("ip -br link | grep 'tlw{0}'; ls /run/netns | grep '^tlw{0}'", number()), folder);
  EXPECT_EQ(left.out, "");
}

TEST_F(ClusterNetwork, RatesAndSharesMayDiffer) {
  ASSERT_EQ(cluster("up 4 100mbit,1gbit,10mbit 20,10").status, 0);
  std::vector<std::string> shown;
  for (const NodeStatus& node : status()) shown.push_back(node.name + " " + node.rate + " " + node.share);
  EXPECT_THAT(shown,
              ::testing::ElementsAre("node0 100mbit 20%", "node1 1gbit 10%", "node2 10mbit 20%", "node3 100mbit 10%"));
  EXPECT_EQ(cluster("share 5,30").status, 0);
  EXPECT_EQ(status()[3].share, "30%");
  expect_nodes(4);
  ASSERT_EQ(cluster("up 4 100mbit,1gbit,10mbit 20,10").status, 0);
  EXPECT_EQ(status()[3].share, "10%");
}

TEST_F(ClusterNetwork, ComesUpAfterItsStateWasLost) {
  ASSERT_EQ(cluster("up 3 100mbit 20").status, 0);
  ASSERT_EQ(run("rm -r /run/tilewright-cluster" + number(), folder).status, 0);
  EXPECT_EQ(cluster("status").out, "down\n");
  ASSERT_EQ(cluster("up 3 100mbit 20").status, 0);
  expect_nodes(3);
}

TEST_F(ClusterNetwork, ComesUpAfterItsNamespacesWereLost) {
  ASSERT_EQ(cluster("up 3 100mbit 20").status, 0);
  ASSERT_EQ(run(fmt::format("for n in 0 1 2; do ip netns del tlw{}n$n; done", number()), folder).status, 0);
  ASSERT_EQ(cluster("up 3 100mbit 20").status, 0);
  expect_nodes(3);
}

TEST_F(ClusterNetwork, ComesUpWithProcessesOfAnEarlierRunStillThere) {
  ASSERT_EQ(cluster("up 2 100mbit 20").status, 0);
  ASSERT_EQ(run(script("exec node1 sleep 1000") + " > /dev/null 2>&1 & sleep 0.5", folder).status, 0);
  EXPECT_EQ(status()[1].processes, 1);
  EXPECT_EQ(cluster("kill node1").status, 0);
  EXPECT_EQ(status()[1].processes, 0);
  ASSERT_EQ(cluster("up 2 100mbit 20").status, 0) << "a killed node is mended";
  ASSERT_EQ(run(script("exec node0 sleep 1000") + " > /dev/null 2>&1 & sleep 0.5", folder).status, 0);
  ASSERT_EQ(cluster("up 3 100mbit 20").status, 0);
  expect_nodes(3);
}

TEST_F(ClusterNetwork, RefusesWhatMakesNoSense) {
  for (const std::string arguments : {"", "nonsense", "up", "up 0 100mbit 20", "up 65 100mbit 20", "up 2 fast 20",
                                      "up 2 100mbit 0", "up 2 100mbit 101"}) {
    const Outcome outcome = cluster(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_THAT(outcome.error, HasSubstr("cluster.sh: ")) << arguments;
  }
  EXPECT_EQ(cluster("down").status, 0);
  EXPECT_EQ(cluster("run 2 hostname").status, 1);
  ASSERT_EQ(cluster("up 2 100mbit 20").status, 0);
  EXPECT_THAT(cluster("kill node7").error, HasSubstr("node0 node1"));
  EXPECT_THAT(cluster("exec node7 hostname").error, HasSubstr("node0 node1"));
}

}  // namespace
}  // namespace tilewright::test
