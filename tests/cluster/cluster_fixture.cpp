#include "cluster_fixture.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <sstream>

namespace tilewright::test {
namespace {

namespace fs = std::filesystem;

/// The number behind "name=" in a word.
std::int64_t number_of(const std::string& word) {
  return std::stoll(word.substr(word.find('=') + 1));
}

}  // namespace

void ClusterTest::SetUpTestSuite() {
  constexpr int keep = 0;
  setenv("TILEWRIGHT_CLUSTER", "1", keep);
  folder = fresh_folder(::testing::UnitTest::GetInstance()->current_test_suite()->name());
  const Outcome supported = cluster("supported");
  reason_to_skip = supported.status == 0 ? "" : supported.out + supported.error;
}

void ClusterTest::TearDownTestSuite() {
  if (!reason_to_skip.empty()) return;
  EXPECT_EQ(cluster("down").status, 0);
}

void ClusterTest::SetUp() {
  if (!reason_to_skip.empty()) GTEST_SKIP() << reason_to_skip;
}

std::string ClusterTest::script(const std::string& arguments) {
  return fmt::format("{}/tests/cluster/cluster.sh {}", TILEWRIGHT_SOURCE_DIR, arguments);
}

std::vector<NodeStatus> ClusterTest::status() {
  std::vector<NodeStatus> nodes;
  std::istringstream text(cluster("status").out);
  NodeStatus node;
  std::string sent, received, processes;
  while (text >> node.name >> node.address >> node.rate >> node.share >> sent >> received >> processes) {
    node.sent = number_of(sent);
    node.received = number_of(received);
    node.processes = number_of(processes);
    nodes.push_back(node);
  }
  return nodes;
}

std::string ClusterTest::application(int ranks, const std::string& arguments) {
  return command(ranks, "differential_structure", arguments);
}

std::string ClusterTest::command(int ranks, const std::string& name, const std::string& arguments) {
  const std::string command =
      fmt::format("{} {} --tw-db={} --tw-machine=cluster", program(name), arguments, database().string());
  return ranks == 0 ? command : script(fmt::format("run {} {}", ranks, command));
}

fs::path ClusterTest::database() {
  return fs::current_path() / "apps_test" / "ClusterCalibration" / "bench.sqlite";
}

void ClusterTest::make_picture(const std::string& name, int width, int height, int type) {
  cv::Mat picture(height, width, type);
  cv::randu(picture, 0, 255);
  cv::imwrite((folder / name).string(), picture);
}

std::vector<std::string> ClusterTest::different_files(const std::string& a, const std::string& b) {
  std::vector<std::string> different;
  for (const auto& entry : fs::directory_iterator(folder / a)) {
    const std::string name = entry.path().filename().string();
    const bool is_in_both = fs::exists(folder / b / name);
    if (is_in_both && run(fmt::format("cmp {}/{} {}/{}", a, name, b, name), folder).status != 0) {
      different.push_back(name);
    }
  }
  return different;
}

}  // namespace tilewright::test
