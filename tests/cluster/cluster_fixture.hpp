// An emulated cluster for a suite of tests (cluster.sh).
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "apps/program_runner.hpp"

namespace tilewright::test {

/// A line of "cluster.sh status".
struct NodeStatus {
  std::string name, address, rate, share;
  std::int64_t sent = 0, received = 0, processes = 0;
};

/// Skips every test where the machine allows no cluster. The suite's cluster goes down with it, whatever happened. It
/// is number 1 unless TILEWRIGHT_CLUSTER says otherwise, so that the user's own, number 0, stays.
class ClusterTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite();
  static void TearDownTestSuite();
  void SetUp() override;

  /// "cluster.sh ARGUMENTS".
  [[nodiscard]] static std::string script(const std::string& arguments);
  static Outcome cluster(const std::string& arguments) { return run(script(arguments), folder); }
  static std::vector<NodeStatus> status();
  /// The main job on `ranks` nodes with the measured profile, as a command; 0: alone, on this machine itself.
  [[nodiscard]] static std::string application(int ranks, const std::string& arguments);
  /// The same of another program.
  [[nodiscard]] static std::string command(int ranks, const std::string& name, const std::string& arguments);
  /// The database with the profile "cluster", which the suite ClusterCalibration has made.
  [[nodiscard]] static std::filesystem::path database();
  /// A picture of noise in the suite's folder.
  static void make_picture(const std::string& name, int width, int height, int type);
  /// Files of `a` that are in `b` too, but with other bytes.
  static std::vector<std::string> different_files(const std::string& a, const std::string& b);

  static inline std::filesystem::path folder;
  static inline std::string reason_to_skip;
};

}  // namespace tilewright::test
