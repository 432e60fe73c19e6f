#include "tilewright/opencv.hpp"

#include <gtest/gtest.h>

#include "test_images.hpp"

namespace tilewright {
namespace {

TEST(OpenCv, MatricesComeBackAsTheyWent) {
  for (const PixelType type : all_pixel_types) {
    for (int channels = 1; channels <= max_channels; ++channels) {
      const Raster pixels = test::random_raster({7, 5}, {type, channels}, 1);
      const cv::Mat mat = to_mat(pixels);
      EXPECT_EQ(mat.channels(), channels);
      EXPECT_EQ(mat.size(), cv::Size(7, 5));
      EXPECT_TRUE(same_pixels(from_mat(mat).view(), pixels.view())) << to_string(pixels.shape());
    }
  }
}

TEST(OpenCv, ChannelsChangeTheirOrder) {
  const cv::Mat mat(1, 1, CV_8UC4, cv::Scalar(1, 2, 3, 4));  // B G R A
  const Raster pixels = from_mat(mat);
  const auto* rgba = pixels.at<std::uint8_t>(0, 0);
  EXPECT_EQ(std::vector<int>(rgba, rgba + 4), (std::vector<int>{3, 2, 1, 4}));
  EXPECT_EQ(to_mat(pixels).at<cv::Vec4b>(0, 0), cv::Vec4b(1, 2, 3, 4));
  const Raster two = from_mat(cv::Mat(1, 1, CV_32FC2, cv::Scalar(5, 6)));
  EXPECT_EQ(two.at<float>(0, 0)[0], 5);
}

/// The area alone, whatever surrounds it; and a part of a matrix, whose rows are apart.
TEST(OpenCv, TakesPartsOfLargerMemory) {
  Raster tile({10, 20, 13, 22}, {2, 1}, {PixelType::u16, 1});
  test::poison(tile);
  for (std::int64_t y = 20; y < 22; ++y) {
    for (std::int64_t x = 10; x < 13; ++x) *tile.at<std::uint16_t>(x, y) = static_cast<std::uint16_t>(100 * y + x);
  }
  const cv::Mat mat = to_mat(tile);
  EXPECT_EQ(mat.at<std::uint16_t>(1, 2), 2112);
  const Raster part = from_mat(mat(cv::Rect(1, 0, 2, 2)));
  EXPECT_EQ(part.area(), (Rect{0, 0, 2, 2}));
  EXPECT_EQ(*part.at<std::uint16_t>(0, 1), 2111);
}

TEST(OpenCv, RefusesOtherTypes) {
  EXPECT_THROW((void)from_mat(cv::Mat(2, 2, CV_32S)), ParameterError);
  EXPECT_THROW((void)from_mat(cv::Mat(2, 2, CV_8UC(5))), ParameterError);
  EXPECT_THROW((void)from_mat(cv::Mat()), ParameterError);
}

TEST(SharedFromMat, HasThePixelsOfTheMatrix) {
  cv::Mat mat(5, 4, CV_16UC2);
  cv::randu(mat, 0, 65535);
  const Raster shared = shared_from_mat(mat);
  EXPECT_TRUE(same_pixels(shared.view(), from_mat(mat).view()));
  EXPECT_EQ(static_cast<const void*>(shared.view().bytes_at(0, 0)), static_cast<const void*>(mat.data));
  EXPECT_EQ(shared.owned_bytes(), 0);
  const uchar* const data = mat.data;
  mat.release();
  EXPECT_EQ(static_cast<const void*>(shared.view().bytes_at(0, 0)), static_cast<const void*>(data));
  EXPECT_EQ(shared.at<std::uint16_t>(3, 4)[1], from_mat(to_mat(shared)).at<std::uint16_t>(3, 4)[1]);
}

TEST(SharedFromMat, CopiesWhatHasAnotherOrderOrGaps) {
  cv::Mat colours(5, 4, CV_8UC3);
  cv::randu(colours, 0, 255);
  EXPECT_FALSE(shared_from_mat(colours).is_lent());
  const cv::Mat gray(6, 8, CV_32F, cv::Scalar(3));
  EXPECT_FALSE(shared_from_mat(gray(cv::Rect(1, 0, 2, 2))).is_lent());
  EXPECT_THROW((void)shared_from_mat(cv::Mat(2, 2, CV_32S)), ParameterError);
}

}  // namespace
}  // namespace tilewright
