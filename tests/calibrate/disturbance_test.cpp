#include "../../src/calibrate/disturbance.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include "switching_threads.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

TEST(Disturbance, IsMoreThanATwentiethStolenWhateverSwitchesTell) {
  for (const Switches switches : {Switches::foreign, Switches::beyond_ration, Switches::own}) {
    EXPECT_TRUE(is_disturbed({.stolen_s = 0.06}, 1, switches));
    EXPECT_FALSE(is_disturbed({.stolen_s = 0.04}, 1, switches));
  }
}

TEST(Disturbance, IsMoreThanASwitchIn10MsOfACoreOfOnesOwn) {
  EXPECT_TRUE(is_disturbed({.involuntary_switches = 102}, 1, Switches::foreign));
  EXPECT_FALSE(is_disturbed({.involuntary_switches = 100}, 1, Switches::foreign));
  EXPECT_FALSE(is_disturbed({.involuntary_switches = 1}, 1e-6, Switches::foreign)) << "one tells nothing";
  EXPECT_TRUE(is_disturbed({.involuntary_switches = 2}, 1e-6, Switches::foreign));
}

TEST(Disturbance, TheProcesssOwnRationIsNone) {
  // 20 % of a core in periods of 5 ms.
  EXPECT_FALSE(is_disturbed({.involuntary_switches = 200, .throttled = 200}, 1, Switches::beyond_ration));
  EXPECT_TRUE(is_disturbed({.involuntary_switches = 302, .throttled = 200}, 1, Switches::beyond_ration));
  EXPECT_FALSE(is_disturbed({.involuntary_switches = 50, .throttled = 200}, 1, Switches::beyond_ration));
  EXPECT_TRUE(is_disturbed({.involuntary_switches = 200, .throttled = 200}, 1, Switches::foreign));
}

TEST(Disturbance, WhereRanksShareCoresTheirSwitchesTellNothing) {
  EXPECT_FALSE(is_disturbed({.involuntary_switches = 100000}, 1, Switches::own));
}

/// With the files that the kernel would show.
class DisturbanceWatchOf : public testing::Test {
 protected:
  DisturbanceWatchOf() : root_(fs::temp_directory_path() / ("tilewright_disturbance_" + std::to_string(getpid()))) {
    stolen(100);
  }
  ~DisturbanceWatchOf() override { fs::remove_all(root_); }

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text << '\n';
  }
  void stolen(int ticks) const {
    write("proc/stat", "cpu  4719647 407733 915109 8357432 39043 0 287352 " + std::to_string(ticks) + " 0 0");
  }

  fs::path root_;
};

TEST_F(DisturbanceWatchOf, StolenTimeCountsFromTheBeginning) {
  DisturbanceWatch watch(Switches::own, root_);
  EXPECT_FALSE(watch.was_disturbed());
  stolen(1000);
  EXPECT_TRUE(watch.was_disturbed());
  watch.begin();
  EXPECT_FALSE(watch.was_disturbed());
}

TEST_F(DisturbanceWatchOf, StrangersOnTheCoreCountWhereTheyAreSome) {
  DisturbanceWatch foreign(Switches::foreign, root_), own(Switches::own, root_);
  foreign.begin();
  own.begin();
  {
    const test::SwitchingThreads strangers;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_TRUE(foreign.was_disturbed());
  EXPECT_FALSE(own.was_disturbed());
}

TEST_F(DisturbanceWatchOf, ThrottlingIsToldByTheControlGroup) {
  const std::string stat = "nr_periods 300\nnr_throttled 200\nthrottled_time 3226279174";
  EXPECT_EQ(DisturbanceWatch(Switches::beyond_ration, root_).switches(), Switches::own) << "nobody tells";
  write("proc/self/cgroup", "9:name=systemd:/\n2:cpu,cpuacct:/jobs/7\n0::/");
  write("sys/fs/cgroup/cpu,cpuacct/jobs/7/cpu.stat", stat);
  const DisturbanceWatch version_1(Switches::beyond_ration, root_);
  EXPECT_EQ(version_1.switches(), Switches::beyond_ration);
  EXPECT_EQ(version_1.so_far().throttled, 200);
  write("proc/self/cgroup", "0::/jobs/8");
  EXPECT_EQ(DisturbanceWatch(Switches::beyond_ration, root_).switches(), Switches::own) << "of another group";
  write("sys/fs/cgroup/jobs/8/cpu.stat", "usage_usec 7\nuser_usec 5\n" + stat);
  EXPECT_EQ(DisturbanceWatch(Switches::beyond_ration, root_).so_far().throttled, 200);
  EXPECT_EQ(DisturbanceWatch(Switches::foreign, root_).so_far().throttled, 0) << "nobody asks";
}

}  // namespace
}  // namespace tilewright
