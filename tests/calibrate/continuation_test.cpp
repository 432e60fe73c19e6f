#include "tilewright/calibrate/continuation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ctime>

#include "support/temporary_folder.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

Fingerprint launch_of(int launches = 1, const std::string& seeds = "7") {
  Fingerprint fingerprint;
  fingerprint.host = "node1";
  fingerprint.nodes = 2;
  fingerprint.ranks = 4;
  fingerprint.mpi = "MPICH 4.0.2";
  fingerprint.simd = "avx2";
  fingerprint.effort = "standard";
  fingerprint.settings = {{"UCX_TLS", "tcp,self"}, {"sizes", "0,1024"}, {"seeds", seeds}};
  fingerprint.settings["launches"] = std::to_string(launches);
  return fingerprint;
}

class ContinuationTest : public testing::Test {
  test::TemporaryFolder folder_;

 protected:
  Store store_{folder_.path() / "bench.sqlite", OpenMode::create};
  CalibrationOptions options_{.machine = "m", .effort = Effort::standard};

  void save(const Fingerprint& fingerprint, int launch = 0) {
    store_.save({MachineProfile("m", fingerprint, {}, {}), {{"send/cc/4096", launch, 0, 1e-6}}});
  }
  /// As if its process had been killed.
  void interrupt(const Fingerprint& fingerprint, int launch = 0) {
    MachineClaim claim(store_, "m");
    claim.keep({MachineProfile("m", fingerprint, {}, {}), {{"recv/cc/4096", launch, 0, 1e-6}}}, 42);
  }
};

TEST(Conditions, DifferByWhatWasMeasuredOn) {
  const Fingerprint before = launch_of();
  EXPECT_EQ(difference_of_conditions(before, launch_of(3, "1,2,3")), "") << "how is not on what";
  const auto changed = [&](auto change) {
    Fingerprint now = before;
    change(now);
    return difference_of_conditions(before, now);
  };
  EXPECT_EQ(changed([](Fingerprint& f) { f.host = "node2"; }), "the host was node1, and is node2");
  EXPECT_EQ(changed([](Fingerprint& f) { f.nodes = 1; }), "the number of nodes was 2, and is 1");
  EXPECT_EQ(changed([](Fingerprint& f) { f.ranks = 8; }), "the number of ranks was 4, and is 8");
  EXPECT_EQ(changed([](Fingerprint& f) { f.mpi = "MPICH 4.1"; }), "the MPI library was MPICH 4.0.2, and is MPICH 4.1");
  EXPECT_EQ(changed([](Fingerprint& f) { f.simd = "sse4"; }), "the vector level was avx2, and is sse4");
  EXPECT_EQ(changed([](Fingerprint& f) { f.settings["UCX_TLS"] = "sm"; }), "UCX_TLS was tcp,self, and is sm");
  EXPECT_EQ(changed([](Fingerprint& f) { f.settings.erase("UCX_TLS"); }), "UCX_TLS was tcp,self, and is not set");
  EXPECT_EQ(changed([](Fingerprint& f) { f.settings["UCX_NEW"] = "y"; }), "UCX_NEW was not set, and is y");
  EXPECT_EQ(changed([](Fingerprint& f) { f.settings["sizes"] = "0"; }), "--sizes was 0,1024, and is 0");
  EXPECT_EQ(changed([](Fingerprint& f) { f.effort = "quick"; }), "");
  Fingerprint of_old = before;
  of_old.settings.erase("sizes");
  EXPECT_EQ(difference_of_conditions(of_old, before), "") << "they are not known";
}

TEST_F(ContinuationTest, AddsALaunchToThoseUnderTheSameConditions) {
  save(launch_of(2, "7,8"), 1);
  EXPECT_EQ(continue_from(store_, launch_of(), {.add = true}, options_), "");
  EXPECT_EQ(options_.launch, 2);
  EXPECT_EQ(options_.before.size(), 1U);
  EXPECT_EQ(options_.seeds_before, (std::vector<std::string>{"7", "8"}));
  EXPECT_EQ(options_.seed, std::nullopt);
}

TEST_F(ContinuationTest, RefusesALaunchOfAnotherNetwork) {
  save(launch_of());
  Fingerprint now = launch_of();
  now.settings["UCX_TLS"] = "sm";
  EXPECT_THAT([&] { (void)continue_from(store_, now, {.add = true}, options_); },
              ThrowsMessage<ParameterError>(testing::AllOf(HasSubstr("UCX_TLS was tcp,self, and is sm"),
                                                           HasSubstr("--add"), HasSubstr("--machine"))));
  EXPECT_EQ(continue_from(store_, now, {}, options_), "") << "a new calibration takes the place of the old one";
}

