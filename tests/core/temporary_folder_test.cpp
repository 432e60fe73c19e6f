#include "tilewright/core/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

TEST(TemporaryFolder, IsAnotherOneEachTimeAndGoesWithWhatIsInIt) {
  fs::path path;
  {
    const TemporaryFolder folder, other;
    path = folder.path();
    EXPECT_NE(path, other.path());
    EXPECT_TRUE(fs::is_empty(path));
    std::ofstream(path / "f") << "content";
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(TemporaryFolder, IsRefusedWhereNoneCanBe) {
  setenv("TMPDIR", "/proc", 1);
  EXPECT_THROW(TemporaryFolder(), RuntimeError);
  unsetenv("TMPDIR");
}

}  // namespace
}  // namespace tilewright
