// The report: what is written comes back, figures are right, the page stands alone.
#include "regret/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <thread>

#include "regret/csv_table.hpp"
#include "regret/figures.hpp"
#include "regret/sample_cases.hpp"
#include "tilewright/explain/plots.hpp"

namespace tilewright::regret {
namespace {

using test::sample_cases;
using ::testing::HasSubstr;
using ::testing::Not;

class Report : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove_all(folder()); }
  [[nodiscard]] static std::filesystem::path folder() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    return std::filesystem::temp_directory_path() / fmt::format("regret_{}_{}", getpid(), test->name());
  }
};

CaseResult plain_case(const std::string& id) {
  CaseResult result;
  result.id = id;
  result.pipeline = "one derivative";
  result.width = result.height = 512;
  result.max_ranks = 4;
  result.network = "100mbit";
  result.shares = "20";
  result.model = "p3pc";
  result.predicted_s = 1.05;
  result.measured_s = 1;
  result.kendall_tau = 1;
  return result;
}

TEST(Csv, FieldsWithCommasQuotesAndLineBreaksComeBack) {
  const CsvTable table{{"a", "b"}, {{"plain", "with, comma"}, {"a \"quote\"", "two\r\nlines"}, {"", " spaces "}}};
  const CsvTable again = parse_csv(to_csv(table), "test");
  EXPECT_EQ(again.header, table.header);
  EXPECT_EQ(again.rows, table.rows);
}

TEST(Csv, ReadsWhatOtherProgramsWrite) {
  const CsvTable table = parse_csv("a,b\r\n1,\"2\"\r\n3,4", "test");
  EXPECT_EQ(table.rows, (std::vector<std::vector<std::string>>{{"1", "2"}, {"3", "4"}}));
}

