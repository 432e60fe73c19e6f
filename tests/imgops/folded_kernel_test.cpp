// Kernels whose symmetry is used, and that what they compute is the convolution as it is defined.
#include "../../imgops/folded_kernel.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <string>

#include "tile_harness.hpp"
#include "tilewright/imgops/convolution.hpp"
#include "tilewright/imgops/gaussian.hpp"

namespace tilewright {
namespace {

using testing::ElementsAre;

template <class T>
std::vector<T> pairs_of(const FoldedKernel<T>& kernel) {
  return {kernel.pairs().begin(), kernel.pairs().end()};
}

TEST(FoldedKernel, OfOddSizeAndEvenHasACentre) {
  const auto kernel = folded<float>({{1, 2, 5, 2, 1}, -2});
  EXPECT_EQ(kernel.symmetry, Symmetry::even);
  EXPECT_EQ(kernel.first, -2);
  EXPECT_EQ(kernel.last(), 2);
  EXPECT_EQ(kernel.size, 5);
  EXPECT_TRUE(kernel.has_centre);
  EXPECT_THAT(kernel.weights, ElementsAre(5, 2, 1));
  EXPECT_THAT(pairs_of(kernel), ElementsAre(2, 1));
  EXPECT_EQ(kernel.innermost_left(), -1);
  EXPECT_EQ(kernel.innermost_right(), 1);
}

TEST(FoldedKernel, OfEvenSizeHasPairsOnly) {
  const auto kernel = folded<double>({{1, 3, 3, 1}, -1});
  EXPECT_EQ(kernel.symmetry, Symmetry::even);
  EXPECT_EQ(kernel.last(), 2);
  EXPECT_FALSE(kernel.has_centre);
  EXPECT_THAT(kernel.weights, ElementsAre(3, 1));
  EXPECT_THAT(pairs_of(kernel), ElementsAre(3, 1));
  EXPECT_EQ(kernel.innermost_left(), 0);
  EXPECT_EQ(kernel.innermost_right(), 1);
}

TEST(FoldedKernel, ThatIsOddDropsItsCentre) {
  const auto kernel = folded<float>({{-1, -2, 0, 2, 1}, -2});
  EXPECT_EQ(kernel.symmetry, Symmetry::odd);
  EXPECT_EQ(kernel.size, 5);
  EXPECT_FALSE(kernel.has_centre);
  EXPECT_THAT(kernel.weights, ElementsAre(2, 1));
  EXPECT_THAT(pairs_of(kernel), ElementsAre(2, 1));
  EXPECT_EQ(kernel.innermost_left(), -1);
  EXPECT_EQ(kernel.innermost_right(), 1);
}

TEST(FoldedKernel, MayBeOddAndOfEvenSize) {
  const auto kernel = folded<double>({{-4, -1, 1, 4}, -1});
  EXPECT_EQ(kernel.symmetry, Symmetry::odd);
  EXPECT_FALSE(kernel.has_centre);
  EXPECT_THAT(kernel.weights, ElementsAre(1, 4));
  EXPECT_EQ(kernel.innermost_left(), 0);
  EXPECT_EQ(kernel.innermost_right(), 1);
}

TEST(FoldedKernel, OfOneTapIsNotFolded) {
  for (const double tap : {7.0, 0.0}) {
    const auto kernel = folded<float>({{tap}, 3});
    EXPECT_EQ(kernel.symmetry, Symmetry::none);
    EXPECT_EQ(kernel.first, 3);
    EXPECT_EQ(kernel.last(), 3);
    EXPECT_FALSE(kernel.has_centre);
    EXPECT_THAT(kernel.weights, ElementsAre(static_cast<float>(tap)));
  }
}

TEST(FoldedKernel, WithoutSymmetryKeepsItsTaps) {
  const auto kernel = folded<double>({{1, 2, 2, -1}, -2});
  EXPECT_EQ(kernel.symmetry, Symmetry::none);
  EXPECT_EQ(kernel.first, -2);
  EXPECT_EQ(kernel.last(), 1);
  EXPECT_FALSE(kernel.has_centre);
  EXPECT_THAT(kernel.weights, ElementsAre(1, 2, 2, -1));
  EXPECT_EQ(folded<float>({{1, 0, 2}, 0}).symmetry, Symmetry::none);
  EXPECT_EQ(folded<float>({{-1, 3, 1}, 0}).symmetry, Symmetry::none) << "odd but for its centre";
}

/// Its middle need not be the pixel itself.
TEST(FoldedKernel, FindsItsMiddleWhereverItBegins) {
  const auto kernel = folded<float>({{1, 2, 1}, 4});
  EXPECT_EQ(kernel.symmetry, Symmetry::even);
  EXPECT_EQ(kernel.innermost_left(), 4);
  EXPECT_EQ(kernel.innermost_right(), 6);
}

TEST(FoldedKernel, OfZerosIsEven) {
  EXPECT_EQ(folded<float>({{0, 0, 0}, -1}).symmetry, Symmetry::even);
  EXPECT_EQ(folded<float>({{0, 1, -0.0}, -1}).symmetry, Symmetry::even);
  EXPECT_EQ(folded<float>({{-1, -0.0, 1}, -1}).symmetry, Symmetry::odd);
}

TEST(FoldedKernel, LooksForSymmetryInTheTypeThatItComputesIn) {
  const Correlation nearly{{0.1, 1, 0.1 + 1e-12}, -1};
  EXPECT_EQ(folded<float>(nearly).symmetry, Symmetry::even);
  EXPECT_EQ(folded<double>(nearly).symmetry, Symmetry::none);
}

/// Derivatives of a Gaussian are even or odd to the last bit, else they would take twice the multiplications.
TEST(FoldedKernel, FoldsEveryGaussianDerivative) {
  for (const double sigma : {1.0, 1.7, 3.0, 5.0}) {
    for (int order = 0; order <= 6; ++order) {
      const Correlation kernel{gaussian_kernel(sigma, order), -gaussian_radius(sigma, order)};
      const Symmetry wanted = order % 2 == 0 ? Symmetry::even : Symmetry::odd;
      EXPECT_EQ(folded<float>(kernel).symmetry, wanted) << sigma << ", order " << order;
      EXPECT_EQ(folded<double>(kernel).symmetry, wanted) << sigma << ", order " << order;
    }
  }
}

// --- exact on whole numbers ---

/// Both as they are written, so the convolution reads them backwards.
struct Kernels {
  std::vector<double> x;
  std::vector<double> y;
};

Image filtered(const Raster& pixels, const Kernels& kernels) {
  return convolve_separable(test::image_of(pixels), kernels.x, kernels.y, {Border::constant, 0});
}

/// From -9 to 9: sums of products of them with small weights are exact in float.
Raster whole_numbers(const Extent& extent, PixelFormat format) {
  Raster raster(ImageShape{extent, format});
  std::mt19937 random(static_cast<unsigned>(7 * extent.width + extent.height));
  with_type(format.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* values = raster.at<T>(0, 0);
    for (std::int64_t i = 0; i < extent.pixels() * format.channels; ++i) {
      values[i] = static_cast<T>(static_cast<int>(random() % 19) - 9);
    }
  });
  return raster;
}

/// The definition, with 0 outside of the image.
template <class T>
double defined(const Raster& pixels, const Kernels& kernels, std::int64_t x, std::int64_t y, int channel) {
  const auto size_x = static_cast<std::int64_t>(kernels.x.size());
  const auto size_y = static_cast<std::int64_t>(kernels.y.size());
  double sum = 0;
  for (std::int64_t j = 0; j < size_y; ++j) {
    const std::int64_t from_y = y + size_y / 2 - j;
    if (from_y < 0 || from_y >= pixels.area().height()) continue;
    for (std::int64_t i = 0; i < size_x; ++i) {
      const std::int64_t from_x = x + size_x / 2 - i;
      if (from_x < 0 || from_x >= pixels.area().width()) continue;
      sum += kernels.x[static_cast<std::size_t>(i)] * kernels.y[static_cast<std::size_t>(j)] *
             static_cast<double>(pixels.at<T>(from_x, from_y)[channel]);
    }
  }
  return sum;
}

/// Values that differ from the definition.
template <class T>
std::int64_t wrong_values(const Raster& pixels, const Kernels& kernels, const Raster& found) {
  std::int64_t wrong = 0;
  for (std::int64_t y = 0; y < found.area().height(); ++y) {
    for (std::int64_t x = 0; x < found.area().width(); ++x) {
      for (int channel = 0; channel < found.format().channels; ++channel) {
        const auto value = static_cast<double>(found.at<T>(x, y)[channel]);
        if (value != defined<T>(pixels, kernels, x, y, channel)) ++wrong;
      }
    }
  }
  return wrong;
}

void expect_exact(const Raster& pixels, const Kernels& kernels) {
  const Image image = filtered(pixels, kernels);
  const Raster found = test::computed(image, {{1, 1}});
  const std::int64_t wrong = found.format().type == PixelType::f64 ? wrong_values<double>(pixels, kernels, found)
                                                                   : wrong_values<float>(pixels, kernels, found);
  EXPECT_EQ(wrong, 0) << image.node()->op->describe() << " of " << to_string(pixels.shape()) << ", "
                      << to_string(current_simd_level());
}

/// Without symmetry, even and odd of even size, of one tap.
const std::vector<Kernels> small_kernels{
    {{1, -2, 3, 5}, {2, 1, -1}}, {{1, 1, 1, 1}, {1, 1, 1, 1}}, {{1, -1}, {1, -1}}, {{3}, {-2}}};

class ExactConvolution : public testing::TestWithParam<int> {};

/// All remainders of vectors and of rows that are computed together.
TEST_P(ExactConvolution, OfEveryWidthAndHeight) {
  for (std::int64_t width = 1; width <= 70; ++width) {
    for (std::int64_t height = 1; height <= 9; ++height) {
      const Raster pixels = whole_numbers({width, height}, {PixelType::f32, GetParam()});
      for (const Kernels& kernels : small_kernels) expect_exact(pixels, kernels);
    }
  }
}

TEST_P(ExactConvolution, AtEveryVectorLevelAndInDouble) {
  for (const SimdLevel level : test::simd_levels()) {
    const test::WithSimdLevel selected(level);
    for (std::int64_t width = 1; width <= 70; ++width) {
      for (const PixelType type : {PixelType::f32, PixelType::f64}) {
        const Raster pixels = whole_numbers({width, 5}, {type, GetParam()});
        for (const Kernels& kernels : small_kernels) expect_exact(pixels, kernels);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Channels, ExactConvolution, testing::Range(1, max_channels + 1));

/// Even with `side` 1, odd with -1.
std::vector<double> symmetric_kernel(std::size_t size, double side) {
  std::vector<double> kernel(size, 0);
  for (std::size_t i = 0; i < size / 2; ++i) {
    kernel[i] = side * static_cast<double>(i % 4 + 1);
    kernel[size - 1 - i] = static_cast<double>(i % 4 + 1);
  }
  if (size % 2 == 1 && side > 0) kernel[size / 2] = 5;
  return kernel;
}

/// Several pairs are worked off in turn: every number of them, with and without a centre.
TEST(FoldedConvolution, IsExactForEverySize) {
  for (const SimdLevel level : test::simd_levels()) {
    const test::WithSimdLevel selected(level);
    for (std::size_t size = 2; size <= 25; ++size) {
      for (const double side : {1.0, -1.0}) {
        const std::vector<double> kernel = symmetric_kernel(size, side);
        const Raster pixels = whole_numbers({43, 6}, {PixelType::f32, 1});
        expect_exact(pixels, {kernel, {1, 2}});
        expect_exact(pixels, {{1, 2}, kernel});
      }
    }
  }
}

// --- NaN and infinity ---

struct Weight {
  bool is_read = false;
  double value = 0;
};

/// By which the value `offset` to the right goes into the result. Only the middle of an odd kernel is not read: another
/// weight of 0 is a weight, and makes NaN of what is not finite.
Weight weight_at(const std::vector<double>& kernel, std::int64_t offset) {
  const auto size = static_cast<std::int64_t>(kernel.size());
  const std::int64_t index = size / 2 - offset;
  if (index < 0 || index >= size) return {};
  const bool is_odd = folded<double>({kernel, 0}).symmetry == Symmetry::odd;
  if (is_odd && size % 2 == 1 && index == size / 2) return {};
  return {true, kernel[static_cast<std::size_t>(index)]};
}

bool is_same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

/// Results that differ from what one value that is not finite, at `place`, must make of them.
std::int64_t wrongly_spread(const Raster& found, const Kernels& kernels, double value, const Extent& place) {
  std::int64_t wrong = 0;
  for (std::int64_t y = 0; y < found.area().height(); ++y) {
    for (std::int64_t x = 0; x < found.area().width(); ++x) {
      const Weight weight_x = weight_at(kernels.x, place.width - x);
      const Weight weight_y = weight_at(kernels.y, place.height - y);
      const bool is_reached = weight_x.is_read && weight_y.is_read;
      const auto result = static_cast<double>(*found.at<float>(x, y));
      const bool is_right =
          is_reached ? is_same(result, value * weight_x.value * weight_y.value) : std::isfinite(result);
      if (!is_right) ++wrong;
    }
  }
  return wrong;
}

const std::vector<std::vector<double>> kernels_with_zeros{
    {-1, 0, 1}, {1, 0, 1}, {1, 0, 2}, {0, 0, 0}, {2, 0, 0, 0, -2}, {1, -1}, {1, 1, 1, 1}, {-2}, {0}};

void expect_spread(double value) {
  const Extent place{8, 5};
  Raster pixels = whole_numbers({19, 11}, {PixelType::f32, 1});
  *pixels.at<float>(place.width, place.height) = static_cast<float>(value);
  for (const std::vector<double>& x : kernels_with_zeros) {
    for (const std::vector<double>& y : kernels_with_zeros) {
      const Image image = filtered(pixels, {x, y});
      const Raster found = test::computed(image, {{1, 1}});
      EXPECT_EQ(wrongly_spread(found, {x, y}, value, place), 0) << image.node()->op->describe() << " of " << value;
      EXPECT_TRUE(same_pixels(test::referenced(image).view(), found.view())) << image.node()->op->describe();
    }
  }
}

TEST(FoldedConvolution, ReadsEveryTapButTheCentreOfAnOddKernel) {
  for (const SimdLevel level : test::simd_levels()) {
    const test::WithSimdLevel selected(level);
    expect_spread(std::numeric_limits<double>::quiet_NaN());
    expect_spread(std::numeric_limits<double>::infinity());
    expect_spread(-std::numeric_limits<double>::infinity());
  }
}

/// The results of a row with a NaN in its middle: 'n' where they are NaN.
std::string spread_of_nan(const std::vector<double>& kernel) {
  Raster pixels = whole_numbers({5, 1}, {PixelType::f32, 1});
  *pixels.at<float>(2, 0) = std::numeric_limits<float>::quiet_NaN();
  const Raster found = test::computed(filtered(pixels, {kernel, {1}}), {{1, 1}});
  std::string result;
  for (std::int64_t x = 0; x < 5; ++x) result += std::isnan(*found.at<float>(x, 0)) ? 'n' : '-';
  return result;
}

TEST(FoldedConvolution, OfNanIsNanWhereItIsRead) {
  EXPECT_EQ(spread_of_nan({1, 0, -1}), "-n-n-");
  EXPECT_EQ(spread_of_nan({1, 0, 1}), "-nnn-");
  EXPECT_EQ(spread_of_nan({0, 0, 1}), "-nnn-");
  EXPECT_EQ(spread_of_nan({1, -1}), "-nn--");
}

}  // namespace
}  // namespace tilewright
