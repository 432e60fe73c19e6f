// Files written come back as they were.
#include <sys/stat.h>

#include <cmath>
#include <filesystem>
#include <opencv2/imgcodecs.hpp>

#include "file_fixture.hpp"
#include "tilewright/opencv.hpp"

namespace tilewright {
namespace {

using test::content_of;
using RoundTrip = test::FileTest;

struct Stored {
  const char* name;
  std::vector<PixelType> types;
  std::vector<int> channels;
};

std::vector<Stored> lossless() {
  using enum PixelType;
  return {{"a.tif", {u8, u16, f32, f64}, {1, 2, 3, 4}},
          {"a.TIFF", {u8, u16, f32, f64}, {1, 2, 3, 4}},
          {"a.png", {u8, u16}, {1, 3, 4}},
          {"a.bmp", {u8}, {1, 3}},
          {"a.pgm", {u8, u16}, {1}},
          {"a.ppm", {u8, u16}, {3}},
          {"a.pnm", {u8, u16}, {1, 3}}};
}

TEST_F(RoundTrip, OfEveryLosslessFormat) {
  for (const Stored& stored : lossless()) {
    for (const PixelType type : stored.types) {
      for (const int channels : stored.channels) {
        for (const Extent& extent : {Extent{1, 1}, {13, 7}, {301, 450}}) {
          const Raster pixels = test::random_raster(extent, {type, channels}, 5);
          const std::string file = path(stored.name);
          const auto sink = image_file_sink(file);
          sink->check(pixels.shape());
          sink->store(pixels.view());
          const auto source = image_file(file);
          EXPECT_EQ(source->shape(), pixels.shape()) << stored.name;
          const Raster read = source->load({3, 2});
          EXPECT_EQ(read.halo(), (Halo{3, 2}));
          EXPECT_TRUE(same_pixels(read.view(), pixels.view())) << stored.name << " " << to_string(pixels.shape());
        }
      }
    }
  }
  EXPECT_EQ(names().size(), lossless().size()) << "a temporary file was left";
}

TEST_F(RoundTrip, OfJpegIsClose) {
  Raster pixels(ImageShape{{40, 30}, {PixelType::u8, 3}});
  for (std::int64_t i = 0; i < 40 * 30; ++i) {
    pixels.at<std::uint8_t>(0, 0)[3 * i] = 200;  // red
    pixels.at<std::uint8_t>(0, 0)[3 * i + 1] = 40;
    pixels.at<std::uint8_t>(0, 0)[3 * i + 2] = 90;
  }
  image_file_sink(path("a.jpg"))->store(pixels.view());
  const Raster read = image_file(path("a.jpg"))->load({});
  EXPECT_EQ(read.shape(), pixels.shape());
  for (int channel = 0; channel < 3; ++channel) {
    EXPECT_NEAR(read.at<std::uint8_t>(7, 9)[channel], pixels.at<std::uint8_t>(7, 9)[channel], 4);
  }
}

/// The area of a view, be it part of a larger raster.
TEST_F(RoundTrip, OfATileWithinARaster) {
  Raster whole = test::random_raster({50, 40}, {PixelType::u16, 3}, 1);
  const Rect area{7, 5, 40, 33};
  for (const char* name : {"part.tif", "part.png"}) {
    image_file_sink(path(name))->store(whole.view().restricted(area));
    const Raster read = image_file(path(name))->load({});
    ASSERT_EQ(read.shape().extent, (Extent{33, 28}));
    for (std::int64_t y = 0; y < 28; ++y) {
      EXPECT_EQ(0, std::memcmp(read.at<std::uint16_t>(0, y), whole.at<std::uint16_t>(7, 5 + y), 33 * 6)) << name;
    }
  }
}

/// Strips are written from where they lie if rows have no gaps, and copied together if they have.
TEST_F(RoundTrip, OfTiffOfSeveralStripsWithAndWithoutAHalo) {
  const Raster pixels = test::random_raster({700, 900}, {PixelType::f32, 1}, 8);
  for (const Halo& halo : {Halo{0, 0}, {0, 5}, {3, 2}}) {
    image_file_sink(path("a.tif"))->store(std::as_const(pixels).copy(halo).view());
    EXPECT_TRUE(same_pixels(image_file(path("a.tif"))->load({}).view(), pixels.view())) << halo.x;
  }
}

/// A writer makes the same file of bands of any height.
TEST_F(RoundTrip, OfRowsThatComeInBands) {
  for (const char* name : {"a.tif", "a.png", "a.ppm"}) {
    const Raster pixels = test::random_raster({300, 800}, {PixelType::u16, 3}, 4);
    const auto sink = image_file_sink(path(name));
    sink->store(pixels.view());
    const std::string whole = content_of(path(name));
    for (const std::int64_t rows : {1, 7, 145, 146, 500}) {
      std::filesystem::remove(path(name));
      {
        const auto writer = sink->open(pixels.shape());
        for (std::int64_t y = 0; y < 800; y += rows) {
          writer->put(pixels.view().restricted({0, y, 300, std::min<std::int64_t>(y + rows, 800)}));
        }
        EXPECT_FALSE(std::filesystem::exists(path(name))) << "not yet finished";
        writer->finish();
        writer->commit();
      }
      EXPECT_EQ(content_of(path(name)), whole) << name << " in bands of " << rows;
    }
  }
  const auto unfinished = image_file_sink(path("b.png"))->open({{4, 4}, {PixelType::u8, 1}});
  EXPECT_EQ(names().size(), 3U);
}

TEST_F(RoundTrip, IsNotFinishedBeforeAllRowsHaveCome) {
  const Raster pixels = test::random_raster({300, 800}, {PixelType::u8, 1}, 4);
  for (const char* name : {"a.tif", "a.png"}) {
    for (const std::int64_t rows : {0, 1, 799}) {
      const auto writer = image_file_sink(path(name))->open(pixels.shape());
      if (rows > 0) writer->put(pixels.view().restricted({0, 0, 300, rows}));
      EXPECT_THROW(writer->finish(), InternalError) << name << " with " << rows << " rows";
    }
  }
  EXPECT_TRUE(names().empty());
}

TEST_F(RoundTrip, IsReadTheSameByOpenCv) {
  for (const char* name : {"a.tif", "a.png", "a.ppm"}) {
    const Raster pixels = test::random_raster({9, 8}, {PixelType::u16, 3}, 2);
    image_file_sink(path(name))->store(pixels.view());
    EXPECT_TRUE(same_pixels(from_mat(cv::imread(path(name), cv::IMREAD_UNCHANGED)).view(), pixels.view())) << name;
  }
}

TEST_F(RoundTrip, KeepsNanAndInfinityInTiff) {
  Raster pixels(ImageShape{{3, 1}, {PixelType::f32, 1}});
  pixels.at<float>(0, 0)[0] = std::nanf("");
  pixels.at<float>(0, 0)[1] = -INFINITY;
  pixels.at<float>(0, 0)[2] = -0.0F;
  image_file_sink(path("a.tif"))->store(pixels.view());
  EXPECT_TRUE(same_pixels(image_file(path("a.tif"))->load({}).view(), pixels.view()));
}

TEST_F(RoundTrip, ReplacesAnExistingFileAndFollowsLinks) {
  const Raster first = test::random_raster({9, 8}, {PixelType::u8, 1}, 1);
  const Raster second = test::random_raster({5, 4}, {PixelType::u8, 1}, 2);
  image_file_sink(path("a.png"))->store(first.view());
  std::filesystem::create_symlink(path("a.png"), path("link.png"));
  image_file_sink(path("link.png"))->store(second.view());
  EXPECT_TRUE(std::filesystem::is_symlink(path("link.png")));
  EXPECT_TRUE(same_pixels(image_file(path("a.png"))->load({}).view(), second.view()));
}

TEST_F(RoundTrip, GivesFilesThePermissionsOfTheUmask) {
  const Raster pixels = test::random_raster({5, 4}, {PixelType::u8, 1}, 2);
  const mode_t before = ::umask(027);
  for (const char* name : {"a.tif", "a.png"}) image_file_sink(path(name))->store(pixels.view());
  ::umask(before);
  for (const char* name : {"a.tif", "a.png"}) {
    struct stat status {};
    ASSERT_EQ(::stat(path(name).c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0640U) << name;
  }
}

}  // namespace
}  // namespace tilewright
