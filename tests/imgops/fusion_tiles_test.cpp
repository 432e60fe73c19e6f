// Fused pipelines, bit for bit as the references of what was recorded, however cut.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <random>

#include "pipeline_tiles.hpp"
#include "tilewright/imgops/arithmetic.hpp"
#include "tilewright/imgops/convolution.hpp"
#include "tilewright/imgops/gaussian.hpp"

namespace tilewright {
namespace {

class FusedTiles : public testing::TestWithParam<PixelType> {};

constexpr double border_value = -2.6;  // not representable in integer types

/// Smaller than the kernels, thin, with rows that all begin where vectors do (which may be stored past the caches),
/// also with a remainder, and with rows that do not.
const std::vector<Extent> extents{{1, 1}, {1, 13}, {17, 1}, {7, 5}, {64, 9}, {70, 1}, {83, 6}};

Image derivative(const Image& image, double sigma, int order_x, int order_y, Border border) {
  return gaussian_derivative(
      image, {.sigma = sigma, .order_x = order_x, .order_y = order_y, .border = border, .border_value = border_value});
}

/// Two scales together: more row kernels of either parity than share a pass, and of different lengths.
std::vector<Image> jets(const Image& image, Border border) {
  std::vector<Image> results;
  for (const double sigma : {1.0, 2.0}) {
    for (const auto& [order_x, order_y] : {std::pair{0, 0}, {1, 0}, {0, 1}, {2, 0}, {1, 1}, {0, 2}, {3, 0}}) {
      results.push_back(derivative(image, sigma, order_x, order_y, border));
    }
  }
  return results;
}

/// With and without symmetry, of odd and even size, of one value, with a row kernel in common.
std::vector<Image> mixed_kernels(const Image& image, Border border) {
  const ConvolveOptions options{border, border_value};
  return {convolve_separable(image, {1, 2}, {0.5, -1, 3, 7}, options),
          convolve_separable(image, {1, -1}, {1, 1, 1, 1}, options),
          convolve_separable(image, {1, -1}, {1, -2, 1}, options),
          convolve_separable(image, {0.1, 0.3, 0.3, 0.1}, {1, 0, -1}, options),
          convolve_separable(image, {1, 0, -1}, {3}, options),
          convolve_separable(image, {2}, {0.2, 0.7, 0.1}, options),
          convolve_separable(image, {-1, 0.5, 4}, {1, 1}, options)};
}

/// A kernel of that size that reads its own way around its pixel.
Kernel kernel_of(int width, int height, int anchor_x, int anchor_y) {
  Kernel kernel{width, height, {}, anchor_x, anchor_y};
  for (int i = 0; i < width * height; ++i) kernel.values.push_back(0.25 * ((7 * i) % 11) - 1);
  return kernel;
}

/// Kernels that are not separable, that reach farther than others to each side, and what is made of them.
std::vector<Image> kernels(const Image& image, Border border) {
  const ConvolveOptions options{border, border_value};
  const Image wide = convolve(image, kernel_of(5, 2, 4, 0), options);
  const Image tall = convolve(image, kernel_of(2, 5, 0, 4), options);
  const Image square = convolve(image, kernel_of(3, 3, 1, 1), options);
  const Image beside = convolve(image, kernel_of(2, 2, 1, 1), options);
  return {max(max(wide, tall), square), beside, convert(beside * 2.0 - image, PixelType::u8)};
}

Image magnitude(const Image& image, Border border) {
  const Image lx = derivative(image, 1.2, 1, 0, border);
  const Image ly = derivative(image, 1.2, 0, 1, border);
  return sqrt(lx * lx + ly * ly);
}

std::vector<Image> edges(const Image& image, Border border) {
  return {convert(threshold(magnitude(image, border), {.level = 5, .above = 400}), PixelType::u8)};
}

/// Values of every size after each other, so that what is handed on takes more room, then less; most of it saturates.
std::vector<Image> conversions(const Image& image) {
  const Image bytes = convert(image, PixelType::u8, {.scale = 1.7, .offset = -40});
  const Image doubles = convert(bytes * 1.5, PixelType::f64, {.scale = 0.1});
  const Image words = convert(doubles, PixelType::u16, {.scale = 10000.7, .offset = -5000});
  return {convert(sqrt(words) * 1.1, PixelType::u8), threshold(min(words, 60000.5), {.level = 999, .above = 7})};
}

/// Images that are asked for and go on being read, and a second filter beside what it filters.
std::vector<Image> details(const Image& image, Border border) {
  const Image smooth = derivative(image, 1, 0, 0, border);
  const Image lx = derivative(image, 1, 1, 0, border);
  const Image detail = image - smooth;
  return {lx, lx * 2.0, detail, max(detail, lx), abs(detail - derivative(detail, 1, 0, 1, border)), smooth};
}

/// The same of kernels so tall that results in several rows are computed together, of one size and of several.
std::vector<Image> tall_kernels(const Image& image, Border border) {
  const ConvolveOptions options{border, border_value};
  const Image skewed = convolve(image, kernel_of(3, 7, 2, 0), options);
  const Image column = convolve(image, kernel_of(1, 6, 0, 5), options);
  return {max(skewed, column), convolve(image, kernel_of(5, 8, 0, 3), options)};
}

std::vector<std::vector<Image>> pipelines_of(const Image& image, Border border) {
  return {jets(image, border),  mixed_kernels(image, border), kernels(image, border), tall_kernels(image, border),
          edges(image, border), conversions(image),           details(image, border)};
}

void expect_all_same(const Raster& pixels, Border border) {
  for (const std::vector<Image>& images : pipelines_of(test::image_of(pixels), border)) {
    test::expect_same_as_recorded(images);
  }
}

TEST_P(FusedTiles, EqualTheReferences) {
  unsigned seed = 1;
  for (const Extent& extent : extents) {
    const int channels = 1 + static_cast<int>(seed % 3);
    const Border border = all_borders[seed % std::size(all_borders)];
    expect_all_same(test::random_raster(extent, {GetParam(), channels}, seed++), border);
  }
}

TEST_P(FusedTiles, EqualTheReferencesWithEveryBorder) {
  const Raster pixels = test::random_raster({7, 5}, {GetParam(), 1}, 9);
  for (const Border border : all_borders) expect_all_same(pixels, border);
}

TEST_P(FusedTiles, EqualTheReferencesInEveryNumberOfChannels) {
  for (int channels = 1; channels <= max_channels; ++channels) {
    const Image image = test::image_of(test::random_raster({37, 11}, {GetParam(), channels}, 77));
    test::expect_same_as_recorded(mixed_kernels(image, Border::reflect101));
    test::expect_same_as_recorded(edges(image, Border::reflect101));
    test::expect_same_as_recorded(conversions(image));
  }
}

/// All results go past the caches, though one is made of another.
TEST_P(FusedTiles, EqualTheReferencesWhereNothingIsTemporary) {
  const Image image = test::image_of(test::random_raster({64, 9}, {GetParam(), 1}, 4));
  const Image lx = derivative(image, 1, 1, 0, Border::reflect101);
  test::expect_same_as_recorded({lx, lx * 2.0});
}

/// Rows of nine taps, the shortest even or odd one of which may have seven: each number of either parity that shares a
/// pass, on rows without, with less than and with more than a pair of vectors.
TEST_P(FusedTiles, EqualTheReferencesOfNineTapsTogether) {
  const std::vector<std::vector<double>> even{gaussian_kernel(1, 2), std::vector<double>(9, 0.3)};
  const std::vector<std::vector<double>> odd{gaussian_kernel(1, 1), {1, 0, 2, 5, 0, -5, -2, 0, -1}};
  const std::vector<std::vector<double>> short_ones{{}, {1, 2, 3, 5, 3, 2, 1}, {1, 2, 3, 0, -3, -2, -1}};
  for (const std::int64_t width : {5, 8, 13, 19, 64, 83}) {
    const Image image = test::image_of(test::random_raster({width, 5}, {GetParam(), 1}, 12));
    for (const std::vector<double>& short_one : short_ones) {
      for (std::size_t evens = 0; evens <= even.size(); ++evens) {
        for (std::size_t odds = 0; odds <= odd.size(); ++odds) {
          std::vector<Image> images;
          if (!short_one.empty()) images.push_back(convolve_separable(image, short_one, {1, 2}));
          for (std::size_t i = 0; i < evens; ++i) images.push_back(convolve_separable(image, even[i], {1, 2}));
          for (std::size_t i = 0; i < odds; ++i) images.push_back(convolve_separable(image, odd[i], {1, 2}));
          if (!images.empty()) test::expect_same_as_recorded(images);
        }
      }
    }
  }
}

/// Long columns leave room in the cache for short strips of rows only.
TEST_P(FusedTiles, EqualTheReferencesWhereRowsAreCutIntoStrips) {
  const Image image = test::image_of(test::random_raster({400, 6}, {GetParam(), 2}, 5));
  const std::vector<double> high = gaussian_kernel(9, 0, 5);
  const Image lx = convolve_separable(image, {1, 0, -1}, high);
  const Image lxx = convolve_separable(image, {1, -2, 1}, high);
  test::expect_same_as_recorded({lx * lx + lxx, convolve_separable(image, {3, 1, 2}, high)});
}

/// So many results that a piece of each has less than a row.
TEST_P(FusedTiles, EqualTheReferencesWhereRowsOfKernelsAreCutIntoStrips) {
  const Image image = test::image_of(test::random_raster({1311, 4}, {GetParam(), 2}, 8));
  Image strongest = convolve(image, kernel_of(2, 2, 0, 0));
  for (int i = 1; i < 40; ++i) {
    strongest = max(strongest, convolve(image, kernel_of(1 + i % 4, 1 + i / 4 % 4, i % 2 == 0 ? 0 : i % 4, 0)));
  }
  test::expect_same_as_recorded({strongest});
}

/// Rows longer than a piece, and more of them than go into one.
TEST_P(FusedTiles, EqualTheReferencesWherePassesWithoutFiltersAreCutIntoPieces) {
  const Image wide = test::image_of(test::random_raster({2311, 6}, {GetParam(), 2}, 6));
  test::expect_same_as_recorded(conversions(wide));
}

TEST_P(FusedTiles, EqualTheReferencesOfTwoImages) {
  const Image a = test::image_of(test::random_raster({37, 11}, {GetParam(), 3}, 7), "a");
  const Image b = test::image_of(test::random_raster({37, 11}, {PixelType::f32, 3}, 8), "b");
  const Image sharp = b - (a - derivative(a, 1, 0, 0, Border::reflect)) * 0.5;
  const Image mixed = max(b * 0.25, abs(a * 0.5));
  test::expect_same_as_recorded({sharp, derivative(b, 1, 0, 1, Border::wrap), mixed * sharp, mixed});
}

/// Operators of images that earlier ones have made, as chance has it.
class RandomPipeline {
 public:
  RandomPipeline(std::vector<Image> sources, unsigned seed) : images_(std::move(sources)), random_(seed) {}

