#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "test_images.hpp"
#include "tilewright/imgops/gaussian.hpp"

namespace tilewright {
namespace {

using testing::HasSubstr;

TEST(GaussianRadius, HasThePapersKernelSizes) {
  const auto sizes = [](double sigma) {
    return std::vector<int>{2 * gaussian_radius(sigma, 0) + 1, 2 * gaussian_radius(sigma, 1) + 1,
                            2 * gaussian_radius(sigma, 2) + 1};
  };
  EXPECT_EQ(sizes(1), (std::vector{7, 9, 9}));
  EXPECT_EQ(sizes(3), (std::vector{15, 23, 25}));
  EXPECT_EQ(sizes(5), (std::vector{23, 37, 39}));
}

TEST(GaussianRadius, IsLinearBetweenAndBeyondAndRoundsUp) {
  EXPECT_EQ(gaussian_radius(2, 0), 5);
  EXPECT_EQ(gaussian_radius(2, 1), 8);    // 7.5
  EXPECT_EQ(gaussian_radius(4, 2), 16);   // 15.5
  EXPECT_EQ(gaussian_radius(10, 1), 36);  // 35.5
  EXPECT_EQ(gaussian_radius(10, 2), 37);  // 36.5: the last segment extended
  EXPECT_EQ(gaussian_radius(0.5, 2), 2);  // the first segment extended
  EXPECT_EQ(gaussian_radius(0.01, 2), 1);
  EXPECT_EQ(gaussian_radius(3, 4), 15);     // of order 2, plus 3
  EXPECT_EQ(gaussian_radius(0.1, 20), 10);  // half the order at least
}

TEST(GaussianRadius, FollowsTheTruncation) {
  EXPECT_EQ(gaussian_radius(2, 0, 3), 6);
  EXPECT_EQ(gaussian_radius(2, 0, 0.1), 1);
  EXPECT_EQ(gaussian_radius(2, 7, 0.1), 4);
  EXPECT_EQ(gaussian_radius(1.5, 1, 2.5), 4);
}

TEST(GaussianKernel, DifferentiatesPolynomialsExactly) {
  for (const double sigma : {0.7, 1.0, 1.7, 3.0, 5.0, 12.0}) {
    for (int order = 0; order <= 20; ++order) {
      const std::vector<double> kernel = gaussian_kernel(sigma, order);
      const int radius = gaussian_radius(sigma, order);
      ASSERT_EQ(kernel.size(), static_cast<std::size_t>(2 * radius + 1));
      for (int power = 0; power <= order; ++power) {
        long double sum = 0;
        long double magnitude = 0;
        for (int x = -radius; x <= radius; ++x) {
          const long double term =
              kernel[static_cast<std::size_t>(x + radius)] * std::pow(static_cast<long double>(x), power);
          sum += term;
          magnitude += std::abs(term);
        }
        const long double wanted = power == order ? std::tgamma(order + 1.0L) : 0.0L;
        EXPECT_LT(std::abs(sum - wanted), 1e-13L * magnitude)
            << "sigma " << sigma << " order " << order << " power " << power;
      }
    }
  }
}

/// Where the taps are dense and reach far, the kernel is the derivative of a Gaussian.
TEST(GaussianKernel, ApproachesTheDerivativesOfAGaussian) {
  const double sigma = 4;
  const int radius = gaussian_radius(sigma, 2, 8);
  const auto kernel_0 = gaussian_kernel(sigma, 0, 8);
  const auto kernel_1 = gaussian_kernel(sigma, 1, 8);
  const auto kernel_2 = gaussian_kernel(sigma, 2, 8);
  for (int x = -radius; x <= radius; ++x) {
    const auto i = static_cast<std::size_t>(x + radius);
    const double gaussian = std::exp(-x * x / (2 * sigma * sigma)) / (sigma * std::sqrt(2 * M_PI));
    EXPECT_NEAR(kernel_0[i], gaussian, 1e-12);
    EXPECT_NEAR(kernel_1[i], x / (sigma * sigma) * gaussian, 1e-12);  // correlation turns the sign round
    EXPECT_NEAR(kernel_2[i], (x * x / (sigma * sigma) - 1) / (sigma * sigma) * gaussian, 1e-12);
  }
}

TEST(GaussianKernel, IsSymmetric) {
  for (int order = 0; order <= 6; ++order) {
    const std::vector<double> kernel = gaussian_kernel(2.3, order);
    const double sign = order % 2 == 0 ? 1 : -1;
    for (std::size_t i = 0; i < kernel.size(); ++i) {
      EXPECT_NEAR(kernel[i], sign * kernel[kernel.size() - 1 - i], 1e-15) << order;
    }
  }
}

TEST(GaussianDerivative, OfARampIsItsSlope) {
  Raster ramp(ImageShape{{60, 50}, {PixelType::f64, 1}});
  for (std::int64_t y = 0; y < 50; ++y) {
    for (std::int64_t x = 0; x < 60; ++x)
      *ramp.at<double>(x, y) = 2.0 * static_cast<double>(x) - 3.0 * static_cast<double>(y);
  }
  const Image image = test::image_of(ramp);
  const auto middle = [](const Image& result) { return *test::referenced(result).at<double>(30, 25); };
  EXPECT_NEAR(middle(gaussian_derivative(image, {.sigma = 1.5, .order_x = 1})), 2, 1e-12);
  EXPECT_NEAR(middle(gaussian_derivative(image, {.sigma = 1.5, .order_y = 1})), -3, 1e-12);
  EXPECT_NEAR(middle(gaussian_derivative(image, {.sigma = 1.5})), 60 - 75, 1e-11);
}

TEST(GaussianDerivative, DescribesAllThatTheResultDependsOn) {
  const Image image(assumed_file("absent", {{100, 50}, {PixelType::u8, 1}}));
  EXPECT_EQ(gaussian_derivative(image, {.sigma = 3.5, .order_x = 1}).node()->op->describe(),
            "gaussian_derivative(sigma=3.5, order_x=1, order_y=0, truncation=0, border=reflect101)");
}

std::string refusal(double sigma, int order, double truncation = 0) {
  try {
    (void)gaussian_kernel(sigma, order, truncation);
  } catch (const ParameterError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(GaussianKernel, RefusesWhatHasNoKernel) {
  EXPECT_THAT(refusal(0, 0), HasSubstr("sigma=0"));
  EXPECT_THAT(refusal(-1.5, 0), HasSubstr("sigma=-1.5"));
  EXPECT_THAT(refusal(std::nan(""), 0), HasSubstr("sigma=nan"));
  EXPECT_THAT(refusal(std::numeric_limits<double>::infinity(), 0), HasSubstr("sigma=inf"));
  EXPECT_THAT(refusal(1, -1), HasSubstr("order -1"));
  EXPECT_THAT(refusal(1, 21), HasSubstr("order 21"));
  EXPECT_THAT(refusal(1, 0, -1), HasSubstr("truncation=-1"));
  EXPECT_THAT(refusal(1, 0, std::nan("")), HasSubstr("truncation=nan"));
  EXPECT_THAT(refusal(1e5, 0), HasSubstr("above the limit 100000"));
  EXPECT_THAT(refusal(1e300, 0, 1e300), HasSubstr("above the limit 100000"));
  EXPECT_THAT(refusal(1e-3, 1), HasSubstr("too small"));
  EXPECT_THAT(refusal(0.05, 20), HasSubstr("too small"));
}

TEST(GaussianKernel, OfATinySigmaLeavesTheImageAlone) {
  EXPECT_EQ(gaussian_kernel(0.01, 0), (std::vector<double>{0, 0, 1, 0, 0}));
}

}  // namespace
}  // namespace tilewright
