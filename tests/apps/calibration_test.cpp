// tilewright calibrate that is interrupted, added to, and asked for twice at a time.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "program_runner.hpp"
#include "tilewright/benchdb/store.hpp"
#include "tilewright/calibrate/continuation.hpp"

namespace tilewright::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Calibrating : public ::testing::Test {
 protected:
  /// A folder without a database.
  std::filesystem::path folder_ =
      fresh_folder(fmt::format("calibrating_{}", ::testing::UnitTest::GetInstance()->current_test_info()->name()));

  static std::string command(const std::string& arguments, const std::string& machine = "m") {
    return fmt::format("{} calibrate --effort quick --machine {} --db bench.sqlite {}", program("tilewright"), machine,
                       arguments);
  }
  [[nodiscard]] Outcome calibrate(int ranks, const std::string& arguments) const {
    return run(fmt::format("{} {}", ranks == 1 ? "" : mpiexec(ranks), command(arguments)), folder_);
  }
  /// On two ranks, which are killed when the shell's `wait` is over.
  void calibrate_and_kill(const std::string& wait, const std::string& arguments) const {
    (void)run(fmt::format("{} sh -c 'echo $$ > pid.$PMI_RANK; exec {}' &\n"
                          "until [ -s pid.0 ] && [ -s pid.1 ]; do sleep 0.02; done\n"
                          "{}\nkill -9 $(cat pid.0) $(cat pid.1)\nwait\nrm -f pid.*",
                          mpiexec(2), command(arguments), wait),
              folder_);
  }
  [[nodiscard]] Store store() const { return {folder_ / "bench.sqlite", OpenMode::create}; }
};

TEST_F(Calibrating, IsGoneOnWithWhenItWasKilled) {
  // What is known is kept every ten seconds. Without it the file has half as many bytes.
  const std::string first_kept = "until [ $(stat -c %s bench.sqlite) -gt 100000 ]; do sleep 0.1; done; sleep 0.5";
  calibrate_and_kill(first_kept, "--budget 60 --seed 5");
  EXPECT_THAT(store().check(), IsEmpty());
  EXPECT_THAT(store().machines(), IsEmpty()) << "it was not finished";
  const auto unfinished = store().unfinished("m");
  ASSERT_TRUE(unfinished);
  ASSERT_GT(unfinished->samples.size(), 100U);

  const Outcome resumed = calibrate(2, "--budget 12");
  ASSERT_EQ(resumed.status, 0) << resumed.error;
  EXPECT_THAT(resumed.error, HasSubstr("goes on after"));
  EXPECT_EQ(store().unfinished("m"), std::nullopt);
  EXPECT_THAT(store().check(), IsEmpty());
  const std::vector<RawSample> all = store().samples("m");
  ASSERT_GT(all.size(), unfinished->samples.size());
  EXPECT_TRUE(std::equal(unfinished->samples.begin(), unfinished->samples.end(), all.begin())) << "nothing is lost";
  const MachineProfile profile = store().profile("m");
  EXPECT_TRUE(profile.has_paths());
  EXPECT_TRUE(profile.has_operators());
  EXPECT_EQ(profile.fingerprint().settings.at("seeds"), "5");
}

TEST_F(Calibrating, LeavesAWholeDatabaseWheneverItIsKilled) {
  ASSERT_EQ(calibrate(2, "--budget 1").status, 0);
  const MachineProfile before = store().profile("m");
  for (const double seconds : {0.1, 0.3, 0.6, 1.2, 2.0}) {
    calibrate_and_kill(fmt::format("sleep {}", seconds), "--budget 60");
    EXPECT_THAT(store().check(), IsEmpty()) << seconds;
    EXPECT_EQ(store().profile("m"), before) << seconds;
  }
  const Outcome resumed = calibrate(2, "--budget 1");
  ASSERT_EQ(resumed.status, 0) << resumed.error;
  EXPECT_THAT(resumed.error, HasSubstr("goes on after"));
  EXPECT_NE(store().profile("m"), before);
}

