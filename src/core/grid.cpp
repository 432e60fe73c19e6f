#include "tilewright/core/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

constexpr int largest_share = 1'000'000;

void check_shares(const std::vector<int>& shares, int parts, int of_other_side, std::string_view what) {
  if (shares.empty()) return;
  if (static_cast<int>(shares.size()) != parts) {
    throw ParameterError(fmt::format("{} shares for {} {}: give one for each", shares.size(), parts, what));
  }
  const bool may_begin_with_none = of_other_side == 1 && parts >= fewest_ranks_with_less_on_root;
  for (std::size_t part = 0; part < shares.size(); ++part) {
    if (shares[part] >= 1 && shares[part] <= largest_share) continue;
    if (shares[part] == 0 && part == 0 && may_begin_with_none) continue;
    throw ParameterError(
        fmt::format("{} is no share: give numbers from 1 to {}; the first of three or more strips, or columns, may be "
                    "0, for a root that only communicates",
                    shares[part], largest_share));
  }
}

std::vector<int> in_lowest_terms(std::vector<int> shares) {
  int divisor = 0;
  for (const int share : shares) divisor = std::gcd(divisor, share);
  for (int& share : shares) share /= divisor;
  const bool all_alike = std::all_of(shares.begin(), shares.end(), [](int share) { return share == 1; });
  return all_alike ? std::vector<int>() : shares;
}

}  // namespace

ProcessGrid with_shares(ProcessGrid grid, std::vector<int> column_shares, std::vector<int> row_shares) {
  check_shares(column_shares, grid.x, grid.y, "columns");
  check_shares(row_shares, grid.y, grid.x, "rows");
  grid.column_shares = in_lowest_terms(std::move(column_shares));
  grid.row_shares = in_lowest_terms(std::move(row_shares));
  return grid;
}

bool root_has_less(const ProcessGrid& grid) {
  constexpr double clearly = 0.9;
  if (grid.is_even() || (grid.x > 1 && grid.y > 1) || grid.ranks() < fewest_ranks_with_less_on_root) return false;
  const std::vector<int>& shares = grid.x > 1 ? grid.column_shares : grid.row_shares;
  return shares.front() < clearly * *std::min_element(shares.begin() + 1, shares.end());
}

bool root_has_none(const ProcessGrid& grid) {
  const auto begins_with_none = [](const std::vector<int>& shares) { return !shares.empty() && shares.front() == 0; };
  return begins_with_none(grid.column_shares) || begins_with_none(grid.row_shares);
}

std::vector<ProcessGrid> grids_of(int ranks) {
  std::vector<ProcessGrid> grids;
  for (int x = 1; x <= ranks; ++x) {
    if (ranks % x == 0) grids.push_back({x, ranks / x});
  }
  return grids;
}

std::int64_t part_begin(std::int64_t size, int parts, int part) {
  return part * (size / parts) + std::min<std::int64_t>(part, size % parts);
}

namespace {

/// `before` of `all` shares, rounded down.
std::int64_t share_of(std::int64_t size, std::int64_t before, std::int64_t all) {
  return size / all * before + size % all * before / all;
}

}  // namespace

std::int64_t Cut::begin(int part) const {
  if (is_even()) return part_begin(size_, parts_, part);
  const auto before = std::accumulate(shares_.begin(), shares_.begin() + part, std::int64_t{0});
  return share_of(size_, before, std::accumulate(shares_.begin() + part, shares_.end(), before));
}

std::vector<std::int64_t> Cut::begins() const {
  std::vector<std::int64_t> all;
  const auto sum = std::accumulate(shares_.begin(), shares_.end(), std::int64_t{0});
  std::int64_t before = 0;
  for (int part = 0; part < parts_; ++part) {
    all.push_back(is_even() ? part_begin(size_, parts_, part) : share_of(size_, before, sum));
    if (!is_even()) before += shares_[static_cast<std::size_t>(part)];
  }
  all.push_back(size_);
  return all;
}

int Cut::part_at(std::int64_t position) const {
  if (!is_even()) {
    const std::vector<std::int64_t> all = begins();
    return static_cast<int>(std::upper_bound(all.begin(), all.end() - 1, position) - all.begin()) - 1;
  }
  const std::int64_t smaller = size_ / parts_;
  const std::int64_t larger_parts = size_ % parts_;
  const std::int64_t in_larger = larger_parts * (smaller + 1);
  if (position < in_larger) return static_cast<int>(position / (smaller + 1));
  return static_cast<int>(larger_parts + (position - in_larger) / smaller);
}

std::int64_t Cut::smallest() const {
  if (is_even()) return size_ / parts_;
  const std::vector<std::int64_t> all = begins();
  std::int64_t least = size_;
  for (std::size_t part = 1; part < all.size(); ++part) {
    if (shares_[part - 1] > 0) least = std::min(least, all[part] - all[part - 1]);
  }
  return least;
}