TEST_F(ContinuationTest, ProfilesOfOldKnowTheSeedOfTheirLastLaunch) {
  Fingerprint of_old = launch_of(3);
  of_old.settings.erase("seeds");
  of_old.settings["seed"] = "9";
  save(of_old, 2);
  (void)continue_from(store_, launch_of(), {.add = true}, options_);
  EXPECT_EQ(options_.seeds_before, (std::vector<std::string>{"unknown", "unknown", "9"}));
}

TEST_F(ContinuationTest, GoesOnWithTheSameLaunchAndItsSeed) {
  interrupt(launch_of());
  EXPECT_THAT(continue_from(store_, launch_of(), {}, options_), HasSubstr("goes on after 42 s"));
  EXPECT_EQ(options_.measured_s, 42);
  EXPECT_EQ(options_.before.size(), 1U);
  EXPECT_EQ(options_.seed, 7U);
  EXPECT_TRUE(options_.seeds_before.empty());
}

TEST_F(ContinuationTest, GoesOnWithAnAddedLaunch) {
  save(launch_of());
  interrupt(launch_of(2, "7,8"), 1);
  EXPECT_THAT(continue_from(store_, launch_of(), {.add = true}, options_), HasSubstr("goes on"));
  EXPECT_EQ(options_.launch, 1);
  EXPECT_EQ(options_.seed, 8U);
  EXPECT_EQ(options_.seeds_before, std::vector<std::string>{"7"});
}

TEST_F(ContinuationTest, BeginsAnewWhereWhatWasInterruptedIsAnother) {
  const auto note = [&](const Fingerprint& now, const Continuation& wanted = {}) {
    CalibrationOptions options = options_;
    const std::string told = continue_from(store_, now, wanted, options);
    EXPECT_EQ(options.measured_s, 0) << told;
    EXPECT_TRUE(options.before.empty());
    return told;
  };
  interrupt(launch_of());
  Fingerprint now = launch_of();
  now.settings["UCX_TLS"] = "sm";
  EXPECT_THAT(note(now), HasSubstr("begins anew, not where a calibration was interrupted: UCX_TLS was tcp,self"));
  now = launch_of();
  now.effort = "quick";
  EXPECT_THAT(note(now), HasSubstr("the effort was standard, and is quick"));
  options_.seed = 99;
  EXPECT_THAT(note(launch_of()), HasSubstr("--seed was 7, and is 99"));
  options_.seed.reset();
  EXPECT_EQ(note(launch_of(), {.afresh = true}), "");
  interrupt(launch_of(2, "7,8"), 1);
  EXPECT_THAT(note(launch_of()), HasSubstr("the number of launches was 2, and is 1"));
}

TEST_F(ContinuationTest, AMachineIsClaimedByAProcessThatLives) {
  const Calibrator elsewhere{"elsewhere", 1, std::time(nullptr)};
  EXPECT_TRUE(is_at_work(this_calibrator()));
  EXPECT_TRUE(is_at_work(elsewhere));
  EXPECT_FALSE(is_at_work({"elsewhere", 1, std::time(nullptr) - 3600})) << "not heard of for an hour";
  const auto nobody = [](const Calibrator&) { return false; };
  ASSERT_FALSE(store_.claim("m", elsewhere, nobody));
  EXPECT_THAT([&] { MachineClaim(store_, "m"); },
              ThrowsMessage<ParameterError>(HasSubstr("calibrated already, by process 1 on elsewhere")));
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  ASSERT_FALSE(store_.claim("m", {this_calibrator().host, child, std::time(nullptr)}, nobody));
  {
    MachineClaim claim(store_, "m");
    claim.finish({MachineProfile("m", {}, {}, {}), {}});
  }
  EXPECT_EQ(store_.machines().size(), 1U);
}

TEST_F(ContinuationTest, AProcessThatHasTheNumberOfADeadOneIsAnother) {
  Calibrator dead = this_calibrator();
  ASSERT_FALSE(dead.started.empty());
  dead.started = "of the boot before/1234";
  EXPECT_FALSE(is_at_work(dead));
  dead.started.clear();
  EXPECT_TRUE(is_at_work(dead)) << "its number is all that is known";
  dead = {this_calibrator().host, ::getppid(), std::time(nullptr), "of the boot before/1234"};
  ASSERT_FALSE(store_.claim("m", dead, [](const Calibrator&) { return false; }));
  MachineClaim claim(store_, "m");
  claim.finish({MachineProfile("m", {}, {}, {}), {}});
  EXPECT_EQ(store_.machines().size(), 1U);
}

TEST_F(ContinuationTest, AClaimEndsWithItsProcessAndWhatItKeptStays) {
  interrupt(launch_of());
  const Calibrator elsewhere{"elsewhere", 1, std::time(nullptr)};
  EXPECT_FALSE(store_.claim("m", elsewhere, is_at_work)) << "it was given up";
  EXPECT_TRUE(store_.unfinished("m"));
}

}  // namespace
}  // namespace tilewright
