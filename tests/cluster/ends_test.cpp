// Runs end by themselves. TILEWRIGHT_RUNS raises their number; "ends.sh 200" does it by hand.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>

#include "cluster_fixture.hpp"

namespace tilewright::test {
namespace {

class ClusterEnds : public ClusterTest {
 protected:
  static void expect_ends(int nodes) {
    const char* wanted = std::getenv("TILEWRIGHT_RUNS");
    const int runs = wanted == nullptr ? 5 : std::atoi(wanted);
    const Outcome outcome =
        run(fmt::format("TILEWRIGHT_BIN={} TILEWRIGHT_DB={} TILEWRIGHT_MACHINE=cluster {}/tests/cluster/ends.sh {} {}",
                        TILEWRIGHT_BIN_DIR, database().string(), TILEWRIGHT_SOURCE_DIR, runs, nodes),
            folder);
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.error;
    EXPECT_THAT(outcome.out, ::testing::HasSubstr(fmt::format("{} runs on {} nodes have ended", runs, nodes)));
  }
};

TEST_F(ClusterEnds, OnFourNodes) {
  expect_ends(4);
}

TEST_F(ClusterEnds, OnEightNodes) {
  expect_ends(8);
}

}  // namespace
}  // namespace tilewright::test
