#include "tilewright/core/edges.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace tilewright {
namespace {

TEST(Edges, CoverTheImageOnce) {
  for (const Extent& image : {Extent{1, 1}, {5, 3}, {20, 11}, {3, 40}}) {
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

TEST(Edges, CountPixelsWithTheHaloAroundThem) {
  const Edges edges = edges_of({10, 8}, {1, 2});
  ASSERT_EQ(edges.strips.size(), 4U);
  EXPECT_EQ(edges.largest_padded({1, 2}), 12 * 6);
  EXPECT_EQ(edges.all_padded({1, 2}), 2 * 12 * 6 + 2 * 3 * 8);
}

}  // namespace
}  // namespace tilewright