TEST_F(Calibrating, AddsLaunchesUnderTheSameConditionsAndKeepsTheirSeeds) {
  ASSERT_EQ(calibrate(1, "--budget 0.5 --seed 3").status, 0);
  const Outcome added = calibrate(1, "--budget 0.5 --seed 4 --add");
  ASSERT_EQ(added.status, 0) << added.error;
  const Outcome shown = run(fmt::format("{} db show m --db bench.sqlite", program("tilewright")), folder_);
  EXPECT_THAT(shown.out, HasSubstr("seeds=3,4"));
  EXPECT_THAT(shown.out, HasSubstr("launches=2"));

  const MachineProfile before = store().profile("m");
  const Outcome sizes = calibrate(1, "--budget 0.5 --add --sizes 0,512");
  EXPECT_EQ(sizes.status, 2);
  EXPECT_THAT(sizes.error, HasSubstr("--sizes was 0,16,64,256,512"));
  EXPECT_THAT(sizes.error, HasSubstr("and is 0,512"));
  const Outcome ranks = calibrate(2, "--budget 0.5 --add");
  EXPECT_EQ(ranks.status, 2);
  EXPECT_THAT(ranks.error, HasSubstr("the number of ranks was 1, and is 2"));
  const Outcome network = run("UCX_LOG_LEVEL=fatal " + command("--budget 0.5 --add"), folder_);
  EXPECT_EQ(network.status, 2);
  EXPECT_THAT(network.error, HasSubstr("UCX_LOG_LEVEL was not set, and is fatal"));
  EXPECT_EQ(store().profile("m"), before);
}

TEST_F(Calibrating, IsRefreshedWithoutLosingAnything) {
  const auto refresh = [&](int ranks, const std::string& machine) {
    return run_program(folder_, ranks, "tilewright", "calibrate --refresh --db bench.sqlite --machine " + machine);
  };
  ASSERT_EQ(calibrate(2, "--budget 1").status, 0);
  EXPECT_EQ(refresh(1, "unknown").status, 2);
  const MachineProfile before = store().profile("m");
  const Outcome refreshed = refresh(2, "m");
  ASSERT_EQ(refreshed.status, 0) << refreshed.error;
  EXPECT_THAT(refreshed.out, HasSubstr("times as long as calibrated"));
  const MachineProfile after = store().profile("m");
  EXPECT_GT(after.refresh().computing_factor, 0);
  EXPECT_THAT(refreshed.out, HasSubstr("messages take"));
  EXPECT_NE(after.refresh().messages.whole, MessageFactors{}.whole);
  EXPECT_THAT(refreshed.out, HasSubstr("copies through shared memory"));
  EXPECT_NE(after.refresh().sharing, SharingFactors());
  EXPECT_FALSE(after.refresh().date.empty());
  EXPECT_EQ(after.with_refresh({}), before);
  const Outcome shown = run(fmt::format("{} db show m --db bench.sqlite", program("tilewright")), folder_);
  EXPECT_THAT(shown.out, HasSubstr("computing_factor="));
  EXPECT_THAT(shown.out, HasSubstr("message_factors="));
  EXPECT_THAT(shown.out, HasSubstr("sharing_factors="));
  const Outcome alone = refresh(1, "m");
  EXPECT_THAT(alone.out, HasSubstr("messages were not measured again"));
  EXPECT_EQ(store().profile("m").refresh().messages, MessageFactors{}) << "of a refresh that knows nothing of them";
  const Outcome both = run(command("--refresh"), folder_);
  EXPECT_NE(both.status, 0) << "with --effort";
  EXPECT_EQ(store().profile("m").with_refresh({}), before);
}

