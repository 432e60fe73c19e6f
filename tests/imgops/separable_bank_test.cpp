// Results of several filters that are stored past the caches, bit for bit as those that stay in them.
#include "../../imgops/separable_bank.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "test_images.hpp"
#include "tilewright/imgops/gaussian.hpp"
#include "tilewright/imgops/simd.hpp"

namespace tilewright {
namespace {

/// Into images that store more columns than are computed: their rows all begin at lines of the cache.
class Images final : public PieceSink {
 public:
  Images(std::size_t count, const Extent& extent) {
    const std::int64_t width = (extent.width + 15) / 16 * 16;
    for (std::size_t i = 0; i < count; ++i) images_.push_back(test::random_raster({width, extent.height}, {}, 2));
    for (Raster& image : images_) views_.push_back(image.view());
  }

  [[nodiscard]] std::span<const MutableView> targets(const Rect& /*piece*/) override { return views_; }
  void done(const Rect& /*piece*/) override {}
  [[nodiscard]] const Raster& operator[](std::size_t index) const { return images_[index]; }

 private:
  std::vector<Raster> images_;
  std::vector<MutableView> views_;
};

Correlation derivative(double sigma, int order) {
  return {gaussian_kernel(sigma, order), -gaussian_radius(sigma, order)};
}

/// In one order and in the other: which kernels go down the columns together depends on what is there.
std::vector<SeparableKernels> derivatives(double sigma, bool reversed) {
  std::vector<SeparableKernels> filters;
  for (const auto& [x, y] : {std::pair{1, 0}, {0, 1}, {2, 0}, {1, 1}, {0, 2}, {0, 0}, {1, 2}}) {
    filters.push_back({derivative(sigma, x), derivative(sigma, y)});
  }
  if (reversed) std::reverse(filters.begin(), filters.end());
  return filters;
}

void expect_streamed_same(const std::vector<SeparableKernels>& filters, const Extent& extent) {
  const Raster pixels = test::random_raster(extent, {}, 1);
  const Rect area{0, 0, extent.width, extent.height};
  Images cached(filters.size(), extent);
  Images streamed(filters.size(), extent);
  SeparableBank<float> bank(filters, {}, 1, extent.width);
  bank.run(pixels.view(), area, cached, Storing::cached);
  bank.run(pixels.view(), area, streamed, Storing::streamed);
  for (std::size_t i = 0; i < filters.size(); ++i) {
    EXPECT_TRUE(same_pixels(cached[i].view(), streamed[i].view()))
        << i << " of " << extent.width << "x" << extent.height << " at " << to_string(current_simd_level());
  }
}

/// Whole blocks and pieces, and what is left of them, down to less than a vector.
TEST(SeparableBank, StreamsWhatItWouldStore) {
  for (const SimdLevel level : all_simd_levels) {
    if (level > best_simd_level()) continue;
    select_simd_level(level);
    for (const Extent& extent : {Extent{128, 32}, {83, 40}, {64, 16}, {72, 21}, {30, 24}, {3, 17}, {5000, 20}}) {
      for (const double sigma : {0.5, 1.0, 3.0}) {
        expect_streamed_same(derivatives(sigma, false), extent);
        expect_streamed_same(derivatives(sigma, true), extent);
      }
    }
  }
  select_simd_level(best_simd_level());
}

/// The results of one filter on an image, or on the middle of one that is stored with its border.
Images filtered(const SeparableKernels& filter, const BorderRule& rule, const Raster& pixels, const Rect& area) {
  Images results(1, {area.x1, area.y1});
  SeparableBank<float> bank({&filter, 1}, rule, 1, area.width());
  bank.run(pixels.view(), area, results, Storing::cached);
  return results;
}

/// Rows beyond the edges are not convolved again, however often they come.
TEST(SeparableBank, ConvolvesAnImageThatIsSmallerThanTheKernelAsIfItsBorderWereStored) {
  const Extent extent{21, 13};
  const SeparableKernels filter{derivative(60, 1), derivative(60, 0)};
  const std::int64_t reach = std::max(filter.x.reach(), filter.y.reach());
  const Raster pixels = test::random_raster(extent, {}, 4);
  for (const Border border : all_borders) {
    const BorderRule rule{border, 0.75};
    Raster wide(Rect{0, 0, extent.width + 2 * reach, extent.height + 2 * reach}, {}, {});
    for (std::int64_t y = 0; y < wide.area().height(); ++y) {
      for (std::int64_t x = 0; x < wide.area().width(); ++x) {
        const auto from_x = border_index(x - reach, extent.width, border);
        const auto from_y = border_index(y - reach, extent.height, border);
        *wide.at<float>(x, y) = from_x && from_y ? *pixels.view().at<float>(*from_x, *from_y) : 0.75F;
      }
    }
    const Images small = filtered(filter, rule, pixels, {0, 0, extent.width, extent.height});
    const Images large = filtered(filter, rule, wide, {reach, reach, reach + extent.width, reach + extent.height});
    for (std::int64_t y = 0; y < extent.height; ++y) {
      for (std::int64_t x = 0; x < extent.width; ++x) {
        ASSERT_EQ(*small[0].view().at<float>(x, y), *large[0].view().at<float>(reach + x, reach + y))
            << to_string(border) << " at " << x << ", " << y;
      }
    }
  }
}

/// In seconds: with every row beyond the edges convolved again it would take many minutes.
TEST(SeparableBank, EndsWithTheLargestKernels) {
  const Extent extent{24, 18};
  Raster pixels(Rect{0, 0, extent.width, extent.height}, {}, {});
  for (std::int64_t y = 0; y < extent.height; ++y) std::fill_n(pixels.at<float>(0, y), extent.width, 5.0F);
  const SeparableKernels smoothing{derivative(20000, 0), derivative(20000, 0)};
  const Images smoothed = filtered(smoothing, {}, pixels, {0, 0, extent.width, extent.height});
  EXPECT_NEAR(*smoothed[0].view().at<float>(7, 9), 5, 0.01);
}

}  // namespace
}  // namespace tilewright
