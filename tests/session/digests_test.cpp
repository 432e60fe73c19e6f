// What stands for an output when nothing is stored.
#include "../../src/session/digests.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "support/temporary_folder.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/core/units.hpp"
#include "tilewright/imgops/files.hpp"

namespace tilewright {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Raster ramp(const ImageShape& shape) {
  Raster image(shape);
  for (std::int64_t y = 0; y < shape.extent.height; ++y) {
    for (std::int64_t x = 0; x < shape.extent.width; ++x) *image.at<float>(x, y) = static_cast<float>(x - 3 * y);
  }
  return image;
}

const ImageShape shape{{7, 5}, {PixelType::f32, 1}};

TEST(Digest, TellsEveryPixelButNotOneNanFromAnother) {
  const auto digest = [](const Raster& image) { return digest_of(image.view(), hash_seed); };
  Raster image = ramp(shape);
  const std::uint64_t before = digest(image);
  EXPECT_EQ(digest(ramp(shape)), before);
  *image.at<float>(6, 4) = std::nextafter(*image.at<float>(6, 4), 1e9F);
  EXPECT_NE(digest(image), before);
  *image.at<float>(6, 4) = std::numeric_limits<float>::quiet_NaN();
  const std::uint64_t with_nan = digest(image);
  *image.at<float>(6, 4) = -std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(digest(image), with_nan);
}

class DigestsTest : public testing::Test {
 protected:
  [[nodiscard]] std::vector<std::string> lines() const {
    std::ifstream file(path_);
    std::vector<std::string> found;
    for (std::string line; std::getline(file, line);) found.push_back(line.substr(line.find(' ') + 1));
    return found;
  }
  test::TemporaryFolder folder_;
  std::string path_ = folder_.path() / "digests";
};

TEST_F(DigestsTest, StandInTheOrderOfTheirNamesSegmentBySegment) {
  Digests digests(path_);
  digests.add_image("b", ramp(shape).view());
  digests.add_image("a", ramp(shape).view());
  digests.end_segment();
  digests.add_values({1, 2});
  digests.end_segment();
  EXPECT_THAT(lines(), ElementsAre(HasSubstr("a 7x5"), HasSubstr("b 7x5"), "values, segment 2"));
}

TEST_F(DigestsTest, AreTheSameOfAWholeImageAndOfItsRows) {
  const auto digests = std::make_shared<Digests>(path_);
  const auto sink = Digests::sink_of(image_file_sink(folder_.path() / "no_such_folder/a.tif"), digests);
  const Raster image = ramp(shape);
  sink->check_writable();
  sink->store(image.view());
  digests->end_segment();
  const auto writer = sink->open(shape);
  for (std::int64_t y = 0; y < shape.extent.height; ++y) writer->put(image.view().restricted({0, y, 7, y + 1}));
  writer->finish();
  digests->end_segment();
  std::ifstream file(path_);
  std::string whole;
  std::string rows;
  std::getline(file, whole);
  std::getline(file, rows);
  EXPECT_FALSE(rows.empty());
  EXPECT_EQ(rows.substr(0, rows.find(',')), whole.substr(0, whole.find(',')));
  EXPECT_THROW(sink->check({{7, 5}, {PixelType::f32, 9}}), ParameterError) << "what the file would refuse";
}

TEST_F(DigestsTest, NeedAFileThatCanBeWritten) {
  EXPECT_THROW(Digests("/no/such/folder/digests"), RuntimeError);
}

}  // namespace
}  // namespace tilewright