TEST(Csv, DamageIsNamedWithItsLine) {
  const auto message = [](std::string_view text) {
    try {
      static_cast<void>(parse_csv(text, "x.csv"));
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string("nothing was thrown");
  };
  EXPECT_THAT(message(""), HasSubstr("header"));
  EXPECT_THAT(message("a,b\n1,2\n3\n"), HasSubstr("x.csv, line 3: 1 fields"));
  EXPECT_THAT(message("a,b\n1,\"2\n"), HasSubstr("not closed"));
  EXPECT_THAT(message("a,b\n\"1\"x,2\n"), HasSubstr("line 2"));
}

TEST(Csv, NumbersComeBackExactly) {
  for (const double value :
       {0.0, 0.1, 1.0 / 3, 1e-300, 5e-324, 1.7976931348623157e308, -2.5e-7, std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(csv_double(csv_text(value), "value"), value);
  }
  EXPECT_TRUE(std::isnan(csv_double(csv_text(std::nan("")), "value")));
  EXPECT_THROW(static_cast<void>(csv_double("1.5 s", "value")), std::runtime_error);
  EXPECT_THROW(static_cast<void>(csv_integer("1.5", "value")), std::runtime_error);
  EXPECT_THROW(static_cast<void>(csv_bool("1", "value")), std::runtime_error);
}

TEST_F(Report, ComesBackAsItWasWritten) {
  const std::vector<CaseResult> cases = sample_cases();
  write_csv(folder(), cases);
  EXPECT_EQ(read_csv(folder()), cases);
}

TEST_F(Report, JobsAddTheirCases) {
  const std::vector<CaseResult> cases = sample_cases();
  const auto half = cases.begin() + static_cast<std::ptrdiff_t>(cases.size() / 2);
  write_csv(folder(), {cases.begin(), half});
  write_csv(folder(), {half, cases.end()});
  EXPECT_EQ(read_csv(folder()), cases);
}

TEST_F(Report, ACaseThatIsRunAgainReplacesTheFormer) {
  write_csv(folder(), {plain_case("a"), plain_case("b")});
  CaseResult again = plain_case("a");
  again.measured_s = 3;
  again.habits = {{"all nodes", 4, 1.0 / 3}};
  write_csv(folder(), {again});
  EXPECT_EQ(read_csv(folder()), (std::vector<CaseResult>{plain_case("b"), again}));
  EXPECT_THROW(write_csv(folder(), {again, again}), std::invalid_argument);
}

TEST_F(Report, JobsMayWriteAtTheSameTime) {
  std::vector<std::thread> jobs;
  for (int job = 0; job < 4; ++job) {
    jobs.emplace_back([job, path = folder()] {
      for (int i = 0; i < 5; ++i) write_csv(path, {plain_case(fmt::format("{}-{}", job, i))});
    });
  }
  for (std::thread& job : jobs) job.join();
  EXPECT_EQ(read_csv(folder()).size(), 20U);
}

TEST_F(Report, DamagedFoldersAreRefused) {
  EXPECT_THROW(static_cast<void>(read_csv(folder())), std::runtime_error);
  write_csv(folder(), {plain_case("a")});
  std::ofstream(folder() / "habits.csv") << "case,habit,measured_s,regret\nb,all nodes,1,0\n";
  EXPECT_THROW(static_cast<void>(read_csv(folder())), std::runtime_error);
  std::ofstream(folder() / "habits.csv") << "something,else\n";
  EXPECT_THROW(static_cast<void>(read_csv(folder())), std::runtime_error);
}

TEST_F(Report, FiguresOfPredictions) {
  CaseResult first = plain_case("a");
  first.transfers = {{"scatter", "1x4", "oft", 1.1, 1, 0}, {"gather", "1x4", "sbt", 0.7, 1, 0}};
  CaseResult second = plain_case("b");
  second.predicted_s = 1.5;
  second.predicted_now_s = 1.05;
  second.transfers = {{"exchange", "1x4", "", 1, 0, 0}};  // not measured
  const std::vector<CaseResult> cases = {first, second};
  const Prediction transfers = transfer_prediction(all_of(cases));
  EXPECT_EQ(transfers.count, 2U);
  EXPECT_NEAR(transfers.mean_error, 0.2, 1e-12);
  EXPECT_NEAR(transfers.worst_error, -0.3, 1e-12);
  EXPECT_EQ(transfers.worst, "gather 1x4 sbt in a");
  const Prediction pipelines = pipeline_prediction(all_of(cases));
  EXPECT_DOUBLE_EQ(pipelines.share_within, 0.5);
  EXPECT_EQ(pipelines.worst, "b");
  const Prediction without_drift = pipeline_prediction_now(all_of(cases));
  EXPECT_EQ(without_drift.count, 1U) << "the other case does not know it";
  EXPECT_DOUBLE_EQ(without_drift.share_within, 1);
}

TEST_F(Report, RatiosLeaveOutWhatWasNotMeasured) {
  std::vector<CaseResult> cases = {plain_case("a"), plain_case("b"), plain_case("c")};
  cases[0].plan_transfers_s = 0.5;
  cases[0].baseline_transfers_s = 1;
  cases[1].plan_transfers_s = 2;
  cases[1].baseline_transfers_s = 1;
  const Ratios ratios = transfer_ratios(all_of(cases));
  EXPECT_EQ(ratios.count, 2U);
  EXPECT_NEAR(ratios.mean, 1, 1e-12);
  EXPECT_DOUBLE_EQ(ratios.worst, 2);
  EXPECT_EQ(ratios.worst_case, "b");
  EXPECT_EQ(whole_ratios(all_of(cases)).count, 0U);
}

TEST_F(Report, CasesAreGroupedByNetworkAndShare) {
  const std::vector<CaseResult> cases = sample_cases();
  std::vector<std::string> names;
  std::size_t count = 0;
  for (const Group& group : groups_of(cases)) {
    names.push_back(group.name);
    count += group.cases.size();
  }
  EXPECT_THAT(names, ::testing::ElementsAre("100mbit, 2 % of a core", "100mbit, 20 % of a core", "1gbit, 2 % of a core",
                                            "1gbit, 20 % of a core", "shared memory, 100 % of a core"));
  EXPECT_EQ(count, cases.size());
}

TEST_F(Report, EveryLargeRegretIsListedWithItsCause) {
  CaseResult bad = plain_case("bad");
  bad.regret_free = 0.25;
  bad.note = "the wire was busy";
  bad.plans = {{"1x4", 4, "oft", "scatter", 0.9, 1.25, 9, false, true},
               {"2x2", 4, "sbt", "scatter", 1, 1, 9, false, false}};
  CaseResult bad_when_fixed = plain_case("bad_when_fixed");
  bad_when_fixed.fixed = {{2, 0}, {4, 0.4}};
  const std::string text = text_summary({plain_case("good"), bad, bad_when_fixed});
  EXPECT_THAT(text, HasSubstr("Cases with a regret above 10 %: 2\n  bad_when_fixed: "));
  EXPECT_THAT(text, HasSubstr("regret 25.0 %"));
  EXPECT_THAT(text, HasSubstr("with 4 ranks 40.0 %"));
  EXPECT_THAT(text, HasSubstr("chosen  4 ranks as 1x4, oft scatter: predicted 900 ms, measured 1.25 s"));
  EXPECT_THAT(text, HasSubstr("best    4 ranks as 2x2, sbt scatter: predicted 1.00 s, measured 1.00 s"));
  EXPECT_THAT(text, HasSubstr("the wire was busy"));
  EXPECT_THAT(text, Not(HasSubstr("good: ")));
}

TEST_F(Report, GoalsAreThoseOfTheSlowNetworkAlone) {
  CaseResult fast = plain_case("fast");
  fast.network = "1gbit";
  fast.regret_free = 5;
  EXPECT_TRUE(goals_of({fast}).empty());
  const std::vector<Goal> goals = goals_of({plain_case("slow"), fast});
  ASSERT_EQ(goals.size(), 8U);
  EXPECT_TRUE(goals[0].met) << goals[0].found;
  EXPECT_EQ(goals[0].found, "0.0 %");
  EXPECT_FALSE(goals[2].known) << "no fixed rank count was run";
  EXPECT_FALSE(goals[4].known) << "no transfer was measured";
  EXPECT_TRUE(goals[5].met);
}

TEST_F(Report, PageStandsAlone) {
  std::vector<CaseResult> cases = sample_cases();
  cases.front().note = "a < b & \"c\"";
  const std::string page = html_page(cases);
  EXPECT_THAT(page, HasSubstr("a &lt; b &amp; &quot;c&quot;"));
  for (const char* outside : {"http:", "https:", " src=", " href=", "@import", "url("}) {
    EXPECT_THAT(page, Not(HasSubstr(outside)));
  }
  EXPECT_THAT(page, HasSubstr("prefers-color-scheme: dark"));
  EXPECT_THAT(page, HasSubstr("MPI_Dims_create SBT"));
  for (const char* in_plot : {"\"nan", " nan", "inf "}) EXPECT_THAT(page, Not(HasSubstr(in_plot)));
}

TEST_F(Report, TellsOfNothing) {
  EXPECT_THAT(text_summary({}), HasSubstr("no case"));
  EXPECT_THAT(html_page({}), HasSubstr("There is no case"));
  const std::vector<CaseResult> bare = {plain_case("bare")};
  EXPECT_THAT(text_summary(bare), HasSubstr("none measured"));
  EXPECT_THAT(html_page(bare), HasSubstr("Nothing was measured"));
}

TEST_F(Report, NumbersAsPeopleReadThem) {
  EXPECT_EQ(percent_text(0.0213), "2.1 %");
  EXPECT_EQ(percent_text(-0.0001), "0.0 %");
  EXPECT_EQ(percent_text(12.3), "1230 %");
  EXPECT_EQ(percent_text(std::nan("")), "–");
  EXPECT_EQ(ratio_text(std::nan("")), "–");
  EXPECT_EQ(seconds_text(0), "–");
  EXPECT_EQ(seconds_text(0.0123), "12.3 ms");
}

}  // namespace
}  // namespace tilewright::regret
