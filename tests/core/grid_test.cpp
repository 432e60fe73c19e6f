#include "tilewright/core/grid.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ProcessGrid, RanksRunAlongTheRows) {
  const ProcessGrid grid{3, 2};
  EXPECT_EQ(grid.ranks(), 6);
  EXPECT_EQ(grid.column(4), 1);
  EXPECT_EQ(grid.row(4), 1);
  for (int rank = 0; rank < grid.ranks(); ++rank) EXPECT_EQ(grid.rank(grid.column(rank), grid.row(rank)), rank);
}

TEST(ProcessGrid, IsReadAndPrinted) {
  EXPECT_EQ(parse_grid("2x8"), (ProcessGrid{2, 8}));
  EXPECT_EQ(to_string(ProcessGrid{2, 8}), "2x8");
  for (const char* text : {"", "2", "x8", "2x", "2x8x1", "0x8", "2x-8", "2 x8", "*x8", "2x*", "2X8", "99999999999x1"}) {
    EXPECT_THROW((void)parse_grid(text), ParameterError) << text;
  }
}

TEST(GridPattern, MatchesAnySideThatIsOpen) {
  EXPECT_EQ(parse_grid_pattern("2x8"), (GridPattern{2, 8}));
  const GridPattern rows = parse_grid_pattern("1x*");
  EXPECT_TRUE(rows.matches({1, 7}));
  EXPECT_FALSE(rows.matches({7, 1}));
  EXPECT_TRUE(parse_grid_pattern("*x*").matches({3, 4}));
  EXPECT_FALSE(parse_grid_pattern("*x3").matches({3, 4}));
  for (const char* text : {"2x8", "*x1", "1x*", "*x*"}) EXPECT_EQ(to_string(parse_grid_pattern(text)), text);
  EXPECT_THROW((void)parse_grid_pattern("**x1"), ParameterError);
  EXPECT_THROW((void)parse_grid_pattern("*"), ParameterError);
}

TEST(GridsOf, AreAllDivisorsByColumns) {
  EXPECT_THAT(grids_of(1), ElementsAre(ProcessGrid{1, 1}));
  EXPECT_THAT(grids_of(4), ElementsAre(ProcessGrid{1, 4}, ProcessGrid{2, 2}, ProcessGrid{4, 1}));
  EXPECT_THAT(grids_of(7), ElementsAre(ProcessGrid{1, 7}, ProcessGrid{7, 1}));
}

TEST(Cut, FindsThePartThatHoldsThePixel) {
  const std::vector<std::vector<int>> all_shares{{},     {},        {},           {3, 1},
                                                 {1, 3}, {9, 1, 5}, {1, 1, 1, 7}, {100, 1, 1, 1, 1}};
  for (const std::int64_t size : {1, 7, 12, 31}) {
    for (std::size_t i = 0; i < all_shares.size(); ++i) {
      const int parts = all_shares[i].empty() ? 3 * static_cast<int>(i) + 1 : static_cast<int>(all_shares[i].size());
      const ProcessGrid grid{parts, 1, all_shares[i]};
      const Cut cut = Cut::columns({size, 1}, grid);
      for (std::int64_t position = 0; position < size; ++position) {
        const int part = cut.part_at(position);
        EXPECT_LE(cut.begin(part), position);
        EXPECT_GT(cut.begin(part + 1), position);
      }
    }
  }
}

TEST(Cut, GivesPartsTheirShares) {
  const ProcessGrid grid = with_shares({1, 4}, {}, {40, 40, 10, 10});
  EXPECT_EQ(grid, (ProcessGrid{1, 4, {}, {4, 4, 1, 1}}));
  const Cut rows = Cut::rows({5, 100}, grid);
  EXPECT_THAT(rows.begins(), ElementsAre(0, 40, 80, 90, 100));
  EXPECT_EQ(rows.smallest(), 10);
  EXPECT_EQ(rows.largest(), 40);
  EXPECT_EQ(Cut::columns({5, 100}, grid).largest(), 5);
  const std::int64_t large = std::int64_t{1} << 40;
  const ProcessGrid steep = with_shares({2, 1}, {1000000, 1}, {});
  EXPECT_EQ(Cut::columns({large, 1}, steep).begin(1), large - large / 1000001 - 1);
  EXPECT_EQ(Cut::columns({large, 1}, steep).begin(2), large);
}