  std::vector<Image> results(int operators, int wishes) {
    for (int i = 0; i < operators; ++i) images_.push_back(next());
    std::vector<Image> results{images_.back()};
    for (int i = 1; i < wishes; ++i) results.push_back(any());
    return results;
  }

 private:
  int below(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(random_); }
  /// A young one, mostly.
  Image any() {
    const int age = below(3) == 0 ? below(static_cast<int>(images_.size())) : below(3);
    return images_[images_.size() - 1 - static_cast<std::size_t>(std::min(age, static_cast<int>(images_.size()) - 1))];
  }

  Image next() {
    switch (below(10)) {
      case 0:
        return derivative(any(), 1, below(2), below(2), Border::reflect101);
      case 1:
        return derivative(any(), 1, below(2), below(2), below(2) == 0 ? Border::wrap : Border::reflect101);
      case 2:
        return any() * 0.75;
      case 3:
        return abs(any());
      case 4:
        return convert(any(), PixelType::f32, {.scale = 0.5});
      case 5:
        return max(any(), any());
      case 6:
        return any() - any();
      case 7:
        return convolve(any(), kernel_of(2, 3, below(2), below(3)), {.border = Border::reflect101});
      default:
        return any() + any();
    }
  }

  std::vector<Image> images_;
  std::mt19937 random_;
};

TEST_P(FusedTiles, EqualTheReferencesOfRandomPipelines) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    std::vector<Image> sources;
    for (unsigned i = 0; i < 1 + seed % 3; ++i) {
      const PixelType type = i == 1 ? PixelType::f32 : GetParam();
      sources.push_back(test::image_of(test::random_raster({19, 11}, {type, 1}, seed + i), fmt::format("image{}", i)));
    }
    const auto size = static_cast<int>(seed);
    test::expect_same_as_recorded(RandomPipeline(sources, seed).results(3 + size % 14, 1 + size % 4));
  }
}

