// A real program on an emulated cluster: its bytes cross the wire, and its output is the sequential run's.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <opencv2/core.hpp>

#include "cluster_fixture.hpp"

namespace tilewright::test {
namespace {

using nlohmann::json;

class ClusterRun : public ClusterTest {
 protected:
  void SetUp() override {
    ClusterTest::SetUp();
    if (IsSkipped()) return;
    ASSERT_EQ(cluster("up 4 100mbit 20").status, 0);
  }
};

TEST_F(ClusterRun, AScattersBytesCrossTheWireOnce) {
  constexpr int width = 1000, height = 800, nodes = 4;
  constexpr std::int64_t payload = std::int64_t{width} * height * 4 * (nodes - 1) / nodes;
  make_picture("in.tif", width, height, CV_32F);
  const std::vector<NodeStatus> before = status();
  const Outcome outcome = run(application(nodes,
                                          "in.tif out --sigma 1 --tw-ranks=4 --tw-grid=1x4 --tw-files=root "
                                          "--tw-tree=oft --tw-turns=off --tw-halo=shallow "
                                          "--tw-distribution=scatter "
                                          "--tw-explain=analyze --tw-explain-format=json --tw-explain-file=trace.json"),
                              folder);
  ASSERT_EQ(outcome.status, 0) << outcome.error;
  const std::vector<NodeStatus> after = status();
  // Beside the payload: halos, headers, and the acknowledgements of what the nodes send each other.
  const auto expect_once = [](std::int64_t bytes, std::int64_t expected, const std::string& what) {
    EXPECT_GE(bytes, expected) << what;
    EXPECT_LE(bytes, expected * 3 / 2) << what;
  };
  expect_once(after[0].sent - before[0].sent, payload, "sent by node0");
  for (std::size_t node = 1; node < nodes; ++node) {
    expect_once(after[node].received - before[node].received, payload / (nodes - 1), "received by " + after[node].name);
  }
  const json trace = json::parse(std::ifstream(folder / "trace.json"));
  EXPECT_EQ(trace.at("ranks"), nodes);
  EXPECT_EQ(trace.at("grid"), "1x4");
  for (const json& step : trace.at("steps")) {
    if (step.at("kind") == "scatter") {
      EXPECT_EQ(step.at("bytes"), payload);
    }
  }
}

TEST_F(ClusterRun, TheOutputIsThatOfTheSequentialRun) {
  const std::string picture = std::string(TILEWRIGHT_SOURCE_DIR) + "/apps/images/retina.jpg";
  ASSERT_EQ(run(application(0, picture + " alone --sigma 3"), folder).status, 0);
  for (const std::string options :
       {"--tw-grid=1x4 --tw-tree=oft --tw-turns=off", "--tw-turns=on", "--tw-grid=2x2 --tw-tree=sbt"}) {
    const Outcome outcome = run(application(4, picture + " out --sigma 3 --tw-ranks=4 " + options), folder);
    ASSERT_EQ(outcome.status, 0) << options << outcome.error;
    EXPECT_THAT(different_files("alone", "out"), ::testing::IsEmpty()) << options;
    EXPECT_EQ(run("ls -A alone > a; ls -A out | diff a -", folder).status, 0) << options;
    std::filesystem::remove_all(folder / "out");
  }
}

TEST_F(ClusterRun, HoweverRanksLieOnNodesTheOutputIsTheSame) {
  const std::string picture = std::string(TILEWRIGHT_SOURCE_DIR) + "/apps/images/retina.jpg";
  ASSERT_EQ(run(application(0, picture + " alone --sigma 3"), folder).status, 0);
  for (const std::string grid : {"1x4@1", "4x2@2", "2x4@1x2", "2x2@2"}) {
    const Outcome outcome = run(application(8, picture + " out --sigma 3 --tw-grid=" + grid), folder);
    ASSERT_EQ(outcome.status, 0) << grid << outcome.error;
    EXPECT_THAT(different_files("alone", "out"), ::testing::IsEmpty()) << grid;
    EXPECT_EQ(run("ls -A alone > a; ls -A out | diff a -", folder).status, 0) << grid;
    std::filesystem::remove_all(folder / "out");
  }
  const Outcome refused = run(application(8, picture + " out --sigma 3 --tw-grid=1x8@1"), folder);
  EXPECT_NE(refused.status, 0);
  EXPECT_THAT(refused.error, ::testing::HasSubstr("start more")) << refused.error;
}

TEST_F(ClusterRun, WhatPassesBetweenNeighboursOfANodeDoesNotCrossTheWire) {
  constexpr std::int64_t width = 2000, height = 512, ranks = 8, exchanges = 20;
  constexpr std::int64_t border = 7 * height * 4;  // as the plan has it, for one neighbour
  constexpr std::int64_t tile = width / ranks * height * 4;
  make_picture("wide.tif", width, height, CV_32F);
  const std::vector<NodeStatus> before = status();
  const std::string options = "wide.tif out.tif --sigma 3 --tolerance 0 --most 20 --tw-halo=shallow --tw-files=root ";
  const Outcome outcome =
      run(command(ranks, "diffusion", options + "--tw-overlap=off --tw-tiles=even --tw-grid=8x1@2"), folder);
  ASSERT_EQ(outcome.status, 0) << outcome.error;
  const std::int64_t received = status()[1].received - before[1].received;
  // Of columns in their order, node 1 has two neighbours. Dealt out it would have none, and receive four borders.
  // Headers and plans come along.
  EXPECT_GT(received, 2 * tile + exchanges * 2 * border);
  EXPECT_LT(received, 2 * tile + exchanges * 4 * border);
}

}  // namespace
}  // namespace tilewright::test
