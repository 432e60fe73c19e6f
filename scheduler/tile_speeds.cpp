#include "tile_speeds.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace tilewright {
namespace {

/// The largest share; what differs by less is within the noise of any measurement.
constexpr double resolution = 100;

double speed_of(std::span<const double> speeds, int rank) {
  return static_cast<std::size_t>(rank) < speeds.size() ? speeds[static_cast<std::size_t>(rank)] : 1;
}

/// None for what has no speed.
std::vector<int> shares_of(const std::vector<double>& speeds) {
  const double most = *std::max_element(speeds.begin(), speeds.end());
  std::vector<int> shares;
  for (const double speed : speeds) {
    const int share = static_cast<int>(std::lround(resolution * speed / most));
    shares.push_back(speed > 0 ? std::max(1, share) : 0);
  }
  return shares;
}

/// How far parts reach with what surrounds them; those without pixels nowhere.
std::vector<std::int64_t> grown_sizes(const Cut& cut, std::int64_t margin) {
  const std::vector<std::int64_t> begins = cut.begins();
  std::vector<std::int64_t> sizes;
  for (std::size_t part = 1; part < begins.size(); ++part) {
    if (begins[part] == begins[part - 1]) {
      sizes.push_back(0);
      continue;
    }
    const std::int64_t begin = std::max<std::int64_t>(begins[part - 1] - margin, 0);
    sizes.push_back(std::min(begins[part] + margin, cut.size()) - begin);
  }
  return sizes;
}

}  // namespace

ProcessGrid shared_by_speed(const ProcessGrid& grid, std::span<const double> speeds) {
  std::vector<double> columns(static_cast<std::size_t>(grid.x), 0);
  std::vector<double> rows(static_cast<std::size_t>(grid.y), 0);
  for (int rank = 0; rank < grid.ranks(); ++rank) {
    columns[static_cast<std::size_t>(grid.column(rank))] += speed_of(speeds, rank);
    rows[static_cast<std::size_t>(grid.row(rank))] += speed_of(speeds, rank);
  }
  return with_shares(grid, shares_of(columns), shares_of(rows));
}

std::optional<ProcessGrid> with_less_on_root(const ProcessGrid& grid, std::span<const double> speeds, double part) {
  if (grid.x > 1 || grid.ranks() < fewest_ranks_with_less_on_root) return std::nullopt;
  std::vector<double> shares;
  for (int rank = 0; rank < grid.ranks(); ++rank) shares.push_back(speed_of(speeds, rank));
  shares.front() *= part;
  ProcessGrid less = with_shares(grid, {}, shares_of(shares));
  return root_has_less(less) ? std::optional(std::move(less)) : std::nullopt;
}

std::vector<TileAtWork> tiles_at_work(const Extent& extent, const ProcessGrid& grid, const Halo& margin,
                                      std::span<const double> speeds) {
  const std::vector<std::int64_t> widths = grown_sizes(Cut::columns(extent, grid), margin.x);
  const std::vector<std::int64_t> heights = grown_sizes(Cut::rows(extent, grid), margin.y);
  std::map<std::pair<std::int64_t, std::int64_t>, double> slowest;  // by width and height
  for (int rank = first_with_pixels(grid); rank < grid.ranks(); ++rank) {
    const auto tile = std::pair(widths[static_cast<std::size_t>(grid.column(rank))],
                                heights[static_cast<std::size_t>(grid.row(rank))]);
    const double speed = speed_of(speeds, rank);
    const auto known = slowest.try_emplace(tile, speed).first;
    known->second = std::min(known->second, speed);
  }
  std::vector<TileAtWork> tiles;
  for (auto entry = slowest.rbegin(); entry != slowest.rend(); ++entry) {
    const TileAtWork tile{{entry->first.first, entry->first.second}, entry->second};
    const bool takes_less = std::any_of(tiles.begin(), tiles.end(), [&](const TileAtWork& other) {
      return tile.tile.width <= other.tile.width && tile.tile.height <= other.tile.height && tile.speed >= other.speed;
    });
    if (!takes_less) tiles.push_back(tile);
  }
  return tiles;
}

}  // namespace tilewright