std::int64_t Cut::largest() const {
  if (is_even()) return (size_ + parts_ - 1) / parts_;
  const std::vector<std::int64_t> all = begins();
  std::int64_t most = 0;
  for (std::size_t part = 1; part < all.size(); ++part) most = std::max(most, all[part] - all[part - 1]);
  return most;
}

Rect tiles_of(const Extent& extent, const ProcessGrid& grid, int column0, int row0, int column1, int row1) {
  const Cut columns = Cut::columns(extent, grid);
  const Cut rows = Cut::rows(extent, grid);
  return {columns.begin(column0), rows.begin(row0), columns.begin(column1), rows.begin(row1)};
}

Rect tile_of(const Extent& extent, const ProcessGrid& grid, int rank) {
  const int column = grid.column(rank);
  const int row = grid.row(rank);
  return tiles_of(extent, grid, column, row, column + 1, row + 1);
}

/// The sides are cut once, for there are many more ranks than cuts.
std::vector<Rect> all_tiles(const Extent& extent, const ProcessGrid& grid) {
  const std::vector<std::int64_t> columns = Cut::columns(extent, grid).begins();
  const std::vector<std::int64_t> rows = Cut::rows(extent, grid).begins();
  std::vector<Rect> tiles;
  tiles.reserve(static_cast<std::size_t>(grid.ranks()));
  for (std::size_t row = 0; row + 1 < rows.size(); ++row) {
    for (std::size_t column = 0; column + 1 < columns.size(); ++column) {
      tiles.push_back({columns[column], rows[row], columns[column + 1], rows[row + 1]});
    }
  }
  return tiles;
}

Halo in_cut_directions(const Halo& halo, const ProcessGrid& grid) {
  return {grid.x > 1 ? halo.x : 0, grid.y > 1 ? halo.y : 0};
}

Rect grown(const Rect& tile, const Halo& margin, const Extent& image) {
  return tile.empty() ? tile : intersection(padded(tile, margin), rect_of(image));
}

Extent smallest_tile(const Extent& extent, const ProcessGrid& grid) {
  return {Cut::columns(extent, grid).smallest(), Cut::rows(extent, grid).smallest()};
}

Extent largest_tile(const Extent& extent, const ProcessGrid& grid) {
  return {Cut::columns(extent, grid).largest(), Cut::rows(extent, grid).largest()};
}

Extent largest_tile(const Extent& extent, const ProcessGrid& grid, const Halo& margin) {
  if (margin.empty()) return largest_tile(extent, grid);
  Extent largest;
  const auto consider = [&](int column, int row) {
    const Rect area = grown(tiles_of(extent, grid, column, row, column + 1, row + 1), margin, extent);
    largest.width = std::max(largest.width, area.width());
    largest.height = std::max(largest.height, area.height());
  };
  for (int column = 0; column < grid.x; ++column) consider(column, 0);
  for (int row = 0; row < grid.y; ++row) consider(0, row);
  return largest;
}

bool is_feasible(const Extent& extent, const ProcessGrid& grid, const Halo& halo) {
  const Extent smallest = smallest_tile(extent, grid);
  return smallest.width >= 1 && smallest.height >= 1 && (grid.x == 1 || smallest.width >= halo.x) &&
         (grid.y == 1 || smallest.height >= halo.y);
}

std::string why_infeasible(const Extent& extent, const ProcessGrid& grid, const Halo& halo) {
  if (is_feasible(extent, grid, halo)) return {};
  const Extent smallest = smallest_tile(extent, grid);
  if (!grid.is_even()) {
    const bool is_narrow = smallest.width < 1 || (grid.x > 1 && smallest.width < halo.x);
    return fmt::format(
        "grid {} gives tiles {} pixels {}, but {} are needed: use shares that differ less, or fewer ranks",
        to_string(grid), is_narrow ? smallest.width : smallest.height, is_narrow ? "wide" : "high",
        std::max<std::int64_t>(1, is_narrow ? halo.x : halo.y));
  }
  if (smallest.width < 1) {
    return fmt::format("grid {} has more columns than the image has pixels in x ({}): use at most {} columns",
                       to_string(grid), extent.width, extent.width);
  }
  if (smallest.height < 1) {
    return fmt::format("grid {} has more rows than the image has pixels in y ({}): use at most {} rows",
                       to_string(grid), extent.height, extent.height);
  }
  if (grid.x > 1 && smallest.width < halo.x) {
    return fmt::format("grid {} gives tiles {} pixels wide, less than the halo {}: use at most {} columns",
                       to_string(grid), smallest.width, halo.x, std::max<std::int64_t>(1, extent.width / halo.x));
  }
  if (grid.y > 1 && smallest.height < halo.y) {
    return fmt::format("grid {} gives tiles {} pixels high, less than the halo {}: use at most {} rows",
                       to_string(grid), smallest.height, halo.y, std::max<std::int64_t>(1, extent.height / halo.y));
  }
  return {};
}

}  // namespace tilewright
