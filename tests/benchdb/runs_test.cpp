// What was run by a machine's profile, plans that are pinned, and what both tell of the profile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sample_calibration.hpp"
#include "support/temporary_folder.hpp"
#include "tilewright/benchdb/run_drift.hpp"
#include "tilewright/benchdb/store.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

using test::awkward_calibration;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::ThrowsMessage;

StoredRun run_of(const std::string& pipeline, std::optional<double> predicted_s, double measured_s) {
  return {0,     pipeline,    "app",      "2026-01-02T03:04:05Z",          4,
          "2x2", predicted_s, measured_s, "{\"of\": \"" + pipeline + "\"}"};
}

class RunsTest : public testing::Test {
 protected:
  RunsTest() { store_.save(awkward_calibration("m")); }
  test::TemporaryFolder folder_;
  Store store_{folder_.path() / "bench.sqlite", OpenMode::create};
};

TEST_F(RunsTest, ComeBackAsTheyWereTheNewestFirst) {
  store_.record_runs("m", {run_of("a", 0.1, 0.2), run_of("b", std::nullopt, 0.3)});
  std::vector<StoredRun> runs = store_.runs("m");
  ASSERT_THAT(runs, SizeIs(2));
  EXPECT_GT(runs[0].id, runs[1].id);
  runs[0].id = runs[1].id = 0;
  EXPECT_THAT(runs, ElementsAre(run_of("b", std::nullopt, 0.3), run_of("a", 0.1, 0.2)));
  EXPECT_THAT(store_.check(), IsEmpty());
}

TEST_F(RunsTest, OfManyTheNewestStay) {
  store_.save(awkward_calibration("other"));
  store_.record_runs("other", {run_of("old", 1, 1)});
  for (int i = 0; i < 3; ++i) store_.record_runs("m", std::vector<StoredRun>(50, run_of(std::to_string(i), 1, 1)));
  const std::vector<StoredRun> runs = store_.runs("m");
  ASSERT_THAT(runs, SizeIs(100));
  EXPECT_EQ(runs.front().pipeline, "2");
  EXPECT_EQ(runs.back().pipeline, "1");
  EXPECT_THAT(store_.runs("other"), SizeIs(1));
}

TEST_F(RunsTest, AreForgottenWithTheProfileThatPredictedThem) {
  store_.record_runs("m", {run_of("a", 0.1, 0.2)});
  store_.save(awkward_calibration("m"));
  EXPECT_THAT(store_.runs("m"), IsEmpty());
  EXPECT_THAT([&] { store_.record_runs("nobody", {run_of("a", 0.1, 0.2)}); },
              ThrowsMessage<ParameterError>(HasSubstr("'nobody' is unknown")));
}

TEST_F(RunsTest, PinnedPlansOutliveACalibration) {
  store_.record_runs("m", {run_of("a", 0.1, 0.2), run_of("b", 0.1, 0.2)});
  const std::vector<StoredRun> runs = store_.runs("m");
  store_.pin("m", runs[1].id);
  store_.save(awkward_calibration("m"));
  EXPECT_THAT(store_.pins("m"), ElementsAre(PinnedPlan{"a", "app", runs[1].date, runs[1].plan}));
  EXPECT_THAT(store_.pins("other"), IsEmpty());
  EXPECT_THAT([&] { store_.pin("m", runs[0].id); }, ThrowsMessage<ParameterError>(HasSubstr("no run")));
  store_.unpin("m", "a");
  EXPECT_THAT(store_.pins("m"), IsEmpty());
  EXPECT_THAT([&] { store_.unpin("m", "a"); }, ThrowsMessage<ParameterError>(HasSubstr("no plan is pinned")));
}

TEST_F(RunsTest, LieInAFileOfTheirOwn) {
  const std::filesystem::path file = folder_.path() / "bench.sqlite.runs";
  EXPECT_THAT(store_.runs("m"), IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(file)) << "there are none";
  const auto before = std::filesystem::last_write_time(folder_.path() / "bench.sqlite");
  store_.record_runs("m", {run_of("a", 0.1, 0.2)});
  EXPECT_EQ(std::filesystem::last_write_time(folder_.path() / "bench.sqlite"), before);
  std::filesystem::remove(file);
  Store again(folder_.path() / "bench.sqlite", OpenMode::existing);
  EXPECT_THAT(again.runs("m"), IsEmpty());
  again.record_runs("m", {run_of("b", 0.1, 0.2)});
  EXPECT_THAT(again.runs("m"), SizeIs(1));
}

