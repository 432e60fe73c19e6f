#include "tilewright/imgops/convolution.hpp"

#include <gmock/gmock.h>

#include <opencv2/imgproc.hpp>

#include "test_images.hpp"
#include "tilewright/imgops/gaussian.hpp"
#include "tilewright/opencv.hpp"

namespace tilewright {
namespace {

using testing::HasSubstr;

int opencv_border(Border border) {
  switch (border) {
    case Border::constant:
      return cv::BORDER_CONSTANT;
    case Border::replicate:
      return cv::BORDER_REPLICATE;
    case Border::reflect:
      return cv::BORDER_REFLECT;
    case Border::reflect101:
      return cv::BORDER_REFLECT_101;
    case Border::wrap:
      return cv::BORDER_WRAP;
  }
  return -1;
}

/// With the border made by OpenCV too, for its filters know no wrap.
cv::Mat padded_by_opencv(const Raster& pixels, const Halo& halo, Border border) {
  cv::Mat wide;
  const int x = static_cast<int>(halo.x);
  const int y = static_cast<int>(halo.y);
  cv::copyMakeBorder(to_mat(pixels), wide, y, y, x, x, opencv_border(border));
  return wide;
}

cv::Mat inner(const cv::Mat& wide, const Halo& halo) {
  const int x = static_cast<int>(halo.x);
  const int y = static_cast<int>(halo.y);
  return wide(cv::Rect(x, y, wide.cols - 2 * x, wide.rows - 2 * y)).clone();
}

/// Relative to the largest value.
double difference(const Raster& found, const cv::Mat& wanted) {
  cv::Mat a;
  cv::Mat b;
  to_mat(found).convertTo(a, CV_64F);
  wanted.convertTo(b, CV_64F);
  return cv::norm(a, b, cv::NORM_INF) / std::max(cv::norm(b, cv::NORM_INF), 1e-30);
}

TEST(GaussianDerivative, AgreesWithOpenCv) {
  for (const PixelType type : all_pixel_types) {
    for (const Border border : all_borders) {
      const Raster pixels = test::random_raster({83, 61}, {type, 1}, 9);
      for (const auto& [order_x, order_y] : {std::pair{0, 0}, {1, 0}, {0, 1}, {2, 0}, {1, 1}, {0, 2}, {3, 1}}) {
        const Image image = gaussian_derivative(
            test::image_of(pixels), {.sigma = 2.5, .order_x = order_x, .order_y = order_y, .border = border});
        const Halo halo = image.node()->op->halo();
        cv::Mat wanted;
        const int depth = type == PixelType::f64 ? CV_64F : CV_32F;
        cv::sepFilter2D(padded_by_opencv(pixels, halo, border), wanted, depth,
                        cv::Mat(gaussian_kernel(2.5, order_x), true), cv::Mat(gaussian_kernel(2.5, order_y), true));
        EXPECT_LT(difference(test::referenced(image), inner(wanted, halo)), type == PixelType::f64 ? 1e-13 : 1e-5)
            << to_string(type) << " " << to_string(border) << " " << order_x << order_y;
      }
    }
  }
}

TEST(GaussianDerivative, AgreesWithOpenCvsOwnBorders) {
  const Raster pixels = test::random_raster({40, 30}, {PixelType::f32, 3}, 2);
  for (const Border border : {Border::constant, Border::replicate, Border::reflect, Border::reflect101}) {
    const Image image = gaussian_derivative(test::image_of(pixels), {.sigma = 1, .order_x = 1, .border = border});
    cv::Mat wanted;
    cv::sepFilter2D(to_mat(pixels), wanted, CV_32F, gaussian_kernel(1, 1), gaussian_kernel(1, 0), {-1, -1}, 0,
                    opencv_border(border));
    EXPECT_LT(difference(test::referenced(image), wanted), 1e-5) << to_string(border);
  }
}

TEST(Convolve, AgreesWithOpenCvsFilterOfTheFlippedKernel) {
  const std::vector<double> values{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, -11, 12};
  for (const PixelType type : all_pixel_types) {
    const Raster pixels = test::random_raster({37, 29}, {type, 3}, 4);
    for (const Border border : all_borders) {
      const Image image = convolve(test::image_of(pixels), {4, 3, values, 1, 2}, {border});
      cv::Mat kernel;
      cv::flip(cv::Mat(values, true).reshape(1, 3), kernel, -1);
      cv::Mat wanted;
      const Halo halo{4, 3};
      cv::filter2D(padded_by_opencv(pixels, halo, border), wanted, type == PixelType::f64 ? CV_64F : CV_32F, kernel,
                   cv::Point(4 - 1 - 1, 3 - 1 - 2));
      EXPECT_LT(difference(test::referenced(image), inner(wanted, halo)), type == PixelType::f64 ? 1e-13 : 1e-5)
          << to_string(type) << " " << to_string(border);
    }
  }
}

/// An impulse makes the kernel appear as it was written, its anchor at the impulse.
TEST(Convolve, OfAnImpulseIsTheKernel) {
  Raster pixels(ImageShape{{9, 7}, {PixelType::u8, 1}});
  std::fill_n(pixels.at<std::uint8_t>(0, 0), 9 * 7, std::uint8_t{0});
  *pixels.at<std::uint8_t>(4, 3) = 1;
  const Raster result = test::referenced(convolve(test::image_of(pixels), {3, 2, {1, 2, 3, 4, 5, 6}}));
  EXPECT_EQ(result.format().type, PixelType::f32);
  EXPECT_EQ(*result.at<float>(3, 2), 1);  // the centre of 3x2 is (1, 1)
  EXPECT_EQ(*result.at<float>(5, 2), 3);
  EXPECT_EQ(*result.at<float>(3, 3), 4);
  EXPECT_EQ(*result.at<float>(5, 3), 6);
  EXPECT_EQ(*result.at<float>(4, 4), 0);
}

TEST(ConvolveSeparable, IsConvolutionWithTheProduct) {
  const Raster pixels = test::random_raster({21, 18}, {PixelType::f64, 2}, 6);
  const Image image = test::image_of(pixels);
  const Image separable = convolve_separable(image, {1, 2, -3}, {4, 5}, {Border::wrap});
  const Image whole = convolve(image, {3, 2, {4, 8, -12, 5, 10, -15}}, {Border::wrap});
  cv::Mat wanted = to_mat(test::referenced(whole));
  EXPECT_LT(difference(test::referenced(separable), wanted), 1e-14);
}

TEST(Convolve, StatesHaloAndShape) {
  const Image image(assumed_file("absent", {{100, 50}, {PixelType::u16, 2}}));
  EXPECT_EQ(convolve(image, {5, 1, {1, 1, 1, 1, 1}, 4}).node()->op->halo(), (Halo{4, 0}));
  EXPECT_EQ(convolve_separable(image, {1, 1}, {1, 1, 1}).node()->op->halo(), (Halo{1, 1}));
  EXPECT_EQ(convolve(image, {1, 1, {1}}).shape(), (ImageShape{{100, 50}, {PixelType::f32, 2}}));
  const Image doubles(assumed_file("absent", {{100, 50}, {PixelType::f64, 1}}));
  EXPECT_EQ(convolve(doubles, {1, 1, {1}}).type(), PixelType::f64);
}

TEST(Convolve, DescribesAllThatTheResultDependsOn) {
  const Image image(assumed_file("absent", {{100, 50}, {PixelType::u8, 1}}));
  const auto description = [&](const Image& result) { return result.node()->op->describe(); };
  EXPECT_EQ(description(convolve(image, {2, 1, {1, -0.5}})),
            "convolve(2x1, [1, -0.5], anchor_x=1, anchor_y=0, border=reflect101)");
  EXPECT_EQ(description(convolve_separable(image, {1}, {2, 3}, {Border::constant, 7})),
            "convolve_separable(x=[1], y=[2, 3], border=constant, border_value=7)");
  std::vector<double> large(99, 1);
  const std::string one = description(convolve_separable(image, large, {1}));
  large[50] = 2;
  EXPECT_NE(one, description(convolve_separable(image, large, {1})));
}

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const ParameterError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Convolve, RefusesKernelsThatDoNotFit) {
  const Image image(assumed_file("absent", {{100, 50}, {PixelType::u8, 1}}));
  EXPECT_THAT(refusal([&] { (void)convolve(image, {3, 3, {1, 2}}); }), HasSubstr("3x3 with 2 values"));
  EXPECT_THAT(refusal([&] { (void)convolve(image, {3, 1, {}}); }), HasSubstr("no values"));
  EXPECT_THAT(refusal([&] { (void)convolve(image, {-1, -1, {1}}); }), HasSubstr("-1x-1"));
  EXPECT_THAT(refusal([&] { (void)convolve(image, {3, 1, {1, 2, 3}, 3}); }), HasSubstr("anchor_x=3"));
  EXPECT_THAT(refusal([&] { (void)convolve(image, {1, 1, {std::nan("")}}); }), HasSubstr("nan"));
  EXPECT_THAT(refusal([&] { (void)convolve_separable(image, {}, {1}); }), HasSubstr("kernel_x has no values"));
  EXPECT_THAT(refusal([&] { (void)convolve_separable(image, {1}, {1, INFINITY}); }), HasSubstr("value 1 of kernel_y"));
}

TEST(SeparableFilter, AnnotatesItsCost) {
  const Image image(assumed_file("absent", {{100, 50}, {PixelType::u8, 3}}));
  const auto work_of = [&](int order_x, int order_y) {
    const auto op = gaussian_derivative(image, {.sigma = 1, .order_x = order_x, .order_y = order_y}).node()->op;
    return op->work(std::vector<ImageShape>{image.shape()}, {10, 20});
  };
  const auto separable = [](double taps, double units) {
    return Work{"convolve_separable", PixelType::u8, taps, units};
  };
  EXPECT_EQ(work_of(0, 0), std::vector<Work>({separable(14, 10 * 3 * (20 + 6 / 2.0))}));

  // Nine taps along the rows and seven along the columns: one more than half of them, of the five more that the filter
  // has which is measured with three along the columns.
  const double values = 10 * 3 * (20 + 6 * 9.0 / (9 + 7));
  Work rows{"convolve_separable_rows", PixelType::u8, 16, values / 5};
  rows.otherwise = {separable(16, values / 5)};
  EXPECT_EQ(work_of(1, 0), std::vector<Work>({rows, separable(16, values * 4 / 5)}));

  const auto op = gaussian_derivative(image, {.sigma = 1, .order_x = 1}).node()->op;
  const std::vector<ImageShape> shapes{image.shape()};
  EXPECT_GT(op->scratch_bytes(shapes, {10, 20}), 7 * 30 * 4);
  EXPECT_LT(op->scratch_bytes(shapes, {100000, 100000}), 4 << 20) << "scratch must not grow with the tile";
}

}  // namespace
}  // namespace tilewright
