// A node that goes in the middle of a run: the run ends within ten seconds, says which node it was, and leaves nothing
// half done. And nothing else is taken for that.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <opencv2/core.hpp>
#include <sstream>

#include "cluster_fixture.hpp"

namespace tilewright::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

struct Failure {
  std::string name;
  std::string node;
  std::string event;   ///< shell commands; $cluster is the script
  std::string reason;  ///< in the message
  std::string moment = "gather";
};

constexpr const char* process_ended = "its process was ended in the middle of the run";
constexpr const char* node_silent = "its node does not answer any more";

/// Kills the processes of these names on the node.
std::string killing(const std::string& node, const std::string& names, const std::string& signal = "KILL") {
  return fmt::format("kill -{} $($cluster processes {} | grep -E ' ({})' | cut -d' ' -f1)", signal, node, names);
}

std::vector<Failure> failures() {
  std::vector<Failure> all;
  for (const std::string node : {"node2", "node0"}) {
    const std::string which = node == "node0" ? "OfTheRoot" : "";
    all.push_back({"RankKilled" + which, node, killing(node, "differential_st"), process_ended});
    all.push_back(
        {"RankAndProxyKilled" + which, node, killing(node, "differential_st|hydra_pmi_proxy"), process_ended});
    all.push_back({"LinkCut" + which, node, "$cluster cut " + node, node_silent});
    all.push_back({"NodeKilled" + which, node, "$cluster kill " + node, node_silent});
    // As the transport under MPI does when it mishandles the connection that broke.
    all.push_back(
        {"NeighbourAborts" + which, node,
         killing(node, "differential_st|hydra_pmi_proxy") + "\n" + killing("node1", "differential_st", "ABRT"),
         process_ended});
  }
  all.push_back({"RankAborts", "node3", killing("node3", "differential_st", "ABRT"), process_ended});
  all.push_back({"ProxyKilled", "node1", killing("node1", "hydra_pmi_proxy"), process_ended});
  // While all write parts of one file, which has a name.
  all.push_back({"RankKilledWriting", "node2", killing("node2", "differential_st"), process_ended, "write"});
  all.push_back({"NodeKilledWritingOfTheRoot", "node0", "$cluster kill node0", node_silent, "write"});
  return all;
}

class ClusterFailure : public ClusterTest {
 protected:
  static void SetUpTestSuite() {
    ClusterTest::SetUpTestSuite();
    if (!reason_to_skip.empty()) return;
    make_picture("in.pgm", 3000, 3000, CV_8U);
    ASSERT_EQ(run(application(0, "in.pgm alone --sigma 3"), folder).status, 0);
  }
  void SetUp() override {
    ClusterTest::SetUp();
    if (IsSkipped()) return;
    ASSERT_EQ(cluster("up 4 100mbit 20").status, 0);
    fs::remove_all(folder / "out");
  }
  static std::string text_of(const std::string& file) {
    std::ostringstream text;
    text << std::ifstream(folder / file).rdbuf();
    return text.str();
  }

  struct End {
    int status = -1;
    double seconds = 0;  ///< since the event
  };
  /// Starts a run on four nodes, lets the event happen in its first gather, or while the ranks write parts of the first
  /// output, and waits for its end.
  static End run_with(const std::string& event, const std::string& moment = "gather") {
    const bool in_parts = moment == "write";
    const std::string arguments = fmt::format(
        "in.pgm out --sigma 3 --tw-ranks=4 --tw-grid=1x4 --tw-progress --tw-files={}", in_parts ? "parallel" : "root");
    // What the last run said must not be taken for the progress of this one.
    const std::string command = "cluster='" + script("") + "'\nrm -f run.err\n" + application(4, arguments) +
                                " > run.out 2> run.err & run=$!\n"
                                "for turn in $(seq 1000); do grep -qs ': " +
                                moment + "' run.err && break; sleep 0.05; done\n" + (in_parts ? "" : "sleep 0.3; ") +
                                "begin=$(date +%s%N)\n" + event + "\n" +
                                "(sleep 60; kill -TERM $run) & guard=$!\n"
                                "wait $run; echo $? $(($(date +%s%N) - begin)); kill $guard\n";
    const Outcome outcome = run(command, folder);
    std::istringstream text(outcome.out);
    End end;
    double nanoseconds = 0;
    text >> end.status >> nanoseconds;
    end.seconds = nanoseconds / 1e9;
    return end;
  }
  static int told(const std::string& text) {
    const std::string mark = "tilewright: error";
    int times = 0;
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) ++times;
    return times;
  }
  /// Only complete outputs are there.
  static void expect_nothing_half_done() {
    (void)run("for turn in $(seq 100); do ls -A out | grep -qF .part || exit 0; sleep 0.1; done", folder);
    EXPECT_EQ(run("ls -A out | grep -F .part", folder).out, "");
    if (fs::exists(folder / "out")) {
      EXPECT_THAT(different_files("out", "alone"), ::testing::IsEmpty());
    }
  }
};

TEST_F(ClusterFailure, EndsTheRunAndIsNamed) {
  for (const Failure& failure : failures()) {
    SCOPED_TRACE(failure.name);
    ASSERT_EQ(cluster("up 4 100mbit 20").status, 0);
    fs::remove_all(folder / "out");
    const End end = run_with(failure.event, failure.moment);
    const std::string error = text_of("run.err");
    EXPECT_GT(end.status, 0) << error;
    EXPECT_LT(end.seconds, 10) << error;
    EXPECT_THAT(error, HasSubstr(fmt::format("rank {} on node {} has gone: {}", failure.node.substr(4), failure.node,
                                             failure.reason)));
    EXPECT_EQ(told(error), 1) << error;
    expect_nothing_half_done();
    fmt::print("{}: status {} after {:.2f} s\n", failure.name, end.status, end.seconds);
  }
}

TEST_F(ClusterFailure, NobodyStaysBehind) {
  const End end = run_with("$cluster cut node3");
  EXPECT_LT(end.seconds, 10);
  // The rank that was cut off finds rank 0 gone, and ends too.
  (void)run("for turn in $(seq 100); do " + script("status") + " | grep -v 'processes=0' || exit 0; sleep 0.3; done",
            folder);
  for (const NodeStatus& node : status()) EXPECT_EQ(node.processes, 0) << node.name;
}

TEST_F(ClusterFailure, AStoppedRankIsNotTakenForDead) {
  const std::string ranks = "$($cluster processes node1 | grep differential_st | cut -d' ' -f1)";
  const End end = run_with("kill -STOP " + ranks + "; sleep 12; kill -CONT " + ranks);
  EXPECT_EQ(end.status, 0) << text_of("run.err");
  EXPECT_EQ(told(text_of("run.err")), 0) << text_of("run.err");
  EXPECT_THAT(different_files("alone", "out"), ::testing::IsEmpty());
}

TEST_F(ClusterFailure, ASlowNodeOnACrowdedLinkIsNotTakenForDead) {
  const End end = run_with("$cluster share 20,2,20,2; sleep 15; $cluster share 40");
  EXPECT_EQ(end.status, 0) << text_of("run.err");
  EXPECT_EQ(told(text_of("run.err")), 0) << text_of("run.err");
  EXPECT_THAT(different_files("alone", "out"), ::testing::IsEmpty());
}

}  // namespace
}  // namespace tilewright::test