TEST_F(RunsTest, OfADatabaseThatWasThereBeforeAreNotTakenForItsOwn) {
  store_.record_runs("m", {run_of("a", 0.1, 0.2)});
  const std::filesystem::path path = folder_.path() / "bench.sqlite";
  std::filesystem::remove(path);
  Store fresh(path, OpenMode::create);
  Calibration other = awkward_calibration("m");
  Fingerprint later = other.profile.fingerprint();
  later.date = "2099-01-01T00:00:00Z";
  other.profile = MachineProfile("m", later, other.profile.paths(), other.profile.operators());
  fresh.save(other);
  EXPECT_THAT(fresh.runs("m"), IsEmpty());
  fresh.record_runs("m", {run_of("b", 0.1, 0.2)});
  ASSERT_THAT(fresh.runs("m"), SizeIs(1));
  EXPECT_EQ(fresh.runs("m").front().pipeline, "b");
}

TEST_F(RunsTest, TellOfTheCostsThatTheyWerePredictedBy) {
  store_.record_runs("m", {run_of("a", 0.1, 0.2)});  // of 2026-01-02T03:04:05Z
  EXPECT_THAT(store_.runs_since_refresh("m"), SizeIs(1));
  const Refresh earlier{1.5, "2026-01-02T03:04:04Z"};
  store_.keep_refresh("m", earlier);
  EXPECT_EQ(store_.profile("m").refresh(), earlier);
  EXPECT_THAT(store_.runs_since_refresh("m"), SizeIs(1));
  store_.keep_refresh("m", {1.25, "2026-01-02T03:04:06Z"});
  EXPECT_EQ(store_.profile("m").refresh().computing_factor, 1.25);
  EXPECT_THAT(store_.runs_since_refresh("m"), IsEmpty());
  EXPECT_THAT(store_.runs("m"), SizeIs(1)) << "they can be pinned all the same";
  EXPECT_THAT(store_.check(), IsEmpty());
  store_.save(awkward_calibration("m"));
  EXPECT_EQ(store_.profile("m").refresh(), Refresh{}) << "a calibration needs none";
  EXPECT_THAT([&] { store_.keep_refresh("nobody", earlier); },
              ThrowsMessage<ParameterError>(HasSubstr("'nobody' is unknown")));
}

TEST_F(RunsTest, ThatAreDamagedAreTold) {
  const std::filesystem::path file = folder_.file("bench.sqlite.runs", std::string(5000, 'x'));
  EXPECT_THAT([&] { (void)store_.runs("m"); }, ThrowsMessage<RuntimeError>(HasSubstr(file.string())));
  EXPECT_THAT([&] { store_.record_runs("m", {run_of("a", 0.1, 0.2)}); },
              ThrowsMessage<RuntimeError>(HasSubstr("remove it")));
  EXPECT_EQ(store_.profile("m").name(), "m");
}

TEST(RunDrift, TakesFiveRunsThatAreOffTogether) {
  const StoredRun slow = run_of("a", 0.1, 0.15);
  const StoredRun fast = run_of("a", 0.1, 0.06);
  const StoredRun right = run_of("a", 0.1, 0.11);
  EXPECT_FALSE(drift_of_runs(std::vector<StoredRun>(4, slow)));
  ASSERT_TRUE(drift_of_runs(std::vector<StoredRun>(5, slow)));
  EXPECT_DOUBLE_EQ(drift_of_runs(std::vector<StoredRun>(5, slow))->factor, 1.5);
  EXPECT_DOUBLE_EQ(drift_of_runs(std::vector<StoredRun>(6, fast))->factor, 0.6);
  EXPECT_FALSE(drift_of_runs(std::vector<StoredRun>(30, right)));
  EXPECT_FALSE(drift_of_runs({slow, fast, slow, fast, slow, fast})) << "noise, not drift";
  EXPECT_FALSE(drift_of_runs({slow, right, slow, right, slow})) << "three of five";
  ASSERT_TRUE(drift_of_runs({slow, slow, right, slow, slow}));
  EXPECT_EQ(drift_of_runs({slow, slow, right, slow, slow})->runs, 5);
}

TEST(RunDrift, LooksAtTheNewestThatTell) {
  std::vector<StoredRun> runs(20, run_of("a", 0.1, 0.1));
  runs.insert(runs.end(), 80, run_of("a", 0.1, 0.5));
  EXPECT_FALSE(drift_of_runs(runs)) << "that is long ago";
  EXPECT_FALSE(drift_of_runs(std::vector<StoredRun>(9, run_of("a", 1e-4, 5e-3)))) << "too short to tell";
  EXPECT_FALSE(drift_of_runs(std::vector<StoredRun>(9, run_of("a", std::nullopt, 1)))) << "nothing was predicted";
}

}  // namespace
}  // namespace tilewright
