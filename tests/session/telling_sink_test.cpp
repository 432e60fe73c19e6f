#include "../../src/session/telling_sink.hpp"

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"
#include "support/test_pipeline.hpp"
#include "tilewright/imgops/files.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

class TellingSinkTest : public testing::Test {
 protected:
  /// Tells whether the output was there when it was told of.
  [[nodiscard]] std::shared_ptr<const Sink> sink_of(const std::string& name) {
    const fs::path path = folder_.path() / name;
    return telling_sink(image_file_sink(path.string()), [this, path] { told_.push_back(fs::exists(path)); });
  }

  test::TemporaryFolder folder_;
  Raster image_ = test::RampSource({.extent = {40, 30}}).load({});
  ImageShape shape_{{40, 30}, image_.format()};
  std::vector<bool> told_;
};

TEST_F(TellingSinkTest, TellsOfAWholeImageThatIsStored) {
  sink_of("a.tif")->store(image_.view());
  EXPECT_EQ(told_, std::vector{true});
}

TEST_F(TellingSinkTest, TellsOfRowsOnceTheyTakeTheirPlace) {
  const auto sink = sink_of("a.tif");
  const auto writer = sink->open(shape_);
  writer->put(image_.view());
  writer->finish();
  EXPECT_TRUE(told_.empty());
  writer->commit();
  EXPECT_EQ(told_, std::vector{true});
}

TEST_F(TellingSinkTest, TellsOfPartsOnceTheyAreAllThere) {
  const auto sink = sink_of("a.tif");
  ASSERT_EQ(sink->why_no_parts(shape_), "");
  const auto parts = sink->open_parts(shape_);
  sink->write_part(parts->place(), shape_, image_.view());
  EXPECT_TRUE(told_.empty());
  parts->finish();
  EXPECT_EQ(told_, std::vector{true});
}

TEST_F(TellingSinkTest, TellsOfNothingThatFails) {
  fs::create_directories(folder_.path() / "a.tif" / "in the way");
  EXPECT_THROW(sink_of("a.tif")->store(image_.view()), std::exception);
  EXPECT_TRUE(told_.empty());
}

TEST_F(TellingSinkTest, IsTheSameForThePlan) {
  const auto file = image_file_sink((folder_.path() / "a.tif").string());
  const auto sink = telling_sink(file, [] {});
  EXPECT_EQ(sink->describe(), file->describe());
  EXPECT_EQ(sink->scratch_bytes(shape_), file->scratch_bytes(shape_));
  EXPECT_EQ(sink->writer_bytes(shape_), file->writer_bytes(shape_));
  EXPECT_EQ(sink->parts_mark(), file->parts_mark());
  EXPECT_EQ(sink->work(shape_).size(), file->work(shape_).size());
  EXPECT_EQ(sink->frame_work(shape_).size(), file->frame_work(shape_).size());
  EXPECT_EQ(sink->part_work(shape_, {8, 8}).size(), file->part_work(shape_, {8, 8}).size());
}

}  // namespace
}  // namespace tilewright
