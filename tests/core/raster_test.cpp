#include "tilewright/core/raster.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace tilewright {
namespace {

constexpr PixelFormat f32{PixelType::f32, 1};

/// Every stored value tells where it is.
Raster numbered(const Rect& area, const Halo& halo, int channels = 1) {
  Raster raster(area, halo, {PixelType::f32, channels});
  const Rect stored = raster.stored();
  for (std::int64_t y = stored.y0; y < stored.y1; ++y) {
    for (std::int64_t x = stored.x0; x < stored.x1; ++x) {
      for (int c = 0; c < channels; ++c) raster.at<float>(x, y)[c] = static_cast<float>(1000 * y + 10 * x + c);
    }
  }
  return raster;
}

TEST(Raster, StoresItsAreaAndHaloWithoutGaps) {
  const Raster raster(Rect{10, 20, 15, 23}, {2, 1}, {PixelType::u16, 3});
  EXPECT_EQ(raster.stored(), (Rect{8, 19, 17, 24}));
  EXPECT_EQ(raster.bytes(), 9 * 5 * 6);
  EXPECT_EQ(raster.shape(), (ImageShape{{5, 3}, {PixelType::u16, 3}}));
  EXPECT_EQ(raster.view().pitch(), 27);
  EXPECT_EQ(raster.at<std::uint16_t>(9, 19), raster.at<std::uint16_t>(8, 19) + 3);
  EXPECT_EQ(raster.at<std::uint16_t>(8, 20), raster.at<std::uint16_t>(8, 19) + 27);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(raster.at<std::uint16_t>(8, 19)) % 64, 0U);
}

/// A row that lies a few bytes beyond a multiple of a page from the one above makes stores look like those that are
/// read.
TEST(Raster, HasGapsWhereRowsWouldBeMistakenForEachOther) {
  const auto pitch = [](std::int64_t width, std::int64_t halo) {
    return Raster({0, 0, width, 8}, {halo, 1}, {PixelType::f32, 1}).view().row_bytes();
  };
  EXPECT_EQ(pitch(1024, 1), 64 + 4096 + 64);
  EXPECT_EQ(pitch(2048, 7), 64 + 8192 + 64);
  EXPECT_EQ(pitch(1022, 1), 4096) << "just as long as a page";
  EXPECT_EQ(pitch(1024, 8), 4096 + 64) << "a cache line apart";
  EXPECT_EQ(pitch(1024, 0), 4096);
  EXPECT_EQ(pitch(1000, 4), 4032);
  EXPECT_EQ(pitch(8, 1), 40) << "a short row";
  const Raster raster({0, 0, 1024, 8}, {1, 1}, {PixelType::f32, 1});
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(raster.at<float>(0, 3)) % 64, 0U);
}

TEST(Raster, MayBeEmpty) {
  EXPECT_TRUE(Raster().empty());
  const Raster none(Rect{5, 5, 5, 9}, {}, f32);
  EXPECT_FALSE(none.empty());  // it has been made
  EXPECT_EQ(none.bytes(), 0);
  EXPECT_TRUE(none.view().area().empty());
}

TEST(Raster, MovesAndIsCopiedOnlyWhenAsked) {
  static_assert(!std::is_copy_constructible_v<Raster>);
  Raster first = numbered({0, 0, 4, 3}, {1, 1});
  const float* pixels = first.at<float>(0, 0);
  const Raster second = std::move(first);
  EXPECT_EQ(second.at<float>(0, 0), pixels);
  const Raster copy = second.copy({2, 3});
  EXPECT_EQ(copy.halo(), (Halo{2, 3}));
  EXPECT_TRUE(same_pixels(copy.view(), second.view()));
}

TEST(View, CanBeNarrowedToWhatIsStored) {
  const Raster raster = numbered({0, 0, 6, 5}, {1, 1});
  const ConstView band = raster.view().restricted({0, 2, 6, 4});
  EXPECT_EQ(band.area(), (Rect{0, 2, 6, 4}));
  EXPECT_EQ(band.stored(), raster.stored());
  EXPECT_EQ(*band.at<float>(3, 2), 2030);
}

TEST(CopyPixels, TakesTheAreaAndNothingElse) {
  const Raster source = numbered({0, 0, 8, 6}, {}, 3);
  for (const Rect area : {Rect{2, 1, 5, 4}, Rect{0, 2, 8, 5}, Rect{0, 0, 8, 6}, Rect{3, 3, 3, 3}}) {
    for (const Halo halo : {Halo{}, Halo{2, 1}}) {
      Raster target(Rect{0, 0, 8, 6}, halo, source.format());
      const Rect stored = target.stored();
      for (std::int64_t y = stored.y0; y < stored.y1; ++y) {
        for (std::int64_t x = stored.x0; x < stored.x1; ++x) {
          for (int c = 0; c < 3; ++c) target.at<float>(x, y)[c] = -1;
        }
      }
      copy_pixels(source.view(), target.view(), area);
      for (std::int64_t y = stored.y0; y < stored.y1; ++y) {
        for (std::int64_t x = stored.x0; x < stored.x1; ++x) {
          const bool copied = area.contains({x, y, x + 1, y + 1});
          for (int c = 0; c < 3; ++c) {
            ASSERT_EQ(target.at<float>(x, y)[c], copied ? source.at<float>(x, y)[c] : -1) << x << "," << y;
          }
        }
      }
    }
  }
}

TEST(SamePixels, IgnoresHalosAndPitch) {
  const Raster a = numbered({2, 3, 9, 8}, {});
  Raster b = numbered({2, 3, 9, 8}, {3, 2});
  EXPECT_TRUE(same_pixels(a.view(), b.view()));
  *b.at<float>(1, 3) = -5;  // in the halo
  EXPECT_TRUE(same_pixels(a.view(), b.view()));
  *b.at<float>(8, 7) = -5;  // the last pixel
  EXPECT_FALSE(same_pixels(a.view(), b.view()));
}

TEST(SamePixels, AsksForEqualAreasAndFormats) {
  const Raster a = numbered({0, 0, 4, 4}, {});
  EXPECT_FALSE(same_pixels(a.view(), numbered({0, 0, 4, 5}, {}).view()));
  EXPECT_FALSE(same_pixels(a.view(), numbered({1, 0, 5, 4}, {}).view()));
  EXPECT_FALSE(same_pixels(a.view(), numbered({0, 0, 4, 4}, {}, 2).view()));
}

TEST(SamePixels, ComparesBitsButTakesAnyNanForAnother) {
  Raster a = numbered({0, 0, 2, 1}, {});
  Raster b = numbered({0, 0, 2, 1}, {});
  *a.at<float>(1, 0) = std::numeric_limits<float>::quiet_NaN();
  *b.at<float>(1, 0) = -std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(same_pixels(a.view(), b.view()));
  *b.at<float>(1, 0) = 1;
  EXPECT_FALSE(same_pixels(a.view(), b.view()));
  *a.at<float>(1, 0) = 0.0F;
  *b.at<float>(1, 0) = -0.0F;
  EXPECT_FALSE(same_pixels(a.view(), b.view()));
}

TEST(SamePixels, ComparesEveryChannel) {
  const Raster a = numbered({0, 0, 3, 3}, {}, 4);
  Raster b = numbered({0, 0, 3, 3}, {}, 4);
  EXPECT_TRUE(same_pixels(a.view(), b.view()));
  b.at<float>(2, 2)[3] += 1;
  EXPECT_FALSE(same_pixels(a.view(), b.view()));
}

}  // namespace
}  // namespace tilewright
