// Grids as users write them and plans keep them: "2x8", "1x4[4:4:1:1]", "4x4@2x2".
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <optional>
#include <utility>

#include "tilewright/core/error.hpp"
#include "tilewright/core/grid.hpp"
#include "tilewright/core/node_mapping.hpp"

namespace tilewright {
namespace {

std::optional<int> parse_positive(std::string_view text) {
  int number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1) return std::nullopt;
  return number;
}

/// A side of a grid: a number of ranks, or 0 for "*".
std::optional<int> parse_side(std::string_view text) {
  if (text == "*") return 0;
  const auto side = parse_positive(text);
  return side && *side <= most_planned_ranks ? side : std::nullopt;
}

/// "4:4:1:1", "0:1:1".
std::optional<std::vector<int>> parse_shares(std::string_view text) {
  std::vector<int> shares;
  while (true) {
    const std::size_t colon = text.find(':');
    const std::string_view share = text.substr(0, colon);
    const auto number = share == "0" ? std::optional(0) : parse_positive(share);
    if (!number) return std::nullopt;
    shares.push_back(*number);
    if (colon == std::string_view::npos) return shares;
    text.remove_prefix(colon + 1);
  }
}

std::string shares_text(const std::vector<int>& shares, int parts) {
  return fmt::format("{}",
                     fmt::join(shares.empty() ? std::vector<int>(static_cast<std::size_t>(parts), 1) : shares, ":"));
}

/// Between the brackets. Where one side alone is cut, its shares are all there is.
bool read_shares(std::string_view text, GridPattern& grid) {
  const std::size_t comma = text.find(',');
  const bool cuts_both = grid.x > 1 && grid.y > 1;
  if (cuts_both == (comma == std::string_view::npos)) return false;
  const auto first = parse_shares(text.substr(0, comma));
  const auto second = cuts_both ? parse_shares(text.substr(comma + 1)) : first;
  if (!first || !second) return false;
  if (grid.x > 1) grid.column_shares = *first;
  if (grid.y > 1) grid.row_shares = *second;
  return true;
}

/// "", "@2" or "@2x1".
std::optional<NodeMapping> read_mapping(std::string_view text) {
  if (text.empty()) return NodeMapping{};
  text.remove_prefix(1);
  const std::size_t separator = text.find('x');
  const auto first = parse_side(text.substr(0, separator));
  if (!first || *first == 0) return std::nullopt;
  if (separator == std::string_view::npos) return NodeMapping{*first};
  const auto rows = parse_side(text.substr(separator + 1));
  if (!rows || *rows == 0) return std::nullopt;
  return NodeMapping{*first * *rows, *first};
}

std::string to_string(const NodeMapping& mapping) {
  if (!mapping.is_given()) return "";
  if (!mapping.is_in_blocks()) return fmt::format("@{}", mapping.ranks);
  return fmt::format("@{}x{}", mapping.columns, mapping.ranks / mapping.columns);
}

/// What stands before the mapping.
std::optional<GridPattern> read_sides(std::string_view text) {
  const std::size_t separator = text.find('x');
  const std::size_t bracket = text.find('[');
  if (separator == std::string_view::npos || separator > bracket) return std::nullopt;
  const auto x = parse_side(text.substr(0, separator));
  const auto y =
      parse_side(text.substr(separator + 1, bracket == std::string_view::npos ? bracket : bracket - separator - 1));
  if (!x || !y || *x * *y > most_planned_ranks) return std::nullopt;
  if (bracket == std::string_view::npos) return GridPattern{*x, *y};
  GridPattern grid{*x, *y};
  const bool is_read = grid.x * grid.y > 1 && text.back() == ']' &&
                       read_shares(text.substr(bracket + 1, text.size() - bracket - 2), grid);
  if (!is_read) return std::nullopt;
  const ProcessGrid checked = with_shares({grid.x, grid.y}, grid.column_shares, grid.row_shares);
  return GridPattern{grid.x, grid.y, checked.column_shares, checked.row_shares};
}

}  // namespace

std::string to_string(const ProcessGrid& grid) {
  std::string text = fmt::format("{}x{}", grid.x, grid.y);
  if (grid.is_even()) return text + to_string(grid.mapping);
  std::vector<std::string> sides;
  if (grid.x > 1) sides.push_back(shares_text(grid.column_shares, grid.x));
  if (grid.y > 1) sides.push_back(shares_text(grid.row_shares, grid.y));
  return fmt::format("{}[{}]{}", text, fmt::join(sides, ","), to_string(grid.mapping));
}

std::string to_string(const GridPattern& pattern) {
  if (pattern.has_shares())
    return to_string(ProcessGrid{pattern.x, pattern.y, pattern.column_shares, pattern.row_shares, pattern.mapping});
  auto side = [](int value) { return value == 0 ? std::string("*") : std::to_string(value); };
  return side(pattern.x) + "x" + side(pattern.y) + to_string(pattern.mapping);
}

GridPattern parse_grid_pattern(std::string_view text) {
  const std::size_t at = text.find('@');
  const auto mapping = read_mapping(at == std::string_view::npos ? "" : text.substr(at));
  auto grid = read_sides(text.substr(0, at));
  if (!mapping || !grid) {
    throw ParameterError(
        fmt::format("'{}' is no process grid: write XxY, for example 2x4, *x1, 1x4[2:2:1:1] or 4x4@2x2, of {} ranks at "
                    "most",
                    text, most_planned_ranks));
  }
  const bool is_open = grid->x == 0 || grid->y == 0;
  grid->mapping = is_open ? *mapping : with_mapping({grid->x, grid->y}, *mapping).mapping;
  return *std::move(grid);
}

ProcessGrid parse_grid(std::string_view text) {
  GridPattern pattern = parse_grid_pattern(text);
  if (pattern.x == 0 || pattern.y == 0) {
    throw ParameterError(fmt::format("process grid '{}' must name both sides, for example 2x4", text));
  }
  return {pattern.x, pattern.y, std::move(pattern.column_shares), std::move(pattern.row_shares), pattern.mapping};
}

}  // namespace tilewright
