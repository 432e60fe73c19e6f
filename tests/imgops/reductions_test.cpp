#include "tilewright/imgops/reductions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "test_images.hpp"
#include "tilewright/core/grid.hpp"
#include "tilewright/imgops/simd.hpp"
#include "tilewright/pipeline/accumulation.hpp"

namespace tilewright {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

using Partial = std::vector<std::byte>;

Partial partial_of(const Reduction& reduction, const ConstView& view) {
  Partial partial(reduction.method->partial_bytes(view.format()));
  reduction.method->accumulate(view, partial);
  return partial;
}

/// Cut into a grid and merged in a random order, tree-like.
std::vector<double> reduced(const Reduction& reduction, const Raster& pixels, const ProcessGrid& grid, unsigned seed) {
  std::vector<Partial> partials;
  for (int rank = 0; rank < grid.ranks(); ++rank) {
    partials.push_back(partial_of(reduction, pixels.view().restricted(tile_of(pixels.shape().extent, grid, rank))));
  }
  std::mt19937 random(seed);
  while (partials.size() > 1) {
    std::shuffle(partials.begin(), partials.end(), random);
    const Partial other = partials.back();
    partials.pop_back();
    reduction.method->merge(partials.front(), other, pixels.format());
  }
  return reduction.method->finish(partials.front(), pixels.shape());
}

/// By so many threads.
std::vector<double> reduced_together(const Reduction& reduction, const Raster& pixels, int threads) {
  Partial partial(reduction.method->partial_bytes(pixels.format()));
  accumulate(*reduction.method, pixels.view(), partial, {threads});
  return reduction.method->finish(partial, pixels.shape());
}

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    return (std::isnan(x) && std::isnan(y)) || (x == y && std::signbit(x) == std::signbit(y));
  });
}

void expect_same_as_reference(const Raster& pixels) {
  const Image image = test::image_of(pixels);
  for (const Reduction& reduction : {sum(image), mean(image), min(image), max(image)}) {
    const std::vector<double> wanted = reduction.method->reference(pixels.view());
    for (const ProcessGrid& grid : {ProcessGrid{1, 1}, {1, 4}, {3, 2}, {5, 7}, {40, 1}}) {
      for (unsigned seed = 0; seed < 3; ++seed) {
        EXPECT_TRUE(same(reduced(reduction, pixels, grid, seed), wanted))
            << reduction.method->describe() << " of " << to_string(pixels.shape()) << " on " << to_string(grid);
      }
    }
    for (const int threads : {1, 2, 3, 1000}) {
      EXPECT_TRUE(same(reduced_together(reduction, pixels, threads), wanted))
          << reduction.method->describe() << " of " << to_string(pixels.shape()) << ", " << threads << " threads";
    }
  }
}

TEST(Reductions, AreTheSameHoweverCutAndMerged) {
  for (const PixelType type : all_pixel_types) {
    for (int channels = 1; channels <= max_channels; ++channels) {
      for (const Extent& extent : {Extent{1, 1}, {23, 17}, {1, 97}, {301, 2}}) {
        expect_same_as_reference(test::random_raster(extent, {type, channels}, 3));
      }
    }
  }
}

template <class T>
Raster row_of(const std::vector<T>& values) {
  Raster raster(ImageShape{{static_cast<std::int64_t>(values.size()), 1}, {pixel_type_of<T>, 1}});
  std::copy(values.begin(), values.end(), raster.at<T>(0, 0));
  return raster;
}

template <class T>
double sum_of(std::vector<T> values) {
  double result = 0;
  for (unsigned seed = 0; seed < 6; ++seed) {
    const Raster pixels = row_of(values);
    const Reduction reduction = sum(test::image_of(pixels));
    const auto parts = std::min(static_cast<int>(values.size()), 1 + static_cast<int>(seed));
    const double found = reduced(reduction, pixels, {parts, 1}, seed).front();
    EXPECT_TRUE(seed == 0 || same({found}, {result})) << found << " after " << result;
    result = found;
    std::mt19937 random(seed);
    std::shuffle(values.begin(), values.end(), random);
  }
  return result;
}

TEST(Sum, LosesNothingToCancellation) {
  EXPECT_EQ(sum_of<double>({1e300, 1, -1e300}), 1);
  EXPECT_EQ(sum_of<double>({1e308, 1e308, -1e308, -1e308, 5e-324}), 5e-324);
  EXPECT_EQ(sum_of<double>({1e308, 1e308, -1e308}), 1e308);  // beyond the largest double on the way
  EXPECT_EQ(sum_of<float>({3e38F, 3e38F, -3e38F, 1e-45F, -3e38F}), static_cast<double>(1e-45F));
  EXPECT_EQ(sum_of<float>({16777216, 1, 1, 1}), 16777219);
}

