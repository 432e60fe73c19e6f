// What decisions are worth: what is written comes back, and wins are told as they are.
#include "regret/decision_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <stdexcept>

namespace tilewright::regret {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Decisions : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("decisions_" + std::to_string(getpid()));
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

DecisionResult result_of(const std::string& decision, double with_s, double without_s) {
  return {"100mbit 2%",
          decision,
          "chain s1,2,3 512x512 p8",
          "--tw-sharing=off",
          "--tw-halo=shallow",
          0,
          {"8 ranks as 1x8, scatter oft", with_s, with_s, 0.01 * with_s, 1 << 20},
          {"1 rank", without_s, without_s, 0.02 * without_s, 3 << 20},
          9};
}

DecisionResult too_large() {
  DecisionResult result = result_of("memory", 1, 0.5);
  result.node_memory = 2 << 20;
  result.without.measured_s = std::numeric_limits<double>::quiet_NaN();
  return result;
}

TEST_F(Decisions, ComeBackAsWritten) {
  const std::vector<DecisionResult> results{result_of("halos", 1, 1.5), result_of("grids", 2, 2.02)};
  EXPECT_TRUE(read_decisions(folder_).empty());
  write_decisions(folder_, results);
  EXPECT_EQ(read_decisions(folder_), results);
}

TEST_F(Decisions, AreReplacedWhenMeasuredAgain) {
  write_decisions(folder_, {result_of("halos", 1, 1.5), result_of("grids", 2, 2.02)});
  write_decisions(folder_, {result_of("halos", 3, 4)});
  EXPECT_EQ(read_decisions(folder_), (std::vector{result_of("grids", 2, 2.02), result_of("halos", 3, 4)}));
}

TEST_F(Decisions, AFileOfAnotherKindIsRefused) {
  std::filesystem::create_directories(folder_);
  std::ofstream(folder_ / "decisions.csv") << "a,b\n1,2\n";
  EXPECT_THROW((void)read_decisions(folder_), std::runtime_error);
  EXPECT_THROW(write_decisions(folder_, {result_of("halos", 1, 1.5)}), std::runtime_error);
}

TEST(DecisionText, AWinIsWhatThePlanWithoutTakesMore) {
  EXPECT_NEAR(win_of(result_of("halos", 1, 1.5)), 0.5, 1e-12);
  EXPECT_NEAR(win_of(result_of("halos", 2, 1)), -0.5, 1e-12);
  EXPECT_TRUE(std::isinf(win_of(too_large())));
}

TEST(DecisionText, OneGroundIsEnoughForADecisionToBeWorthIt) {
  DecisionResult elsewhere = result_of("halos", 1, 1.01);
  elsewhere.ground = "1gbit 20%";
  const std::string text = decisions_text({elsewhere, result_of("halos", 1, 1.5), result_of("grids", 1, 1.01)});
  EXPECT_THAT(text, HasSubstr("halos: met"));
  EXPECT_THAT(text, HasSubstr("grids: MISSED"));
  EXPECT_THAT(text, HasSubstr("without it 50.0 %"));
  EXPECT_EQ(decisions_text({}), "");
}

TEST(DecisionText, APlanThatDoesNotFitIsNotRun) {
  const std::string text = decisions_text({too_large()});
  EXPECT_THAT(text, HasSubstr("memory: met"));
  EXPECT_THAT(text, HasSubstr("not run: it takes 3.00 MiB of a node's 2.00 MiB"));
}

TEST(DecisionText, ThePageHasARowForEach) {
  const std::string section = decisions_section({result_of("halos", 1, 1.5), result_of("a < b", 1, 1.01)});
  EXPECT_THAT(section, HasSubstr("halos"));
  EXPECT_THAT(section, HasSubstr("a &lt; b"));
  EXPECT_THAT(section, Not(HasSubstr("a < b")));
  EXPECT_EQ(decisions_section({}), "");
}

}  // namespace
}  // namespace tilewright::regret