INSTANTIATE_TEST_SUITE_P(Types, FusedTiles, testing::ValuesIn(all_pixel_types),
                         [](const auto& type) { return std::string(to_string(type.param)); });

/// Random pixels and, apart from each other, the values at which operations go wrong.
template <class T>
Raster pixels_with_special_values() {
  using Limits = std::numeric_limits<T>;
  Raster pixels = test::random_raster({43, 13}, {pixel_type_of<T>, 1}, 3);
  std::int64_t x = 2;
  for (const T value : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), T{-0.0}, Limits::denorm_min(),
                        Limits::max(), Limits::lowest()}) {
    *pixels.template at<T>(x, (3 * x) % 13) = value;
    x += 6;
  }
  return pixels;
}

/// A program's own operators: the sum of the channels, and an image times one of one channel.
class OfChannels : public Operator {
 public:
  [[nodiscard]] std::vector<Work> work(std::span<const ImageShape> /*inputs*/, const Extent& /*tile*/) const override {
    return {};
  }
  void compute(std::span<const ConstView> inputs, const MutableView& output,
               const ComputeContext& /*context*/) const override {
    reference(inputs, output);
  }
  void reference(std::span<const ConstView> inputs, const MutableView& output) const override {
    const Rect area = output.area();
    for (std::int64_t y = area.y0; y < area.y1; ++y) {
      for (std::int64_t x = area.x0; x < area.x1; ++x) make(inputs, output, x, y);
    }
  }

