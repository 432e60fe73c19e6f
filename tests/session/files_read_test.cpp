#include "../../src/session/files_read.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"
#include "support/test_pipeline.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/core/real_path.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::ThrowsMessage;

class FilesReadTest : public testing::Test {
 protected:
  /// With a link to it.
  FilesReadTest() : file_(folder_.file("file.tif", "").string()), link_((folder_.path() / "link.tif").string()) {
    fs::create_symlink("file.tif", link_);
  }
  [[nodiscard]] FileOutput output(const std::string& name) const { return {name, image_}; }

  test::TemporaryFolder folder_;
  std::string file_, link_;
  Image image_ = test::source();
};

TEST_F(FilesReadTest, OutputsOfOneCallGoIntoDifferentFiles) {
  const std::string absent = (folder_.path() / "absent.tif").string();
  EXPECT_EQ(distinct_paths({output(link_), output(absent)}), (std::vector{real_path(file_), real_path(absent)}));
  const auto into_one = [&] { (void)distinct_paths({output(file_), output(absent), output(link_)}); };
  EXPECT_THAT(into_one, ThrowsMessage<ParameterError>(HasSubstr("two images are to be written into " + link_)));

  const std::string link_to_absent = (folder_.path() / "to-absent.tif").string();
  fs::create_symlink("absent.tif", link_to_absent);
  EXPECT_THROW((void)distinct_paths({output(absent), output(link_to_absent)}), ParameterError);
}

TEST_F(FilesReadTest, AreOtherOnesOnceWrittenOverThroughALink) {
  FilesRead files;
  const auto source = std::make_shared<test::RampSource>(test::RampSource::Options{});
  files.add(source, real_path(file_));
  const Pipeline pipeline = record({{OutputKind::keep, Image(source), nullptr, nullptr}});
  files.check(pipeline);
  files.overwrite(distinct_paths({output(link_)}));
  EXPECT_THAT([&] { files.check(pipeline); }, ThrowsMessage<ParameterError>(HasSubstr("has been written over since")));
}

TEST_F(FilesReadTest, PathsAreToldAsOneText) {
  for (const std::vector<std::string>& texts : {std::vector<std::string>{}, {""}, {"/a b\nc", "", "/d"}}) {
    EXPECT_EQ(split(joined(texts)), texts);
  }
}

}  // namespace
}  // namespace tilewright
