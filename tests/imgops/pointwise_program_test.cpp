// Pointwise operators that run as one program: random expressions, bit for bit as the references of their operators.
#include <random>

#include "pipeline_tiles.hpp"
#include "tilewright/imgops/arithmetic.hpp"

namespace tilewright {
namespace {

/// An operator on images drawn from those that there are, the later ones more often: chains, and values read long after
/// they were made, once, twice by one operator, or by several.
Image random_operator(const std::vector<Image>& images, std::mt19937& random) {
  const auto draw = [&]() -> const Image& {
    const std::size_t recent = images.size() - std::min<std::size_t>(images.size(), 2);
    return random() % 2 == 0 ? images[recent + random() % (images.size() - recent)] : images[random() % images.size()];
  };
  const Image& a = draw();
  const Image& b = draw();
  const double constant = static_cast<double>(random() % 64) / 8 - 4;
  switch (random() % 19) {
    case 0:
      return a + b;
    case 1:
      return a - b;
    case 2:
      return a * b;
    case 3:
      return a / b;
    case 4:
      return min(a, b);
    case 5:
      return max(a, b);
    case 6:
      return a * constant;
    case 7:
      return constant - a;
    case 8:
      return constant / a;
    case 9:
      return a / constant;
    case 10:
      return sqrt(a);
    case 11:
      return abs(a);
    case 12:
      return a + constant;
    case 13:
      return a - constant;
    case 14:
      return threshold(a, {.level = constant, .below = -1.5, .above = constant});
    case 15:
      return a + b * constant;
    case 16:
      return a * constant - b;
    case 17:
      return a - constant * b;
    default:
      return max(a, constant);
  }
}

/// The last image and some of those before.
std::vector<Image> random_expressions(std::vector<Image> images, std::size_t operators, std::mt19937& random) {
  std::vector<Image> wanted;
  for (std::size_t i = 0; i < operators; ++i) {
    images.push_back(random_operator(images, random));
    if (random() % 6 == 0) wanted.push_back(images.back());
  }
  wanted.push_back(images.back());
  return wanted;
}

TEST(PointwiseProgram, RandomExpressionsAreComputedAsOneByOne) {
  std::mt19937 random(7);
  const std::vector<Extent> extents{{1, 1}, {5, 3}, {40, 7}, {129, 4}, {300, 2}};
  for (int turn = 0; turn < 120; ++turn) {
    SCOPED_TRACE(turn);
    const Extent& extent = extents[random() % extents.size()];
    const int channels = 1 + static_cast<int>(random() % 3);
    std::vector<Image> inputs;
    for (int i = 0; i < 1 + turn % 3; ++i) {
      const PixelType type = all_pixel_types[random() % std::size(all_pixel_types)];
      const auto seed = static_cast<unsigned>(random());
      inputs.push_back(test::image_of(test::random_raster(extent, {type, channels}, seed), std::to_string(i)));
    }
    test::expect_same_as_recorded(random_expressions(inputs, 1 + random() % 24, random));
    if (HasFailure()) return;
  }
}

/// So large that results are stored past the caches.
TEST(PointwiseProgram, LargeImagesAreStoredWhole) {
  const ImageShape shape{{2112, 2003}, {}};
  const Image image = test::image_of(test::random_raster(shape.extent, shape.format, 3));
  const Image scaled = image * 1.5 + 2.0;
  const Pipeline all = test::recorded({scaled, max(sqrt(abs(scaled)), image)});
  const Pipeline fewer = fused(all);
  const std::vector<Raster> wanted = test::reference_images(all);
  for (const int threads : {1, 2}) {
    const std::vector<Raster> found = test::computed_images(fewer, {{1, 1}, test::Outside::border_index, threads});
    for (std::size_t i = 0; i < all.outputs.size(); ++i) {
      EXPECT_TRUE(same_pixels(wanted[static_cast<std::size_t>(all.outputs[i].image)].view(),
                              found[static_cast<std::size_t>(fewer.outputs[i].image)].view()));
    }
  }
}

}  // namespace
}  // namespace tilewright
