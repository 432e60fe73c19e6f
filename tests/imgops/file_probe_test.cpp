// What is told from a header is what decoding yields.
#include <opencv2/imgcodecs.hpp>

#include "file_fixture.hpp"
#include "tilewright/opencv.hpp"

namespace tilewright {
namespace {

using test::content_of;
using Probe = test::FileTest;

void expect_header_equals_decoded(const std::string& path) {
  testing::internal::CaptureStderr();
  const auto source = image_file(path);
  const Raster pixels = source->load({});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << path;
  const cv::Mat decoded = cv::imread(path, cv::IMREAD_UNCHANGED);
  ASSERT_FALSE(decoded.empty()) << path;
  EXPECT_EQ(source->shape(), from_mat(decoded).shape()) << path;
  EXPECT_TRUE(same_pixels(pixels.view(), from_mat(decoded).view())) << path;
}

TEST_F(Probe, OfEveryKindOfPng) {
  const std::string palette = test::png_chunk("PLTE", std::string(256 * 3, '\x40'));
  const std::string two_bytes(2, '\0');
  const std::vector<std::pair<std::string, test::PngOptions>> kinds{
      {"gray 1", {.bits = 1}},
      {"gray 2", {.bits = 2}},
      {"gray 4", {.bits = 4}},
      {"gray 8", {}},
      {"gray 16", {.bits = 16}},
      {"gray and transparent value", {.before_pixels = test::png_chunk("tRNS", two_bytes)}},
      {"colour 8", {.colour_type = 2}},
      {"colour 16", {.bits = 16, .colour_type = 2}},
      {"colour and transparent value",
       {.colour_type = 2, .before_pixels = test::png_chunk("tRNS", std::string(6, '\0'))}},
      {"palette 4", {.bits = 4, .colour_type = 3, .before_pixels = test::png_chunk("PLTE", std::string(48, '\x40'))}},
      {"palette 8", {.colour_type = 3, .before_pixels = palette}},
      {"palette and transparency",
       {.colour_type = 3, .before_pixels = palette + test::png_chunk("tRNS", std::string(16, '\x33'))}},
      {"gray and alpha 8", {.colour_type = 4}},
      {"gray and alpha 16", {.bits = 16, .colour_type = 4}},
      {"colour and alpha 8", {.colour_type = 6}},
      {"colour and alpha 16", {.bits = 16, .colour_type = 6}}};
  for (const auto& [name, options] : kinds) {
    SCOPED_TRACE(name);
    expect_header_equals_decoded(write("a.png", test::png(options)));
  }
}

/// libpng complains of it; we do not.
TEST_F(Probe, OfAPngWithABadColourProfile) {
  const std::string profile = test::png_chunk("iCCP", std::string("sRGB\0\0", 6) + test::stored("no profile"));
  const std::string file = write("a.png", test::png({.colour_type = 2, .before_pixels = profile}));
  testing::internal::CaptureStderr();
  EXPECT_EQ(test::try_to_read(file).reached, test::ReadResult::Stage::read);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

/// A chunk larger than what is read of a file at first.
TEST_F(Probe, OfAPngWithALongHeader) {
  const std::string text = test::png_chunk("tEXt", std::string("Comment\0", 8) + std::string(200000, 'x'));
  const std::string transparency = test::png_chunk("tRNS", std::string(6, '\0'));
  expect_header_equals_decoded(write("a.png", test::png({.colour_type = 2, .before_pixels = text + transparency})));
}

TEST_F(Probe, OfJpeg) {
  for (const int channels : {1, 3}) {
    for (const int progressive : {0, 1}) {
      const cv::Mat mat = to_mat(test::random_raster({37, 21}, {PixelType::u8, channels}, 1));
      cv::imwrite(path("a.jpg"), mat, {cv::IMWRITE_JPEG_PROGRESSIVE, progressive, cv::IMWRITE_JPEG_RST_INTERVAL, 2});
      expect_header_equals_decoded(path("a.jpg"));
    }
  }
}

/// A turn that the camera noted is ignored, and a thumbnail's own end is not the picture's.
TEST_F(Probe, OfJpegWithExif) {
  const cv::Mat mat = to_mat(test::random_raster({37, 21}, {PixelType::u8, 3}, 1));
  cv::imwrite(path("a.jpg"), mat);
  const std::string plain = content_of(path("a.jpg"));
  const std::string tiff("MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0", 26);  // orientation 6
  const std::string exif = std::string("Exif\0\0", 6) + tiff + "\xFF\xD8\xFF\xD9" + std::string(60000, '\xFF');
  const auto length = static_cast<std::uint32_t>(exif.size() + 2);
  const std::string segment = "\xFF\xE1" + test::big_endian(length).substr(2) + exif;
  const std::string filler = "\xFF\xE2" + test::big_endian(60002).substr(2) + std::string(60000, 'x');
  const std::string whole = plain.substr(0, 2) + segment + filler + plain.substr(2);
  expect_header_equals_decoded(write("b.jpg", whole));
  EXPECT_EQ(image_file(path("b.jpg"))->shape().extent, (Extent{37, 21}));
  EXPECT_EQ(test::try_to_read(write("c.jpg", whole.substr(0, whole.size() - 2))).exit_status, 1);
}

TEST_F(Probe, OfPnm) {
  expect_header_equals_decoded(write("a.pgm", "P5\n# a comment\n 3 2 # another\n255\nabcdef"));
  expect_header_equals_decoded(write("b.ppm", "P6 1 2 255\nabcdef"));
  expect_header_equals_decoded(write("c.pgm", "P5 3 1 1023\n" + std::string("\x01\x02\x03\x04\x02\x01", 6)));
  expect_header_equals_decoded(write("d.pbm", "P4 9 2\n" + std::string("\xAA\x80\x55\0", 4)));
  expect_header_equals_decoded(write("e.pgm", "P2 3 2 255\n1 2 3\n4 5 6\n"));
  expect_header_equals_decoded(write("f.ppm", "P3 1 1 255\n1 2 3\n"));
}

TEST_F(Probe, OfRarerFormats) {
  const cv::Mat bytes = to_mat(test::random_raster({37, 21}, {PixelType::u8, 3}, 1));
  for (const char* name : {"a.bmp", "a.webp"}) {
    ASSERT_TRUE(cv::imwrite(path(name), bytes)) << name;
    expect_header_equals_decoded(path(name));
  }
}

TEST_F(Probe, TellsTheCost) {
  image_file_sink(path("a.png"))->store(test::random_raster({10, 5}, {PixelType::u16, 3}, 1).view());
  std::filesystem::rename(path("a.png"), path("a.tif"));  // the content counts, not the name
  const std::vector<Work> wanted{{"read_png", PixelType::u16, 0, 150}};
  EXPECT_EQ(image_file(path("a.tif"))->work(), wanted);
  EXPECT_GE(image_file(path("a.tif"))->scratch_bytes(), 300);
}

}  // namespace
}  // namespace tilewright
