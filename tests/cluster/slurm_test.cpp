// A real Slurm on the emulated cluster: it takes the script of "tilewright plan --format slurm" as it is, and the job's
// output is the sequential run's.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <opencv2/core.hpp>

#include "cluster_fixture.hpp"

namespace tilewright::test {
namespace {

using ::testing::HasSubstr;

class ClusterSlurm : public ClusterTest {
 protected:
  static void SetUpTestSuite() {
    ClusterTest::SetUpTestSuite();
    const Outcome supported = slurm("supported");
    if (supported.status != 0) reason_to_skip = supported.out + supported.error;
  }
  static void TearDownTestSuite() {
    if (reason_to_skip.empty()) {
      EXPECT_EQ(slurm("down").status, 0);
    }
    ClusterTest::TearDownTestSuite();
  }
  void SetUp() override {
    ClusterTest::SetUp();
    if (IsSkipped()) return;
    ASSERT_EQ(cluster("up 4 100mbit 20").status, 0);
    const Outcome up = slurm("up");
    ASSERT_EQ(up.status, 0) << up.error;
  }

  static std::string slurm_script(const std::string& arguments) {
    return fmt::format("{}/tests/cluster/slurm.sh {}", TILEWRIGHT_SOURCE_DIR, arguments);
  }
  static Outcome slurm(const std::string& arguments) { return run(slurm_script(arguments), folder); }
  /// Plans the main job for four nodes, with these arguments, and writes the batch script.
  static Outcome plan_job(const std::string& arguments) {
    return run(fmt::format("{} plan --db {} --machine cluster --nodes 4 --format slurm -- {} {} > job.sh",
                           program("tilewright"), database().string(), program("differential_structure"), arguments),
               folder);
  }
  /// Submits the script as it is, and waits for the job's end; its state and exit status ("COMPLETED 0:0").
  static std::string result_of_job() {
    const Outcome submitted = run(
        "UCX_TLS=tcp,self UCX_NET_DEVICES=eth0 " + slurm_script("sbatch --parsable --output=job.out job.sh"), folder);
    EXPECT_EQ(submitted.status, 0) << submitted.error;
    const std::string job = submitted.out.substr(0, submitted.out.find('\n'));
    const std::string show = slurm_script("scontrol show job " + job);
    return run("for turn in $(seq 300); do " + show +
                   " | grep -Eq 'JobState=(PENDING|CONFIGURING|RUNNING|COMPLETING)' || " + "break; sleep 0.3; done; " +
                   show + R"( | grep -oE '(JobState|ExitCode)=[A-Z0-9:]+' | cut -d= -f2 | paste -sd' ')",
               folder)
        .out;
  }
};

TEST_F(ClusterSlurm, GoesUpAndDownAsOftenAsOneLikes) {
  EXPECT_EQ(slurm("up").status, 0);
  EXPECT_EQ(slurm("srun -N4 -l hostname").status, 0);
  EXPECT_EQ(slurm("down").status, 0);
  EXPECT_EQ(slurm("down").status, 0);
  EXPECT_EQ(run("grep tilewright-cluster$TILEWRIGHT_CLUSTER /etc/hosts", folder).out, "");
  ASSERT_EQ(slurm("up").status, 0);
  EXPECT_EQ(run(slurm_script("srun -N4 hostname") + " | sort | paste -sd,", folder).out, "node0,node1,node2,node3\n");
}

TEST_F(ClusterSlurm, RunsThePlannedScriptAsItIs) {
  make_picture("in.pgm", 600, 400, CV_8U);
  const Outcome planned = plan_job("in.pgm out --sigma 2 --tw-ranks=4 --tw-grid=1x4 --tw-files=root");
  ASSERT_EQ(planned.status, 0) << planned.error;
  EXPECT_THAT(run("cat job.sh", folder).out, HasSubstr("#SBATCH --nodes=4\n"));
  const std::vector<NodeStatus> before = status();
  EXPECT_EQ(result_of_job(), "COMPLETED 0:0\n") << run("cat job.out job.sh", folder).out;
  const std::vector<NodeStatus> after = status();
  constexpr std::int64_t tile_of_an_output = 600 * 400 / 4 * 4;
  for (std::size_t node = 1; node < after.size(); ++node) {
    EXPECT_GT(after[node].sent - before[node].sent, 5 * tile_of_an_output) << after[node].name;
  }
  ASSERT_EQ(run(application(0, "in.pgm alone --sigma 2"), folder).status, 0);
  EXPECT_EQ(run("diff -r alone out", folder).out, "");
}

TEST_F(ClusterSlurm, AJobThatFailsIsAFailedJob) {
  make_picture("other.pgm", 64, 64, CV_8U);
  ASSERT_EQ(plan_job("other.pgm /proc/nowhere --sigma 1 --tw-ranks=4 --tw-grid=1x4").status, 0);
  EXPECT_EQ(result_of_job(), "FAILED 1:0\n");
  EXPECT_THAT(run("cat job.out", folder).out, HasSubstr("/proc/nowhere"));
}

}  // namespace
}  // namespace tilewright::test