 private:
  virtual void make(std::span<const ConstView> inputs, const MutableView& output, std::int64_t x,
                    std::int64_t y) const = 0;
};

class SumOfChannels final : public OfChannels {
 public:
  [[nodiscard]] std::string describe() const override { return "sum_of_channels"; }
  [[nodiscard]] ImageShape shape(std::span<const ImageShape> inputs) const override {
    return {inputs.front().extent, {PixelType::f32, 1}};
  }

 private:
  void make(std::span<const ConstView> inputs, const MutableView& output, std::int64_t x,
            std::int64_t y) const override {
    const float* const pixel = inputs.front().at<float>(x, y);
    *output.at<float>(x, y) = std::accumulate(pixel, pixel + inputs.front().format().channels, 0.0F);
  }
};

class TimesOneChannel final : public OfChannels {
 public:
  [[nodiscard]] std::string describe() const override { return "times_one_channel"; }
  [[nodiscard]] ImageShape shape(std::span<const ImageShape> inputs) const override { return inputs.front(); }

 private:
  void make(std::span<const ConstView> inputs, const MutableView& output, std::int64_t x,
            std::int64_t y) const override {
    for (int c = 0; c < output.format().channels; ++c)
      output.at<float>(x, y)[c] = inputs.front().at<float>(x, y)[c] * *inputs.back().at<float>(x, y);
  }
};

TEST(FusedPixels, EqualTheReferencesWhereChannelsBecomeFewer) {
  const Image colours = test::image_of(test::random_raster({37, 11}, {PixelType::f32, 3}, 5));
  const Image luminance = apply(std::make_shared<SumOfChannels>(), {colours});
  const Image gain = sqrt(luminance);
  const Image scaled = colours / 255.0;
  test::expect_same_as_recorded({apply(std::make_shared<TimesOneChannel>(), {scaled, gain})});
  test::expect_same_as_recorded({apply(std::make_shared<TimesOneChannel>(), {scaled, gain}), gain, scaled});
}

TEST(FusedPixels, SpreadNanAndInfinityAsTheReferencesDo) {
  expect_all_same(pixels_with_special_values<float>(), Border::replicate);
  expect_all_same(pixels_with_special_values<double>(), Border::reflect101);
}

}  // namespace
}  // namespace tilewright
