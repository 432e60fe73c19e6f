#include "tilewright/calibrate/calibrate.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>

#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

TEST(Effort, NamesAreReadBack) {
  for (const Effort effort : {Effort::quick, Effort::standard, Effort::thorough}) {
    EXPECT_EQ(parse_effort(to_string(effort)), effort);
  }
  EXPECT_EQ(to_string(Effort::quick), "quick");
  EXPECT_THROW((void)parse_effort("hasty"), ParameterError);
}

TEST(Effort, QuickLeavesRoomBelowTwentySeconds) {
  EXPECT_LE(budget_seconds(Effort::quick), 15);
  EXPECT_LT(budget_seconds(Effort::quick), budget_seconds(Effort::standard));
  EXPECT_LT(budget_seconds(Effort::standard), budget_seconds(Effort::thorough));
}

TEST(Fingerprint, NamesWhatThisProcessRunsOn) {
  setenv("UCX_TILEWRIGHT_TEST", "a=b", 1);
  const Fingerprint fingerprint = fingerprint_of(Communicator::alone());
  unsetenv("UCX_TILEWRIGHT_TEST");
  EXPECT_FALSE(fingerprint.host.empty());
  EXPECT_FALSE(fingerprint.processor.empty());
  EXPECT_GE(fingerprint.cores_per_node, 1);
  EXPECT_GT(fingerprint.memory_per_node, 0);
  EXPECT_EQ(fingerprint.nodes, 1);
  EXPECT_EQ(fingerprint.ranks, 1);
  EXPECT_NE(fingerprint.mpi.find("MPICH"), std::string::npos) << fingerprint.mpi;
  EXPECT_EQ(fingerprint.mpi.find('\n'), std::string::npos);
  EXPECT_EQ(fingerprint.settings.at("UCX_TILEWRIGHT_TEST"), "a=b");
  EXPECT_TRUE(std::regex_match(fingerprint.date, std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)"))) << fingerprint.date;
  EXPECT_FALSE(fingerprint.simd.empty());
}

}  // namespace
}  // namespace tilewright