TEST(Sum, IsRoundedOnceToTheNearestEven) {
  const double big = 0x1p53;                             // from here on only even integers are doubles
  EXPECT_EQ(sum_of<double>({big, 1}), big);              // a tie, to even
  EXPECT_EQ(sum_of<double>({big, 2, 1}), big + 4);       // a tie, to even
  EXPECT_EQ(sum_of<double>({big, 1, 1e-300}), big + 2);  // just above the tie
  EXPECT_EQ(sum_of<double>({big, 1, -1e-300}), big);     // just below it
  EXPECT_EQ(sum_of<double>({-big, -2, -1}), -big - 4);
  EXPECT_EQ(sum_of<double>({0x1p1023, 0x1p1023}), infinity);
  EXPECT_EQ(sum_of<double>({-0x1p1023, -0x1p1023}), -infinity);
  const double largest = std::numeric_limits<double>::max();
  EXPECT_EQ(sum_of<double>({largest, 0x1p969}), largest);   // less than half a unit above
  EXPECT_EQ(sum_of<double>({largest, 0x1p970}), infinity);  // half a unit: rounds to even, which is beyond
  EXPECT_EQ(sum_of<double>({0x1p-1074, 0x1p-1073}), 0x1.8p-1073);
  EXPECT_EQ(sum_of<double>({0x1p-1022, -0x1p-1074}), 0x0.fffffffffffffp-1022);
}

TEST(Sum, AgreesWithLongArithmeticOnManyValues) {
  std::mt19937_64 random(11);
  std::vector<double> values;
  long double wanted = 0;
  for (int i = 0; i < 4000; ++i) {
    values.push_back(std::ldexp(static_cast<double>(random() >> 40), -10));  // 24 bits: the long sum is exact
    if (i % 3 == 0) values.back() = -values.back();
    wanted += values.back();
  }
  EXPECT_EQ(sum_of(values), static_cast<double>(wanted));
  const std::vector<float> floats(values.begin(), values.end());
  EXPECT_EQ(sum_of(floats), static_cast<double>(wanted));
}

/// Magnitudes from 1 to 2^binades, and a zero now and then; what is large is taken away again.
template <class T>
Raster values_of_many_magnitudes(const Extent& extent, int channels, int binades, unsigned seed) {
  Raster pixels(ImageShape{extent, {pixel_type_of<T>, channels}});
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> mantissa(1, 2);
  std::uniform_int_distribution<int> exponent(0, binades);
  double last = 0;
  for (std::int64_t y = 0; y < extent.height; ++y) {
    for (std::int64_t i = 0; i < extent.width * channels; ++i) {
      const double value = std::ldexp(mantissa(random), exponent(random) - binades / 2);
      last = i % 7 == 0 ? 0 : i % 2 == 0 ? value : -last;
      pixels.at<T>(0, y)[i] = static_cast<T>(last);
    }
  }
  return pixels;
}

template <class T>
void expect_exact_sums_of_many_magnitudes(const std::vector<int>& binades) {
  for (const int range : binades) {
    for (const auto& [extent, channels] : {std::pair(Extent{1500, 3}, 1), {Extent{100, 31}, 1}, {Extent{700, 2}, 3}}) {
      const Raster pixels = values_of_many_magnitudes<T>(extent, channels, range, static_cast<unsigned>(range));
      const Reduction reduction = sum(test::image_of(pixels));
      const std::vector<double> wanted = reduction.method->reference(pixels.view());
      for (const SimdLevel level : all_simd_levels) {
        if (level > best_simd_level()) continue;
        select_simd_level(level);
        EXPECT_TRUE(same(reduced(reduction, pixels, {1, 1}, 0), wanted)) << range << " binades, " << to_string(level);
      }
      select_simd_level(best_simd_level());
    }
  }
}

/// Blocks whose sums one double holds, two do, and none do.
TEST(Sum, IsExactForAllMagnitudesAndVectorLevels) {
  expect_exact_sums_of_many_magnitudes<float>({0, 8, 18, 19, 20, 21, 22, 40, 62, 63, 64, 65, 66, 120, 240});
  expect_exact_sums_of_many_magnitudes<double>({0, 8, 20, 33, 34, 35, 36, 37, 60, 200, 1000, 2040});
}

/// In a block whose sum takes as many bits as it can; what is large is taken away again in the next one.
template <class T>
void expect_nothing_is_lost_of(T small, T large, T most) {
  std::vector<T> values(1024, most);
  values[1] = large;
  values[0] = small;
  for (std::size_t i = 0; i < 512; ++i) values[512 + i] = i == 0 ? T{0} : -values[i];
  const Raster pixels = row_of(values);
  EXPECT_EQ(reduced(sum(test::image_of(pixels)), pixels, {1, 1}, 0).front(), static_cast<double>(small))
      << small << " among " << most << " and " << large;
}

