// Tiles on nodes that are not equally fast, and of a root that has something else to do.
#pragma once

#include <compare>
#include <optional>
#include <span>
#include <vector>

#include "tilewright/core/grid.hpp"

namespace tilewright {

/// The grid with columns and rows as large as the ranks in them are fast in sum; the ranks beyond `speeds` have
/// speed 1. Of strips, each rank needs the same time for its own. The same grid where all are equally fast.
[[nodiscard]] ProcessGrid shared_by_speed(const ProcessGrid& grid, std::span<const double> speeds);

/// Row strips of which the root has that part of what it would have by the ranks' speeds, from 0, where it only
/// communicates, to less than 1; the others share the rest. None where root_has_less() would not hold: of fewer than
/// three ranks, of a grid that cuts both sides (where a whole row would have less), and where the root is so fast that
/// it has no less; nor for columns, which the root would have to pack and unpack in the time that it is to have for the
/// others.
[[nodiscard]] std::optional<ProcessGrid> with_less_on_root(const ProcessGrid& grid, std::span<const double> speeds,
                                                           double part);

/// A tile, and how fast the rank is that works on it.
struct TileAtWork {
  Extent tile;
  double speed = 1;
  auto operator<=>(const TileAtWork&) const = default;
};

/// Those tiles, grown by the margin as far as that is inside the image, of which one takes longest, whatever is done on
/// them: all but those that are no larger than another one of a rank that is no faster. Without speeds, the largest.
[[nodiscard]] std::vector<TileAtWork> tiles_at_work(const Extent& extent, const ProcessGrid& grid, const Halo& margin,
                                                    std::span<const double> speeds);

}  // namespace tilewright
