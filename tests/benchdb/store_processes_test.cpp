// Several processes with one database.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "sample_calibration.hpp"
#include "support/temporary_folder.hpp"
#include "tilewright/benchdb/store.hpp"

namespace tilewright {
namespace {

using test::awkward_calibration;

/// Starts `function` in a process of its own; its exit status is 0 if nothing was thrown.
template <class Function>
pid_t start(Function&& function) {
  const pid_t child = fork();
  if (child != 0) return child;
  try {
    function();
  } catch (const std::exception& error) {
    fprintf(stderr, "%s\n", error.what());
    _exit(1);
  }
  _exit(0);
}

int exit_status_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(StoreProcesses, WritersThatMakeTheDatabaseTogetherLoseNothing) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "bench.sqlite";
  constexpr int processes = 4;
  constexpr int rounds = 5;
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p) {
    children.push_back(start([&path, p] {
      for (int round = 0; round < rounds; ++round) {
        Store(path, OpenMode::create).save(awkward_calibration("own" + std::to_string(p), round));
        Store(path, OpenMode::create).save(awkward_calibration("shared", p));
      }
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(exit_status_of(child), 0);

  const Store store(path, OpenMode::existing);
  EXPECT_TRUE(store.check().empty());
  EXPECT_EQ(store.machines().size(), processes + 1U);
  for (int p = 0; p < processes; ++p) {
    const std::string name = "own" + std::to_string(p);
    EXPECT_EQ(store.profile(name), awkward_calibration(name, rounds - 1).profile);
    EXPECT_EQ(store.samples(name), awkward_calibration(name, rounds - 1).samples);
  }
}

TEST(StoreProcesses, WhoRecordRunsTogetherLoseNone) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "bench.sqlite";
  Store(path, OpenMode::create).save(awkward_calibration("m"));
  constexpr int processes = 4;
  constexpr int rounds = 10;
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p) {
    children.push_back(start([&path, p] {
      const StoredRun run{0, std::to_string(p), "app", "2026-01-02", 4, "2x2", 0.1, 0.2, "{}"};
      for (int round = 0; round < rounds; ++round) Store(path, OpenMode::existing).record_runs("m", {run});
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(exit_status_of(child), 0);
  const Store store(path, OpenMode::existing);
  EXPECT_EQ(store.runs("m").size(), static_cast<std::size_t>(processes * rounds));
  EXPECT_TRUE(store.check().empty());
}

TEST(StoreProcesses, OfManyThatClaimAMachineAtOnceOneGetsIt) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "bench.sqlite";
  constexpr int processes = 6;
  constexpr int rounds = 20;
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p) {
    children.push_back(start([&path] {
      Store store(path, OpenMode::create);
      const Calibrator who{"here", ::getpid(), 0};
      for (int round = 0; round < rounds; ++round) {
        const std::string machine = "m" + std::to_string(round);
        if (store.claim(machine, who, [](const Calibrator&) { return true; })) continue;
        store.save(awkward_calibration(machine + " by " + std::to_string(who.process)));
      }
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(exit_status_of(child), 0);
  EXPECT_EQ(Store(path, OpenMode::existing).machines().size(), static_cast<std::size_t>(rounds)) << "one of each";
}

TEST(StoreProcesses, AReaderSeesOneCalibrationAndNeverAMixture) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "bench.sqlite";
  Store(path, OpenMode::create).save(awkward_calibration("m", 0));
  const pid_t writer = start([&path] {
    Store store(path, OpenMode::create);
    for (int round = 1; round <= 40; ++round) store.save(awkward_calibration("m", round));
  });
  const Store store(path, OpenMode::existing);
  double last = 0;
  while (last < 40) {
    const MachineProfile profile = store.profile("m");
    const double offset = std::round(profile.paths().front().time.seconds);
    EXPECT_EQ(profile, awkward_calibration("m", offset).profile);
    EXPECT_GE(offset, last);
    last = offset;
    if (waitpid(writer, nullptr, WNOHANG) == writer) break;
  }
  EXPECT_EQ(store.profile("m"), awkward_calibration("m", 40).profile);
}

TEST(StoreProcesses, AWriterThatIsKilledLeavesTheFormerState) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "bench.sqlite";
  Store(path, OpenMode::create).save(awkward_calibration("m", 0));
  for (int attempt = 0; attempt < 10; ++attempt) {
    const pid_t writer = start([&path] {
      Store store(path, OpenMode::create);
      for (int round = 1;; ++round) store.save(awkward_calibration("m", round));
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(5 + 3 * attempt));
    ASSERT_EQ(kill(writer, SIGKILL), 0);
    EXPECT_EQ(exit_status_of(writer), 128 + SIGKILL);

    const Store store(path, OpenMode::existing);
    EXPECT_TRUE(store.check().empty());
    const MachineProfile profile = store.profile("m");
    const double offset = std::round(profile.paths().front().time.seconds);
    EXPECT_EQ(profile, awkward_calibration("m", offset).profile);
    EXPECT_EQ(store.samples("m"), awkward_calibration("m", offset).samples);
  }
}

}  // namespace
}  // namespace tilewright
