#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "tile_harness.hpp"
#include "tilewright/imgops/arithmetic.hpp"

namespace tilewright {
namespace {

using testing::HasSubstr;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Random pixels with the values at which operations go wrong.
Raster pixels_of(const Extent& extent, PixelFormat format, unsigned seed) {
  Raster raster = test::random_raster(extent, format, seed);
  with_type(format.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::vector<T> special{T{0}, T{1}, std::numeric_limits<T>::max()};
    if constexpr (std::is_floating_point_v<T>) {
      for (const double value : {-0.0, nan, infinity, -infinity, 0.5, 1.5, 2.5, -0.5, 254.5, 255.5, 1e9, -3.0}) {
        special.push_back(static_cast<T>(value));
      }
      special.push_back(std::numeric_limits<T>::denorm_min());
    }
    const std::int64_t values = extent.pixels() * format.channels;
    for (std::size_t i = 0; i < special.size() && static_cast<std::int64_t>(3 * i) < values; ++i) {
      raster.at<T>(0, 0)[3 * i] = special[(i + seed) % special.size()];
    }
  });
  return raster;
}

std::vector<Image> all_of_two(const Image& a, const Image& b) {
  return {a + b, a - b, a * b, a / b, min(a, b), max(a, b)};
}

std::vector<Image> all_of_one(const Image& a) {
  std::vector<Image> results{a + 1.3,
                             a - 1.3,
                             a * 1.3,
                             a / 1.3,
                             1.3 + a,
                             1.3 - a,
                             1.3 * a,
                             1.3 / a,
                             min(a, 77.5),
                             max(a, 3.5),
                             max(a, 1e6),
                             min(a, nan),
                             sqrt(a),
                             abs(a),
                             threshold(a, {.level = 41.5}),
                             threshold(a, {.level = 0.1, .below = -7, .above = 300.6})};
  for (const PixelType type : all_pixel_types) {
    results.push_back(convert(a, type));
    results.push_back(convert(a, type, {.scale = 1.7, .offset = -11.25}));
  }
  return results;
}

TEST(Pointwise, EqualsTheReferenceForEveryPairOfTypes) {
  unsigned seed = 1;
  for (const PixelType type_a : all_pixel_types) {
    for (const PixelType type_b : all_pixel_types) {
      for (const Extent& extent : {Extent{1, 1}, {19, 7}, {1031, 2}}) {
        const int channels = 1 + static_cast<int>(seed % 4);
        const Image a = test::image_of(pixels_of(extent, {type_a, channels}, seed++));
        const Image b = test::image_of(pixels_of(extent, {type_b, channels}, seed++));
        for (const Image& result : all_of_two(a, b)) test::expect_same_as_reference(result);
      }
    }
  }
}

TEST(Pointwise, EqualsTheReferenceForOneImage) {
  for (const PixelType type : all_pixel_types) {
    for (int channels = 1; channels <= max_channels; ++channels) {
      const Image a = test::image_of(pixels_of({29, 8}, {type, channels}, static_cast<unsigned>(channels)));
      for (const Image& result : all_of_one(a)) test::expect_same_as_reference(result);
    }
  }
}

template <class T>
Image row_of(const std::vector<T>& values) {
  Raster raster(ImageShape{{static_cast<std::int64_t>(values.size()), 1}, {pixel_type_of<T>, 1}});
  std::copy(values.begin(), values.end(), raster.at<T>(0, 0));
  return test::image_of(raster);
}

/// Read back as doubles.
std::vector<double> values_of(const Image& image) {
  const Raster result = test::referenced(image);
  std::vector<double> values;
  with_type(result.format().type, [&](auto tag) {
    const auto* row = result.at<typename decltype(tag)::type>(0, 0);
    values.assign(row, row + image.width());
  });
  return values;
}

TEST(Arithmetic, ComputesInFloatUnlessAnImageIsDouble) {
  const Image bytes = row_of<std::uint8_t>({200, 3});
  const Image words = row_of<std::uint16_t>({65535, 4});
  const Image doubles = row_of<double>({0.1, 0.2});
  EXPECT_EQ((bytes + bytes).type(), PixelType::f32);
  EXPECT_EQ((bytes * words).type(), PixelType::f32);
  EXPECT_EQ((bytes - doubles).type(), PixelType::f64);
  EXPECT_EQ(values_of(bytes + bytes), (std::vector<double>{400, 6}));
  EXPECT_EQ(values_of(bytes - words), (std::vector<double>{200 - 65535, -1}));
  EXPECT_EQ(values_of(doubles + 0.1), (std::vector<double>{0.2, 0.1 + 0.2}));
  EXPECT_EQ(values_of(row_of<float>({1, 2}) * 0.1), (std::vector<double>{0.1F, 2 * 0.1F}));
  EXPECT_EQ(values_of(1.0 / bytes)[0], static_cast<double>(1.0F / 200));
  EXPECT_EQ(values_of(10.0 - bytes), (std::vector<double>{-190, 7}));
  EXPECT_EQ(values_of(bytes - 10.0), (std::vector<double>{190, -7}));
}

TEST(Arithmetic, SquareRootIsCorrectlyRounded) {
  EXPECT_EQ(values_of(sqrt(row_of<std::uint8_t>({2, 9, 0}))), (std::vector<double>{std::sqrt(2.0F), 3, 0}));
  EXPECT_EQ(values_of(sqrt(row_of<double>({2})))[0], std::sqrt(2.0));
  EXPECT_TRUE(std::isnan(values_of(sqrt(row_of<float>({-1})))[0]));
}

TEST(Extremes, KeepTheTypeOfEqualTypes) {
  const Image bytes = row_of<std::uint8_t>({200, 3});
  EXPECT_EQ(min(bytes, bytes).type(), PixelType::u8);
  EXPECT_EQ(min(bytes, row_of<std::uint16_t>({1, 2})).type(), PixelType::f32);
  EXPECT_EQ(max(bytes, row_of<double>({1, 2})).type(), PixelType::f64);
  EXPECT_EQ(values_of(min(bytes, 99.5)), (std::vector<double>{100, 3}));  // halves to the even integer
  EXPECT_EQ(values_of(max(bytes, -5)), (std::vector<double>{200, 3}));
}

TEST(Extremes, AreNanWhereEitherIs) {
  const Image a = row_of<float>({1, static_cast<float>(nan), 3});
  const Image b = row_of<float>({static_cast<float>(nan), 2, 4});
  for (const Image& result : {min(a, b), max(a, b), min(b, a), max(b, a)}) {
    EXPECT_TRUE(std::isnan(values_of(result)[0]));
    EXPECT_TRUE(std::isnan(values_of(result)[1]));
    EXPECT_FALSE(std::isnan(values_of(result)[2]));
  }
}

TEST(Threshold, IsAboveOnlyWhereTheValueIsGreater) {
  const Image image = row_of<float>({1, 2, 2.5F, static_cast<float>(nan), static_cast<float>(infinity)});
  EXPECT_EQ(values_of(threshold(image, {.level = 2, .below = 10, .above = 20})),
            (std::vector<double>{10, 10, 20, 10, 20}));
  EXPECT_EQ(values_of(threshold(row_of<std::uint8_t>({127, 128}), {.level = 127.5, .above = 400})),
            (std::vector<double>{0, 255}));
}

TEST(Abs, KeepsTheType) {
  EXPECT_EQ(values_of(abs(row_of<double>({-1.5, 2, -infinity}))), (std::vector<double>{1.5, 2, infinity}));
  EXPECT_EQ(abs(row_of<std::uint16_t>({1})).type(), PixelType::u16);
}

TEST(Convert, RoundsToTheNearestEvenAndSaturates) {
  const std::vector<double> values{0.5, 1.5, 2.5, -0.5, -3, 254.5, 255.5, 300, nan, infinity, -infinity, 0.49999999};
  const std::vector<double> wanted{0, 2, 2, 0, 0, 254, 255, 255, 0, 255, 0, 0};
  const std::vector<float> floats(values.begin(), values.end());
  EXPECT_EQ(values_of(convert(row_of(values), PixelType::u8)), wanted);
  EXPECT_EQ(values_of(convert(row_of(floats), PixelType::u8)),
            (std::vector<double>{0, 2, 2, 0, 0, 254, 255, 255, 0, 255, 0, 0}));
  EXPECT_EQ(values_of(convert(row_of<double>({65534.5, 65535.5, 1e300}), PixelType::u16)),
            (std::vector<double>{65534, 65535, 65535}));
  EXPECT_EQ(values_of(convert(row_of<std::uint16_t>({255, 256, 65535}), PixelType::u8)),
            (std::vector<double>{255, 255, 255}));
  EXPECT_EQ(values_of(convert(row_of<double>({1e300, 0.1}), PixelType::f32)),
            (std::vector<double>{infinity, static_cast<double>(0.1F)}));
}

TEST(Convert, ScalesInTheWiderOfTheTypes) {
  const Image words = row_of<std::uint16_t>({65535, 3});
  EXPECT_EQ(values_of(convert(words, PixelType::f64, {.scale = 1.0 / 65535})),
            (std::vector<double>{1, 3 * (1.0 / 65535)}));
  EXPECT_EQ(values_of(convert(words, PixelType::f32, {.scale = 0.1})), (std::vector<double>{65535 * 0.1F, 3 * 0.1F}));
  EXPECT_EQ(values_of(convert(row_of<double>({-1, 1}), PixelType::u8, {.scale = 127.5, .offset = 127.5})),
            (std::vector<double>{0, 255}));
}

TEST(Pointwise, RefusesImagesThatDoNotMatch) {
  const auto shaped = [](const Extent& extent, int channels) {
    return Image(assumed_file("absent", {extent, {PixelType::f32, channels}}));
  };
  const auto refusal = [](const Image& a, const Image& b) -> std::string {
    try {
      (void)(a + b);
    } catch (const ParameterError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(refusal(shaped({3, 4}, 1), shaped({3, 4}, 3)), HasSubstr("1 and 3 channels"));
  EXPECT_THAT(refusal(shaped({3, 4}, 1), shaped({4, 3}, 1)), HasSubstr("3x4 and 4x3"));
}

TEST(Pointwise, DescribesItsConstants) {
  const Image image = row_of<float>({1});
  const auto description = [](const Image& result) { return result.node()->op->describe(); };
  EXPECT_EQ(description(image - 2.5), "subtract(image, 2.5)");
  EXPECT_EQ(description(2.5 - image), "subtract(2.5, image)");
  EXPECT_EQ(description(convert(image, PixelType::u8, {.scale = 2})), "convert(u8, scale=2, offset=0)");
  EXPECT_EQ(description(threshold(image, {.level = 3})), "threshold(level=3, below=0, above=1)");
}

}  // namespace
}  // namespace tilewright
