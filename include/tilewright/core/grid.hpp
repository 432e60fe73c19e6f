// The process grid and the tiles it cuts an image into.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/core/geometry.hpp"

namespace tilewright {

/// `x` ranks in the x direction, `y` in the y direction: 1x16 cuts row strips, 16x1 column strips.
/// Rank r sits in column r % x of row r / x.
struct ProcessGrid {
  int x = 1;
  int y = 1;

  [[nodiscard]] int ranks() const { return x * y; }
  [[nodiscard]] int column(int rank) const { return rank % x; }
  [[nodiscard]] int row(int rank) const { return rank / x; }
  [[nodiscard]] int rank(int column, int row) const { return row * x + column; }
  auto operator<=>(const ProcessGrid&) const = default;
};

/// "2x8".
[[nodiscard]] std::string to_string(const ProcessGrid& grid);
/// Reads "2x8"; throws ParameterError otherwise.
[[nodiscard]] ProcessGrid parse_grid(std::string_view text);

/// A grid of which a side may be left open, as "*x1": open sides are 0.
struct GridPattern {
  int x = 0;
  int y = 0;

  [[nodiscard]] bool matches(const ProcessGrid& grid) const {
    return (x == 0 || x == grid.x) && (y == 0 || y == grid.y);
  }
  bool operator==(const GridPattern&) const = default;
};

/// Reads "2x8", "*x1" or "1x*"; throws ParameterError otherwise.
[[nodiscard]] GridPattern parse_grid_pattern(std::string_view text);
[[nodiscard]] std::string to_string(const GridPattern& pattern);

/// Every grid of exactly `ranks` ranks, x ascending: 4 gives 1x4 2x2 4x1.
[[nodiscard]] std::vector<ProcessGrid> grids_of(int ranks);

/// Where part `part` of `parts` begins when `size` is cut evenly; part = parts gives `size`.
/// Sizes differ by at most one, larger parts first: 7 in 3 begins at 0, 3, 5.
[[nodiscard]] std::int64_t part_begin(std::int64_t size, int parts, int part);

/// The part that holds the pixel at `position`.
[[nodiscard]] int part_at(std::int64_t size, int parts, std::int64_t position);

/// The pixels that `rank` owns. Empty where a side of the grid exceeds the image's.
[[nodiscard]] Rect tile_of(const Extent& extent, const ProcessGrid& grid, int rank);

/// The pixels owned by the grid cells [column0, column1) x [row0, row1).
[[nodiscard]] Rect tiles_of(const Extent& extent, const ProcessGrid& grid, int column0, int row0, int column1,
                            int row1);

/// The halo in the directions in which the grid cuts the image; in others a tile reaches from edge to edge.
[[nodiscard]] Halo in_cut_directions(const Halo& halo, const ProcessGrid& grid);

/// A tile and what lies around it, as far as that is inside the image.
[[nodiscard]] Rect grown(const Rect& tile, const Halo& margin, const Extent& image);

/// Width and height of the smallest tile; a halo must not exceed it in a direction with several ranks.
[[nodiscard]] Extent smallest_tile(const Extent& extent, const ProcessGrid& grid);
/// Width and height of the largest tile.
[[nodiscard]] Extent largest_tile(const Extent& extent, const ProcessGrid& grid);
/// The same of tiles that have grown.
[[nodiscard]] Extent largest_tile(const Extent& extent, const ProcessGrid& grid, const Halo& margin);

/// Whether the grid can hold the image with that halo.
[[nodiscard]] bool is_feasible(const Extent& extent, const ProcessGrid& grid, const Halo& halo);
/// Empty if it can, else the reason why not.
[[nodiscard]] std::string why_infeasible(const Extent& extent, const ProcessGrid& grid, const Halo& halo);

}  // namespace tilewright
