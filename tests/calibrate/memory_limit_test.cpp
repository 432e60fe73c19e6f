#include "../../src/calibrate/memory_limit.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace tilewright {
namespace {

namespace fs = std::filesystem;

/// A root folder with the files that the kernel would show.
class MemoryLimit : public testing::Test {
 protected:
  MemoryLimit() : root_(fs::temp_directory_path() / ("tilewright_memory_limit_" + std::to_string(getpid()))) {}
  ~MemoryLimit() override { fs::remove_all(root_); }

  void write(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text << '\n';
  }

  fs::path root_;
};

TEST_F(MemoryLimit, IsTheMachinesWhereThereAreNoGroups) {
  EXPECT_EQ(usable_memory(1000, root_), 1000);
}

TEST_F(MemoryLimit, OfVersion2CountsAllGroupsAbove) {
  write("proc/self/cgroup", "0::/job/step");
  write("sys/fs/cgroup/job/step/memory.max", "max");
  write("sys/fs/cgroup/job/memory.max", "600");
  EXPECT_EQ(usable_memory(1000, root_), 600);
  write("sys/fs/cgroup/job/step/memory.max", "500");
  EXPECT_EQ(usable_memory(1000, root_), 500);
  EXPECT_EQ(usable_memory(400, root_), 400);
}

TEST_F(MemoryLimit, OfVersion1IsThatOfTheMemoryController) {
  write("proc/self/cgroup", "9:cpu,cpuacct:/a\n4:memory:/a/b\n0::/");
  write("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712");
  EXPECT_EQ(usable_memory(1000, root_), 1000);
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "700");
  EXPECT_EQ(usable_memory(1000, root_), 700);
}

TEST_F(MemoryLimit, PhysicalMemoryIsKnownHere) {
  EXPECT_GT(physical_memory(), 0);
}

}  // namespace
}  // namespace tilewright
