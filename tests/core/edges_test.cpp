#include "tilewright/core/edges.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace tilewright {
namespace {

TEST(Edges, CoverTheImageOnce) {
  for (const Extent& image : {Extent{1, 1}, {5, 3}, {20, 11}, {3, 40}, {200, 30}}) {
    for (const Halo& halo : {Halo{0, 0}, {2, 0}, {0, 3}, {4, 1}, {30, 30}}) {
      const Edges edges = edges_of(image, halo);
      std::vector<Rect> parts = edges.strips;
      for (const Rect& strip : edges.strips) EXPECT_FALSE(strip.empty());
      if (!edges.middle.empty()) parts.push_back(edges.middle);
      std::set<std::pair<std::int64_t, std::int64_t>> seen;
      std::int64_t pixels = 0;
      for (const Rect& part : parts) {
        EXPECT_TRUE(rect_of(image).contains(part)) << to_string(part);
        pixels += part.pixels();
        for (std::int64_t y = part.y0; y < part.y1; ++y) {
          for (std::int64_t x = part.x0; x < part.x1; ++x) seen.insert({x, y});
        }
      }
      EXPECT_EQ(pixels, image.pixels());
      EXPECT_EQ(static_cast<std::int64_t>(seen.size()), image.pixels());
      const bool inside = edges.middle.empty() || rect_of(image).contains(padded(edges.middle, halo));
      EXPECT_TRUE(inside) << to_string(edges.middle);
    }
  }
}

TEST(Edges, OfATileAreWhereItHasNeighbours) {
  const Extent image{300, 90};
  const Halo halo{3, 5};
  EXPECT_EQ(edges_of_tile({0, 30, 300, 60}, {0, 30, 300, 60}, halo, image).middle, (Rect{0, 35, 300, 55}));
  EXPECT_EQ(edges_of_tile({0, 0, 300, 30}, {0, 0, 300, 30}, halo, image).middle, (Rect{0, 0, 300, 25}));
  EXPECT_EQ(edges_of_tile({100, 0, 200, 90}, {100, 0, 200, 90}, halo, image).middle, (Rect{164, 0, 197, 90}))
      << "rows that can be aligned";
  EXPECT_TRUE(edges_of_tile({0, 30, 300, 39}, {0, 30, 300, 39}, halo, image).middle.empty());
  const Rect grown_tile{0, 28, 300, 62};
  const Edges edges = edges_of_tile({0, 30, 300, 60}, grown_tile, halo, image);
  EXPECT_EQ(edges.middle, (Rect{0, 35, 300, 55}));
  EXPECT_EQ(edges.strips, (std::vector<Rect>{{0, 28, 300, 35}, {0, 55, 300, 62}}));
}

TEST(Edges, LeaveAMiddleWhoseRowsCanBeAligned) {
  EXPECT_EQ(edges_of({200, 30}, {3, 2}).middle, (Rect{64, 2, 197, 28}));
  EXPECT_EQ(edges_of({190, 30}, {65, 2}).middle, (Rect{65, 2, 125, 28})) << "128 columns would leave no more";
  EXPECT_EQ(edges_of({200, 30}, {0, 2}).middle, (Rect{0, 2, 200, 28}));
}

TEST(Edges, AreCutOfLargeInputsOnly) {
  const Extent side{cut_from_bytes / 1024, 1024};
  const ImageShape large{side, {PixelType::u8, 1}};
  const ImageShape small{{side.width - 1, 1024}, {PixelType::u8, 1}};
  EXPECT_EQ(edges_of(std::vector{large}, {1, 2}).strips.size(), 4U);
  const Edges whole = edges_of(std::vector{small, small}, {1, 2});
  EXPECT_TRUE(whole.middle.empty());
  EXPECT_EQ(whole.strips, std::vector{rect_of(small.extent)});
  const ImageShape wide{small.extent, {PixelType::f64, 1}};
  EXPECT_EQ(edges_of(std::vector{small, wide}, {1, 2}).strips.size(), 4U) << "one of them is large";
}

}  // namespace
}  // namespace tilewright
