#include "tilewright/core/border_fill.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tilewright/core/grid.hpp"

namespace tilewright {
namespace {

template <class T>
T value_at(std::int64_t x, std::int64_t y, int channel) {
  return static_cast<T>((x + 16 * y + 5 * channel) % 251);
}

constexpr double border_value = 42;

/// What pixel (x, y) of the infinite plane around the image holds.
template <class T>
T expected_at(const Extent& image, Border border, std::int64_t x, std::int64_t y, int channel) {
  const auto inner_x = border_index(x, image.width, border);
  const auto inner_y = border_index(y, image.height, border);
  return inner_x && inner_y ? value_at<T>(*inner_x, *inner_y, channel) : static_cast<T>(border_value);
}

/// A tile of the image whose halo holds what an exchange brings, and rubbish elsewhere. A cyclic exchange fills all of
/// the halo in the directions in which the image is cut.
template <class T>
Raster exchanged_tile(const Extent& image, const Rect& tile, const Halo& halo, PixelFormat format, Border border) {
  Raster raster(tile, halo, format);
  const bool cyclic_x = border == Border::wrap && tile.width() != image.width;
  const bool cyclic_y = border == Border::wrap && tile.height() != image.height;
  const Rect stored = raster.stored();
  for (std::int64_t y = stored.y0; y < stored.y1; ++y) {
    for (std::int64_t x = stored.x0; x < stored.x1; ++x) {
      const bool known_x = cyclic_x || (x >= 0 && x < image.width);
      const bool known_y = cyclic_y || (y >= 0 && y < image.height);
      for (int c = 0; c < format.channels; ++c) {
        raster.at<T>(x, y)[c] =
            known_x && known_y ? expected_at<T>(image, border, x, y, c) : static_cast<T>(99 + (x + y) % 7);
      }
    }
  }
  return raster;
}

template <class T>
void expect_filled(const Extent& image, const ProcessGrid& grid, const Halo& halo, Border border, int channels) {
  const PixelFormat format{pixel_type_of<T>, channels};
  for (int rank = 0; rank < grid.ranks(); ++rank) {
    Raster raster = exchanged_tile<T>(image, tile_of(image, grid, rank), halo, format, border);
    fill_border(raster.view(), image, halo, border, border_value);
    const Rect stored = raster.stored();
    for (std::int64_t y = stored.y0; y < stored.y1; ++y) {
      for (std::int64_t x = stored.x0; x < stored.x1; ++x) {
        for (int c = 0; c < channels; ++c) {
          ASSERT_EQ(raster.at<T>(x, y)[c], expected_at<T>(image, border, x, y, c))
              << to_string(image) << " as " << to_string(grid) << ", " << to_string(border) << ", rank " << rank
              << ", pixel " << x << "," << y << ", channel " << c;
        }
      }
    }
  }
}

TEST(FillBorder, GivesEveryTileThePlaneAroundTheImage) {
  for (const Border border : all_borders) {
    for (const Halo halo : {Halo{0, 0}, Halo{3, 2}, Halo{0, 3}, Halo{4, 0}}) {
      for (const int ranks : {1, 2, 3, 6}) {
        for (const ProcessGrid& grid : grids_of(ranks)) {
          const Extent image{25, 24};
          if (!why_infeasible(image, grid, halo).empty()) continue;
          expect_filled<float>(image, grid, halo, border, 1);
          expect_filled<std::uint8_t>(image, grid, halo, border, 3);
        }
      }
    }
  }
}

TEST(FillBorder, WholeImagesMayBeSmallerThanTheHalo) {
  for (const Border border : all_borders) {
    for (const Extent image : {Extent{1, 1}, Extent{1, 7}, Extent{3, 1}, Extent{2, 3}}) {
      expect_filled<double>(image, {1, 1}, {9, 8}, border, 2);
      expect_filled<std::uint16_t>(image, {1, 1}, {9, 8}, border, 4);
    }
  }
}

TEST(FillBorder, MayFillLessThanIsStored) {
  Raster raster(Rect{0, 0, 4, 3}, {3, 3}, {PixelType::f32, 1});
  const Rect stored = raster.stored();
  for (std::int64_t y = stored.y0; y < stored.y1; ++y) {
    for (std::int64_t x = stored.x0; x < stored.x1; ++x) *raster.at<float>(x, y) = -1;
  }
  fill_border(raster.view(), {4, 3}, {1, 2}, Border::constant, 7);
  const Rect filled = padded(raster.area(), {1, 2});
  for (std::int64_t y = stored.y0; y < stored.y1; ++y) {
    for (std::int64_t x = stored.x0; x < stored.x1; ++x) {
      const Rect pixel{x, y, x + 1, y + 1};
      const bool is_border = filled.contains(pixel) && !raster.area().contains(pixel);
      EXPECT_EQ(*raster.at<float>(x, y), is_border ? 7 : -1) << x << "," << y;
    }
  }
}

TEST(BorderConstant, IsRoundedAndClampedToIntegerTypes) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(border_constant(PixelType::u8, -3), 0);
  EXPECT_EQ(border_constant(PixelType::u8, 300), 255);
  EXPECT_EQ(border_constant(PixelType::u8, 99.6), 100);
  EXPECT_EQ(border_constant(PixelType::u8, nan), 0);
  EXPECT_EQ(border_constant(PixelType::u16, infinity), 65535);
  EXPECT_EQ(border_constant(PixelType::u16, -infinity), 0);
  EXPECT_EQ(border_constant(PixelType::f32, 0.1), static_cast<double>(0.1F));
  EXPECT_EQ(border_constant(PixelType::f64, 0.1), 0.1);
  EXPECT_TRUE(std::isnan(border_constant(PixelType::f32, nan)));
}

}  // namespace
}  // namespace tilewright