TEST(Sum, KeepsTheLastBitOfTheSmallestValue) {
  for (int exponent = 5; exponent < 90; ++exponent) {
    const float single = std::ldexp(0x1.000002p0F, -exponent);
    expect_nothing_is_lost_of<float>(single, 0x1.fffffep0F, 0x1.fffffep0F);
    expect_nothing_is_lost_of<float>(single, 1, 0x1.fffffep-44F);  // just not large enough to go with the largest
    const double twice = std::ldexp(0x1.0000000000001p0, -exponent);
    expect_nothing_is_lost_of<double>(twice, 0x1.fffffffffffffp0, 0x1.fffffffffffffp0);
    expect_nothing_is_lost_of<double>(twice, 1, 0x1.fffffffffffffp-44);
  }
}

/// Beside a value whose exponent leaves no room for what splits it.
TEST(Sum, IsExactAtTheEndsOfTheRange) {
  std::vector<double> values(1000, 0x1p1010);
  values[3] = -0x1p1016;
  EXPECT_EQ(sum_of(values), 999 * 0x1p1010 - 0x1p1016);
  std::vector<double> least(1000, 0x1p-1074);
  least[700] = 0x1p-1040;
  EXPECT_EQ(sum_of(least), 999 * 0x1p-1074 + 0x1p-1040);
  std::vector<float> single(1000, 0x1p-149F);
  single[1] = 0x1p-100F;
  EXPECT_EQ(sum_of(single), 999 * 0x1p-149 + 0x1p-100);
}

TEST(Sum, KnowsInfinitiesAndNan) {
  EXPECT_EQ(sum_of<float>({1, static_cast<float>(infinity), 2}), infinity);
  EXPECT_EQ(sum_of<double>({1, -infinity, 2}), -infinity);
  EXPECT_TRUE(std::isnan(sum_of<double>({infinity, 1, -infinity})));
  EXPECT_TRUE(std::isnan(sum_of<float>({1, static_cast<float>(nan), 2})));
  EXPECT_TRUE(same({sum_of<double>({-0.0, -0.0})}, {0.0}));
}

TEST(Sum, OfIntegersIsExact) {
  EXPECT_EQ(sum_of(std::vector<std::uint8_t>(1000, 255)), 255000);
  EXPECT_EQ(sum_of(std::vector<std::uint16_t>(100000, 65535)), 65535.0 * 100000);
}

TEST(Mean, IsTheSumOverTheNumberOfPixels) {
  Raster pixels(ImageShape{{3, 2}, {PixelType::u8, 2}});
  for (int i = 0; i < 12; ++i) pixels.at<std::uint8_t>(0, 0)[i] = static_cast<std::uint8_t>(i);
  const Reduction reduction = mean(test::image_of(pixels));
  EXPECT_EQ(reduced(reduction, pixels, {1, 1}, 0), (std::vector<double>{5, 6}));
  EXPECT_EQ(reduced(reduction, pixels, {3, 2}, 0), (std::vector<double>{5, 6}));
}

TEST(MinMax, OrderSignedZerosAndReportNan) {
  const auto extremes = [](const Raster& pixels) {
    const Image image = test::image_of(pixels);
    const ProcessGrid grid{static_cast<int>(image.width()), 1};
    return std::vector<double>{reduced(min(image), pixels, grid, 1).front(),
                               reduced(max(image), pixels, grid, 1).front()};
  };
  EXPECT_TRUE(same(extremes(row_of<float>({0.0F, -0.0F, 0.0F})), {-0.0, 0.0}));
  EXPECT_TRUE(same(extremes(row_of<double>({-0.0, 0.0})), {-0.0, 0.0}));
  EXPECT_TRUE(same(extremes(row_of<double>({3, -2, 1e-310, infinity})), {-2, infinity}));
  EXPECT_TRUE(same(extremes(row_of<double>({3, nan, -infinity})), {nan, nan}));
  EXPECT_TRUE(same(extremes(row_of<std::uint16_t>({3, 65535, 7})), {3, 65535}));
  expect_same_as_reference(row_of<float>({0.0F, -0.0F, 1, -1}));
  expect_same_as_reference(row_of<double>({-0.0, 0.0}));
}

/// Ranks without pixels merge something neutral.
TEST(Reductions, IgnoreEmptyTiles) {
  const Raster pixels = test::random_raster({3, 2}, {PixelType::f32, 1}, 8);
  const Image image = test::image_of(pixels);
  for (const Reduction& reduction : {sum(image), mean(image), min(image), max(image)}) {
    EXPECT_EQ(reduced(reduction, pixels, {8, 5}, 4), reduction.method->reference(pixels.view()));
  }
}

/// Equal sums have equal bytes: partial results can be compared and repeated.
TEST(Sum, HasOnePartialResultForOneSum) {
  const Reduction reduction = sum(test::image_of(row_of<double>({0})));
  Partial a = partial_of(reduction, row_of<double>({1e20, 1, -1e20}).view());
  Partial b = partial_of(reduction, row_of<double>({-3, 4}).view());
  const Partial zero = partial_of(reduction, row_of<double>({0}).view());
  const PixelFormat format{PixelType::f64, 1};
  reduction.method->merge(a, zero, format);
  reduction.method->merge(b, zero, format);
  EXPECT_EQ(a, b);
}

}  // namespace
}  // namespace tilewright