TEST(ProcessGrid, KnowsItsSharesByItsName) {
  for (const char* text :
       {"1x4[4:4:1:1]", "4x1[1:2:3:4]", "2x2[3:1,1:2]", "2x3[1:1,1:2:1]", "1x3[0:1:1]", "4x1[0:2:1:1]"}) {
    EXPECT_EQ(to_string(parse_grid(text)), text);
    EXPECT_FALSE(parse_grid(text).is_even());
  }
  EXPECT_EQ(parse_grid("1x3[2:2:2]"), (ProcessGrid{1, 3}));
  EXPECT_EQ(parse_grid("2x2[4:2,3:3]"), (ProcessGrid{2, 2, {2, 1}, {}}));
  EXPECT_EQ(to_string(parse_grid_pattern("1x2[6:2]")), "1x2[3:1]");
  EXPECT_TRUE(parse_grid_pattern("1x2[6:2]").matches({1, 2}));
  for (const char* text : {"1x4[]", "1x4[1:1:1]", "1x4[1:1:1:0]", "1x2[0:1]", "3x2[0:1:1,1:1]", "2x3[1:1,0:1:1]",
                           "1x3[00:1:1]", "1x3[0:0:1]", "1x4[4:4:1:1", "1x4[4:4:1:1]x", "2x2[1:2]", "1x2[1:2,1:2]",
                           "1x1[1]", "*x2[1:2]", "1x2[1:*]", "1x2[1:1000001]", "1x2[1,2]", "[1:2]1x2"}) {
    EXPECT_THROW((void)parse_grid_pattern(text), ParameterError) << text;
  }
}

TEST(Tiles, OfUnequalSharesCoverEveryPixelOnce) {
  for (const char* text : {"1x4[4:4:1:1]", "3x2[5:1:2,1:9]", "4x1[1:30:1:1]"}) {
    const ProcessGrid grid = parse_grid(text);
    for (const Extent extent : {Extent{13, 7}, Extent{64, 48}, Extent{3, 2}}) {
      std::vector<int> owners(static_cast<std::size_t>(extent.pixels()), 0);
      for (int rank = 0; rank < grid.ranks(); ++rank) {
        const Rect tile = tile_of(extent, grid, rank);
        EXPECT_LE(tile.width(), largest_tile(extent, grid).width);
        EXPECT_GE(tile.height(), smallest_tile(extent, grid).height);
        for (std::int64_t y = tile.y0; y < tile.y1; ++y) {
          for (std::int64_t x = tile.x0; x < tile.x1; ++x) ++owners[static_cast<std::size_t>(y * extent.width + x)];
        }
      }
      EXPECT_THAT(owners, testing::Each(1)) << to_string(extent) << " as " << text;
    }
  }
}

TEST(Tiles, OfARootThatOnlyCommunicatesAreEmpty) {
  const Extent image{20, 12};
  for (const char* text : {"1x4[0:1:1:1]", "4x1[0:2:1:1]"}) {
    const ProcessGrid grid = parse_grid(text);
    EXPECT_TRUE(root_has_none(grid));
    EXPECT_TRUE(root_has_less(grid));
    EXPECT_EQ(first_with_pixels(grid), 1);
    EXPECT_TRUE(tile_of(image, grid, 0).empty());
    EXPECT_TRUE(grown(tile_of(image, grid, 0), {3, 3}, image).empty()) << "there is nothing around no pixels";
    std::int64_t pixels = 0;
    for (int rank = 1; rank < 4; ++rank) pixels += tile_of(image, grid, rank).pixels();
    EXPECT_EQ(pixels, image.pixels());
  }
  const ProcessGrid strips = parse_grid("1x4[0:1:1:1]");
  EXPECT_EQ(smallest_tile(image, strips), (Extent{20, 4}));
  EXPECT_EQ(Cut::rows(image, strips).part_at(0), 1);
  EXPECT_EQ(why_infeasible(image, strips, {4, 4}), "");
  EXPECT_THAT(why_infeasible(image, strips, {5, 5}), HasSubstr("tiles 4 pixels high, but 5 are needed"));
  EXPECT_FALSE(root_has_none({1, 4}));
  EXPECT_FALSE(root_has_none(parse_grid("1x4[1:2:2:2]")));
}

TEST(PartBegin, LargerPartsComeFirst) {
  EXPECT_EQ(part_begin(7, 3, 0), 0);
  EXPECT_EQ(part_begin(7, 3, 1), 3);
  EXPECT_EQ(part_begin(7, 3, 2), 5);
  EXPECT_EQ(part_begin(7, 3, 3), 7);
  EXPECT_EQ(part_begin(2, 5, 2), 2);  // more parts than pixels: the last are empty
  EXPECT_EQ(part_begin(2, 5, 4), 2);
  EXPECT_EQ(part_begin(std::int64_t{1} << 40, 3, 3), std::int64_t{1} << 40);
}

TEST(Tiles, CoverEveryPixelOnceAndDifferByAtMostOne) {
  for (const Extent extent : {Extent{1, 1}, Extent{1, 9}, Extent{13, 7}, Extent{64, 48}, Extent{3, 2}}) {
    for (int ranks = 1; ranks <= 12; ++ranks) {
      for (const ProcessGrid& grid : grids_of(ranks)) {
        std::vector<int> owners(static_cast<std::size_t>(extent.pixels()), 0);
        for (int rank = 0; rank < ranks; ++rank) {
          const Rect tile = tile_of(extent, grid, rank);
          EXPECT_LE(tile.width(), largest_tile(extent, grid).width);
          EXPECT_LE(tile.height(), largest_tile(extent, grid).height);
          EXPECT_GE(tile.width(), smallest_tile(extent, grid).width);
          EXPECT_GE(tile.height(), smallest_tile(extent, grid).height);
          for (std::int64_t y = tile.y0; y < tile.y1; ++y) {
            for (std::int64_t x = tile.x0; x < tile.x1; ++x) ++owners[static_cast<std::size_t>(y * extent.width + x)];
          }
        }
        EXPECT_THAT(owners, testing::Each(1)) << to_string(extent) << " as " << to_string(grid);
        EXPECT_LE(largest_tile(extent, grid).width - smallest_tile(extent, grid).width, 1);
        EXPECT_LE(largest_tile(extent, grid).height - smallest_tile(extent, grid).height, 1);
      }
    }
  }
}