TEST_F(Calibrating, CannotBeRefreshedOnAnotherProcessor) {
  Store kept = store();
  Fingerprint fingerprint;
  fingerprint.processor = "Z80";
  const OperatorCell cell{"copy", PixelType::f32, 0, 65536, {1e-9, 0, 5}};
  kept.save({MachineProfile("m", fingerprint, {}, {cell}), {{"copy/f32/0/65536", 0, 0, 1e-9}}});
  const Outcome refused = run_program(folder_, 2, "tilewright", "calibrate --refresh --db bench.sqlite --machine m");
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.error, HasSubstr("on the processor 'Z80'"));
  EXPECT_EQ(kept.profile("m").refresh(), Refresh{});
}

TEST_F(Calibrating, IsRefusedWhileAnotherIsAtWork) {
  Store kept = store();
  const MachineClaim claim(kept, "m");
  const Outcome refused = calibrate(1, "--budget 0.5");
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.error, HasSubstr(fmt::format("calibrated already, by process {}", ::getpid())));
  EXPECT_THAT(kept.machines(), IsEmpty());
  EXPECT_EQ(run(command("--budget 0.5", "n"), folder_).status, 0) << "another machine is free";
}

TEST_F(Calibrating, AFirstRunLeavesAloneWhatAnotherHasBegun) {
  Store kept = store();
  const std::string host = this_calibrator().host;
  MachineClaim claim(kept, host);
  claim.keep({MachineProfile(host, {}, {}, {}), {{"send/cc/4096", 0, 0, 1e-6}}}, 42);
  const std::string picture = std::string(TILEWRIGHT_SOURCE_DIR) + "/apps/images/retina.jpg";
  const Outcome first = run_program(folder_, 2, "differential_structure", picture + " out --sigma 1");
  EXPECT_EQ(first.status, 0) << first.error;
  EXPECT_THAT(first.error, HasSubstr("will not be kept"));
  EXPECT_THAT(kept.machines(), IsEmpty());
  claim.keep({MachineProfile(host, {}, {}, {}), kept.unfinished(host)->samples}, 43);  // which is still its own
  EXPECT_EQ(kept.unfinished(host)->samples.size(), 1U);
}

/// Of operators alone, as one process measures them.
TEST_F(Calibrating, AFirstRunReplacesNothingThatWasMeasured) {
  Store kept = store();
  Fingerprint fingerprint;
  fingerprint.host = this_calibrator().host;
  fingerprint.date = "2026-11-26T10:00:00Z";
  const OperatorCell cell{"copy", PixelType::f32, 0, 65536, {1e-9, 0, 5}};
  const Calibration before{MachineProfile(fingerprint.host, fingerprint, {}, {cell}),
                           {{"copy/f32/0/65536", 0, 0, 1e-9}}};
  kept.save(before);
  const std::string picture = std::string(TILEWRIGHT_SOURCE_DIR) + "/apps/images/retina.jpg";
  const Outcome first = run_program(folder_, 2, "differential_structure", picture + " out --sigma 1");
  EXPECT_EQ(first.status, 0) << first.error;
  EXPECT_THAT(first.error, HasSubstr("will not be kept: '" + fingerprint.host + "' was measured on 2026-11-26"));
  EXPECT_EQ(kept.profile(fingerprint.host), before.profile);
}

TEST_F(Calibrating, ByOneRankLosesNoMessagesUnlessTold) {
  Store kept = store();
  const PathCell cell{Path::send, Layout::cc, 4096, {1e-6, 0, 1}};
  kept.save({MachineProfile("m", {}, {cell}, {}), {{"send/cc/4096", 0, 0, 1e-6}}});
  const Outcome refused = calibrate(1, "--budget 0");
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.error, HasSubstr("(1 samples), messages too, which would be lost"));
  EXPECT_TRUE(kept.profile("m").has_paths());
  EXPECT_EQ(calibrate(1, "--budget 0 --replace").status, 0);
  EXPECT_FALSE(kept.profile("m").has_paths());
  EXPECT_EQ(calibrate(1, "--budget 0").status, 0) << "there is nothing that one rank does not measure";
}

}  // namespace
}  // namespace tilewright::test
