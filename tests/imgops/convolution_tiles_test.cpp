// Every convolution, bit for bit as its reference, however cut.
#include <limits>

#include "tile_harness.hpp"
#include "tilewright/imgops/convolution.hpp"
#include "tilewright/imgops/gaussian.hpp"

namespace tilewright {
namespace {

class ConvolutionTiles : public testing::TestWithParam<PixelType> {};

/// Small, odd, thin, and wide enough for the widest vectors and their remainders.
const std::vector<Extent> extents{{1, 1}, {1, 13}, {17, 1}, {7, 5}, {31, 23}, {149, 4}};

/// So many rows that those of several results are computed together; each value differs from its neighbours.
Kernel tall_kernel() {
  Kernel kernel{4, 7, {}, 3, 1};
  for (int i = 0; i < kernel.width * kernel.height; ++i) kernel.values.push_back(0.25 * (7 * i % 11) - 1.1);
  return kernel;
}

std::vector<Image> filters_of(const Image& image, Border border) {
  const double value = -2.6;  // not representable in integer types
  const Kernel skewed{3, 2, {1, -2, 0.5, 4, 0.25, -1}, 0, 1};
  const Kernel square{5, 5, std::vector<double>(25, 0.1)};
  return {gaussian_derivative(image, {.sigma = 1, .order_x = 1, .border = border, .border_value = value}),
          gaussian_derivative(image, {.sigma = 3, .order_x = 1, .order_y = 2, .border = border, .border_value = value}),
          convolve_separable(image, {1, 2}, {0.5, -1, 3, 7}, {border, value}),
          convolve_separable(image, {2}, {1, 1, 1}, {border, value}),
          convolve(image, skewed, {border, value}),
          convolve(image, square, {border, value}),
          convolve(image, tall_kernel(), {border, value})};
}

TEST_P(ConvolutionTiles, EqualTheReference) {
  unsigned seed = 1;
  for (const Extent& extent : extents) {
    for (const Border border : all_borders) {
      const int channels = 1 + static_cast<int>(seed % 4);
      const Raster pixels = test::random_raster(extent, {GetParam(), channels}, seed++);
      for (const Image& filtered : filters_of(test::image_of(pixels), border)) test::expect_same_as_reference(filtered);
    }
  }
}

TEST_P(ConvolutionTiles, EqualTheReferenceInEveryNumberOfChannels) {
  for (int channels = 1; channels <= max_channels; ++channels) {
    const Raster pixels = test::random_raster({37, 11}, {GetParam(), channels}, 77);
    for (const Image& filtered : filters_of(test::image_of(pixels), Border::reflect101)) {
      EXPECT_EQ(filtered.channels(), channels);
      test::expect_same_as_reference(filtered);
    }
  }
}

/// Rows longer than a strip.
TEST_P(ConvolutionTiles, EqualTheReferenceWhereRowsAreCutIntoStrips) {
  const Raster pixels = test::random_raster({2311, 5}, {GetParam(), 2}, 5);
  const Image image = test::image_of(pixels);
  for (const Image& filtered :
       {convolve_separable(image, {1, 2, 4}, gaussian_kernel(20, 1, 3.6)), convolve(image, tall_kernel())}) {
    const Raster wanted = test::referenced(filtered);
    for (const ProcessGrid& grid : {ProcessGrid{1, 1}, {2, 1}}) {
      EXPECT_TRUE(same_pixels(wanted.view(), test::computed(filtered, {grid}).view())) << to_string(grid);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, ConvolutionTiles, testing::ValuesIn(all_pixel_types),
                         [](const auto& type) { return std::string(to_string(type.param)); });

TEST(Convolution, PassesNanAndInfinityOnWhereTheKernelReaches) {
  Raster pixels = test::random_raster({40, 9}, {PixelType::f32, 1}, 3);
  *pixels.at<float>(11, 4) = std::numeric_limits<float>::quiet_NaN();
  *pixels.at<float>(29, 4) = std::numeric_limits<float>::infinity();
  const Image filtered = gaussian_derivative(test::image_of(pixels), {.sigma = 1, .truncation = 2});
  test::expect_same_as_reference(filtered);
  const Raster result = test::referenced(filtered);
  EXPECT_TRUE(std::isnan(*result.at<float>(9, 2)));
  EXPECT_FALSE(std::isnan(*result.at<float>(8, 4)));
  EXPECT_TRUE(std::isinf(*result.at<float>(31, 6)));
  EXPECT_TRUE(std::isfinite(*result.at<float>(32, 4)));
}

TEST(Convolution, KeepsSubnormalNumbers) {
  Raster pixels(ImageShape{{33, 5}, {PixelType::f32, 1}});
  std::fill_n(pixels.at<float>(0, 0), 33 * 5, std::numeric_limits<float>::denorm_min());
  const Image filtered = convolve_separable(test::image_of(pixels), {1, 1, 1}, {1});
  test::expect_same_as_reference(filtered);
  EXPECT_EQ(*test::referenced(filtered).at<float>(5, 2), 3 * std::numeric_limits<float>::denorm_min());
}

}  // namespace
}  // namespace tilewright
