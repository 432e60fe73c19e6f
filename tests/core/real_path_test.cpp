#include "tilewright/core/real_path.hpp"

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

class RealPath : public testing::Test {
 protected:
  RealPath() : file_(fs::canonical(folder_.file("f", "content")).string()) {
    fs::create_directory(folder_.path() / "sub");
  }
  [[nodiscard]] std::string in_folder(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string link(const std::string& name, const std::string& to) const {
    fs::create_symlink(to, folder_.path() / name);
    return in_folder(name);
  }

  test::TemporaryFolder folder_;
  std::string file_;
};

TEST_F(RealPath, IsTheSameForAllNamesOfAFile) {
  EXPECT_EQ(real_path(in_folder("f")), file_);
  EXPECT_EQ(real_path(in_folder("./sub/../f")), file_);
  EXPECT_EQ(real_path(link("to-f", "f")), file_);
  EXPECT_EQ(real_path(link("to-link", "to-f")), file_);
  link("sub/back", "..");
  EXPECT_EQ(real_path(in_folder("sub/back/f")), file_);
}

TEST_F(RealPath, FollowsLinksToFilesThatAreNotThereYet) {
  const std::string absent = real_path(in_folder("absent"));
  EXPECT_EQ(fs::path(absent).parent_path(), fs::path(file_).parent_path());
  EXPECT_EQ(real_path(link("to-absent", "absent")), absent);
  EXPECT_EQ(real_path(link("sub/to-link", "../to-absent")), absent);
  link("to-sub", "sub");
  EXPECT_EQ(real_path(in_folder("to-sub/../absent")), absent);
}

TEST_F(RealPath, IsThePathWhereLinksDoNotEnd) {
  EXPECT_EQ(real_path(link("circle", "circle")), in_folder("circle"));
}

}  // namespace
}  // namespace tilewright
