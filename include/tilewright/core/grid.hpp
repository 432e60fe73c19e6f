// The process grid and the tiles it cuts an image into.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/core/geometry.hpp"

namespace tilewright {

/// How the ranks of a grid lie on nodes: so many on each, the first ones on the root's node. Either in the order of
/// ranks, or each node has a block of the grid, `columns` wide, and the blocks follow each other row by row. Of which
/// node each of the started ranks is does not matter: ranks are numbered anew (started_ranks()).
struct NodeMapping {
  int ranks = 0;    ///< on a node; 0: ranks are those that were started, in their order, wherever that is
  int columns = 0;  ///< of a node's block, which divide the grid's and `ranks`; 0: in the order of ranks
  [[nodiscard]] bool is_given() const { return ranks > 0; }
  [[nodiscard]] bool is_in_blocks() const { return columns > 0; }
  auto operator<=>(const NodeMapping&) const = default;
};

/// That transfers are laid out and plans made for.
inline constexpr int most_planned_ranks = 16384;

/// `x` ranks in the x direction, `y` in the y direction: 1x16 cuts row strips, 16x1 column strips.
/// Rank r sits in column r % x of row r / x.
struct ProcessGrid {
  int x = 1;
  int y = 1;
  /// How wide columns are beside each other, and how high rows are; empty: as even as can be. All positive, but that of
  /// strips, or of columns, the first may be 0: then the root has no pixels (root_has_none()).
  std::vector<int> column_shares = {};
  std::vector<int> row_shares = {};
  NodeMapping mapping = {};

  [[nodiscard]] int ranks() const { return x * y; }
  [[nodiscard]] bool is_even() const { return column_shares.empty() && row_shares.empty(); }
  [[nodiscard]] int column(int rank) const { return rank % x; }
  [[nodiscard]] int row(int rank) const { return rank / x; }
  [[nodiscard]] int rank(int column, int row) const { return row * x + column; }
  auto operator<=>(const ProcessGrid&) const = default;
};

/// The grid of these shares in lowest terms; shares that are all alike are none. Throws ParameterError unless there are
/// none of a side, or as many as it has ranks, each from 1 to a million; the first one of a grid that is cut in one
/// direction, into three parts or more, may be 0.
[[nodiscard]] ProcessGrid with_shares(ProcessGrid grid, std::vector<int> column_shares, std::vector<int> row_shares);

/// "2x8"; with the shares of the sides that are cut, columns first: "1x4[4:4:1:1]", "2x2[3:1,1:1]". Then how many ranks
/// are on each node: "1x4@2" in their order, "4x4@2x2" as a block of columns and rows.
[[nodiscard]] std::string to_string(const ProcessGrid& grid);
/// Reads what to_string() writes; throws ParameterError otherwise.
[[nodiscard]] ProcessGrid parse_grid(std::string_view text);

/// A grid of which a side may be left open, as "*x1": open sides are 0.
struct GridPattern {
  int x = 0;
  int y = 0;
  std::vector<int> column_shares = {};  ///< of a grid without open sides
  std::vector<int> row_shares = {};
  NodeMapping mapping = {};  ///< not given: any

  [[nodiscard]] bool has_shares() const { return !column_shares.empty() || !row_shares.empty(); }
  /// Its shares and its mapping left aside.
  [[nodiscard]] bool matches(const ProcessGrid& grid) const {
    return (x == 0 || x == grid.x) && (y == 0 || y == grid.y);
  }
  bool operator==(const GridPattern&) const = default;
};

/// Reads "2x8", "*x1", "1x*", "1x4[4:4:1:1]" or "4x4@2x2"; throws ParameterError otherwise.
[[nodiscard]] GridPattern parse_grid_pattern(std::string_view text);
[[nodiscard]] std::string to_string(const GridPattern& pattern);

/// Of two, the other one waits for the root anyway.
inline constexpr int fewest_ranks_with_less_on_root = 3;

/// Whether the grid is of strips, or of columns, three or more, of which rank 0 has one clearly smaller than all
/// others: it has less to do for its own, and can attend to the others meanwhile.
[[nodiscard]] bool root_has_less(const ProcessGrid& grid);

/// Whether the root has no pixels at all, so that it only communicates.
[[nodiscard]] bool root_has_none(const ProcessGrid& grid);

/// The first rank that has pixels: 1 where the root has none.
[[nodiscard]] inline int first_with_pixels(const ProcessGrid& grid) {
  return root_has_none(grid) ? 1 : 0;
}

/// Every grid of exactly `ranks` ranks, x ascending: 4 gives 1x4 2x2 4x1. All even.
[[nodiscard]] std::vector<ProcessGrid> grids_of(int ranks);

/// Where part `part` of `parts` begins when `size` is cut evenly; part = parts gives `size`.
/// Sizes differ by at most one, larger parts first: 7 in 3 begins at 0, 3, 5.
[[nodiscard]] std::int64_t part_begin(std::int64_t size, int parts, int part);

/// One side of an image, cut into the columns or the rows of a grid. Refers to the grid's shares.
class Cut {
 public:
  [[nodiscard]] static Cut columns(const Extent& extent, const ProcessGrid& grid) {
    return {extent.width, grid.x, grid.column_shares};
  }
  [[nodiscard]] static Cut rows(const Extent& extent, const ProcessGrid& grid) {
    return {extent.height, grid.y, grid.row_shares};
  }

  [[nodiscard]] std::int64_t size() const { return size_; }
  [[nodiscard]] int parts() const { return parts_; }
  [[nodiscard]] bool is_even() const { return shares_.empty(); }
  /// Where a part begins; part = parts() gives size(). With shares, at the share of all that comes before, rounded
  /// down.
  [[nodiscard]] std::int64_t begin(int part) const;
  /// Of all parts, and size().
  [[nodiscard]] std::vector<std::int64_t> begins() const;
  /// The part that holds the pixel at `position`.
  [[nodiscard]] int part_at(std::int64_t position) const;
  /// Of all parts that have a share.
  [[nodiscard]] std::int64_t smallest() const;
  [[nodiscard]] std::int64_t largest() const;

 private:
  Cut(std::int64_t size, int parts, std::span<const int> shares) : size_(size), parts_(parts), shares_(shares) {}
  std::int64_t size_;
  int parts_;
  std::span<const int> shares_;
};

/// The pixels that `rank` owns. Empty where a side of the grid exceeds the image's, and of a root that has none.
[[nodiscard]] Rect tile_of(const Extent& extent, const ProcessGrid& grid, int rank);

/// By rank, what each owns.
[[nodiscard]] std::vector<Rect> all_tiles(const Extent& extent, const ProcessGrid& grid);

/// The pixels owned by the grid cells [column0, column1) x [row0, row1).
[[nodiscard]] Rect tiles_of(const Extent& extent, const ProcessGrid& grid, int column0, int row0, int column1,
                            int row1);

/// The halo in the directions in which the grid cuts the image; in others a tile reaches from edge to edge.
[[nodiscard]] Halo in_cut_directions(const Halo& halo, const ProcessGrid& grid);

/// A tile and what lies around it, as far as that is inside the image. Around no pixels there is nothing.
[[nodiscard]] Rect grown(const Rect& tile, const Halo& margin, const Extent& image);

/// Width and height of the smallest tile, none of a root that has no pixels left aside; a halo must not exceed it in a
/// direction with several ranks.
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