TEST(Tiles, OfAllRanksAreThoseOfEach) {
  for (const char* text : {"1x1", "3x2", "5x4", "1x4[4:4:1:1]", "3x2[5:1:2,1:9]", "1x4[0:1:1:2]"}) {
    const ProcessGrid grid = parse_grid(text);
    for (const Extent extent : {Extent{13, 7}, Extent{64, 48}, Extent{3, 2}}) {
      std::vector<Rect> each;
      for (int rank = 0; rank < grid.ranks(); ++rank) each.push_back(tile_of(extent, grid, rank));
      EXPECT_EQ(all_tiles(extent, grid), each) << to_string(extent) << " as " << text;
    }
  }
}

TEST(Tiles, OfACellRangeAreTheirBoundingRectangle) {
  const Extent extent{13, 7};
  const ProcessGrid grid{3, 2};
  EXPECT_EQ(tiles_of(extent, grid, 0, 0, 3, 2), rect_of(extent));
  EXPECT_EQ(tiles_of(extent, grid, 1, 0, 3, 1), bounding(tile_of(extent, grid, 1), tile_of(extent, grid, 2)));
}

TEST(WhyInfeasible, IsSilentWhereTheGridFits) {
  EXPECT_EQ(why_infeasible({100, 100}, {4, 4}, {25, 25}), "");
  EXPECT_EQ(why_infeasible({100, 10}, {4, 1}, {25, 50}), "");  // a single rank in y has no neighbour there
  EXPECT_EQ(why_infeasible({4, 4}, {4, 4}, {}), "");
  EXPECT_EQ(why_infeasible({1, 1}, {1, 1}, {100, 100}), "");
}

TEST(WhyInfeasible, NamesTheValuesAndWhatToDo) {
  EXPECT_THAT(why_infeasible({3, 9}, {4, 1}, {}), HasSubstr("at most 3 columns"));
  EXPECT_THAT(why_infeasible({9, 3}, {1, 4}, {}), HasSubstr("at most 3 rows"));
  EXPECT_EQ(why_infeasible({128, 128}, {16, 1}, {12, 12}),
            "grid 16x1 gives tiles 8 pixels wide, less than the halo 12: use at most 10 columns");
  EXPECT_EQ(why_infeasible({128, 128}, {1, 16}, {12, 12}),
            "grid 1x16 gives tiles 8 pixels high, less than the halo 12: use at most 10 rows");
  EXPECT_THAT(why_infeasible({10, 10}, {2, 1}, {12, 0}), HasSubstr("at most 1 columns"));
  // Uneven tiles: the smallest decides.
  EXPECT_NE(why_infeasible({11, 11}, {2, 1}, {6, 0}), "");
  EXPECT_EQ(why_infeasible({11, 11}, {2, 1}, {5, 0}), "");
}

TEST(WhyInfeasible, WhatItAdvisesIsFeasible) {
  for (std::int64_t width = 1; width <= 40; ++width) {
    for (std::int64_t halo = 1; halo <= 12; ++halo) {
      const auto columns = static_cast<int>(std::max<std::int64_t>(1, width / halo));
      EXPECT_EQ(why_infeasible({width, 5}, {columns, 1}, {halo, 0}), "") << width << " " << halo;
      if (columns < width) {
        EXPECT_NE(why_infeasible({width, 5}, {columns + 1, 1}, {halo, 0}), "") << width << " " << halo;
      }
    }
  }
}

TEST(Tiles, GrowAsFarAsTheImageReaches) {
  const Extent image{10, 6};
  EXPECT_EQ(grown({4, 2, 7, 4}, {2, 1}, image), (Rect{2, 1, 9, 5}));
  EXPECT_EQ(grown({0, 2, 7, 6}, {5, 1}, image), (Rect{0, 1, 10, 6}));
  EXPECT_EQ(largest_tile(image, {3, 1}, {}), largest_tile(image, {3, 1}));
  EXPECT_EQ(largest_tile(image, {3, 1}, {1, 0}), (Extent{5, 6})) << "4, 3 and 3 wide; the first has an edge";
  EXPECT_EQ(largest_tile(image, {3, 2}, {9, 9}), image);
  EXPECT_EQ(in_cut_directions({3, 4}, {1, 5}), (Halo{0, 4}));
  EXPECT_EQ(in_cut_directions({3, 4}, {2, 1}), (Halo{3, 0}));
}

}  // namespace
}  // namespace tilewright
