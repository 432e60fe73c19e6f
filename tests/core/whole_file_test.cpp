#include "tilewright/core/whole_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <thread>

#include "support/temporary_folder.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;
using test::content_of;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::ptrdiff_t entries_of(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

TEST(WholeFile, TakesThePlaceOfTheOneBefore) {
  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "new.json").string();
  for (const std::string text : {"a longer text", "short", ""}) {
    write_whole(path, text);
    EXPECT_EQ(content_of(path), text);
  }
  EXPECT_EQ(entries_of(folder.path()), 1);
}

TEST(WholeFile, IsOpenedByReadersAsItWas) {
  const test::TemporaryFolder folder;
  const fs::path path = folder.file("f", "before");
  std::ifstream reader(path);
  write_whole(path.string(), "after");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(reader), {}), "before");
}

TEST(WholeFile, LinksAndPipesStayWhatTheyAre) {
  const test::TemporaryFolder folder;
  const fs::path path = folder.file("f", "before");
  const fs::path link = folder.path() / "link";
  fs::create_symlink("f", link);
  write_whole(link.string(), "after");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(content_of(path), "after");

  const fs::path pipe = folder.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  check_writes_whole(pipe.string());
  std::string read;
  std::thread reader([&] { read = content_of(pipe); });
  write_whole(pipe.string(), "through");
  reader.join();
  EXPECT_EQ(read, "through");
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST(WholeFile, IsRefusedWhereNoneCanBe) {
  const test::TemporaryFolder folder;
  const std::string in_no_folder = (folder.path() / "absent" / "f").string();
  for (const std::string& path : {in_no_folder, folder.path().string()}) {
    EXPECT_THAT([&] { check_writes_whole(path); }, ThrowsMessage<RuntimeError>(HasSubstr("cannot write " + path)));
    EXPECT_THROW(write_whole(path, "text"), RuntimeError);
  }
}

TEST(WholeFile, AskingLeavesWhatIsThere) {
  const test::TemporaryFolder folder;
  const fs::path path = folder.file("f", "before");
  check_writes_whole(path.string());
  EXPECT_EQ(content_of(path), "before");
  check_writes_whole((folder.path() / "new").string());
  EXPECT_EQ(entries_of(folder.path()), 1);
}

}  // namespace
}  // namespace tilewright
