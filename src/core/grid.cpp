#include "tilewright/core/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

/// A side of a grid: a positive number, or 0 for "*".
std::optional<int> parse_side(std::string_view text) {
  if (text == "*") return 0;
  int side = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), side);
  if (error != std::errc() || end != text.data() + text.size() || side < 1) return std::nullopt;
  return side;
}

}  // namespace

std::string to_string(const ProcessGrid& grid) {
  return fmt::format("{}x{}", grid.x, grid.y);
}

std::string to_string(const GridPattern& pattern) {
  auto side = [](int value) { return value == 0 ? std::string("*") : std::to_string(value); };
  return side(pattern.x) + "x" + side(pattern.y);
}

GridPattern parse_grid_pattern(std::string_view text) {
  const std::size_t separator = text.find('x');
  if (separator != std::string_view::npos) {
    const auto x = parse_side(text.substr(0, separator));
    const auto y = parse_side(text.substr(separator + 1));
    if (x && y) return {*x, *y};
  }
  throw ParameterError(fmt::format("'{}' is no process grid: write XxY, for example 2x4 or *x1", text));
}

ProcessGrid parse_grid(std::string_view text) {
  const GridPattern pattern = parse_grid_pattern(text);
  if (pattern.x == 0 || pattern.y == 0) {
    throw ParameterError(fmt::format("process grid '{}' must name both sides, for example 2x4", text));
  }
  return {pattern.x, pattern.y};
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

Rect tiles_of(const Extent& extent, const ProcessGrid& grid, int column0, int row0, int column1, int row1) {
  return {part_begin(extent.width, grid.x, column0), part_begin(extent.height, grid.y, row0),
          part_begin(extent.width, grid.x, column1), part_begin(extent.height, grid.y, row1)};
}

int part_at(std::int64_t size, int parts, std::int64_t position) {
  const std::int64_t smaller = size / parts;
  const std::int64_t larger_parts = size % parts;
  const std::int64_t in_larger = larger_parts * (smaller + 1);
  if (position < in_larger) return static_cast<int>(position / (smaller + 1));
  return static_cast<int>(larger_parts + (position - in_larger) / smaller);
}

Rect tile_of(const Extent& extent, const ProcessGrid& grid, int rank) {
  const int column = grid.column(rank);
  const int row = grid.row(rank);
  return tiles_of(extent, grid, column, row, column + 1, row + 1);
}

Halo in_cut_directions(const Halo& halo, const ProcessGrid& grid) {
  return {grid.x > 1 ? halo.x : 0, grid.y > 1 ? halo.y : 0};
}

Rect grown(const Rect& tile, const Halo& margin, const Extent& image) {
  return intersection(padded(tile, margin), rect_of(image));
}

Extent smallest_tile(const Extent& extent, const ProcessGrid& grid) {
  return {extent.width / grid.x, extent.height / grid.y};
}

Extent largest_tile(const Extent& extent, const ProcessGrid& grid) {
  return {(extent.width + grid.x - 1) / grid.x, (extent.height + grid.y - 1) / grid.y};
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
