#include "work_parts.hpp"

#include <algorithm>
#include <utility>

namespace tilewright {
namespace {

/// A smaller tile costs more a pixel, for its rows are short; those of a piece are not.
constexpr std::int64_t fewest_priced_pixels = 128 * 128;

}  // namespace

Work part_of(Work work, double part) {
  work.units *= part;
  for (Work& other : work.otherwise) other = part_of(std::move(other), part);
  return work;
}

std::vector<Work> stored_in_part(const std::vector<Work>& to_memory, const std::vector<Work>& handed_on,
                                 std::size_t stored, std::size_t results) {
  const double part = static_cast<double>(stored) / static_cast<double>(results);
  std::vector<Work> all;
  if (part > 0) {
    for (const Work& work : to_memory) all.push_back(part_of(work, part));
  }
  for (const Work& work : handed_on) all.push_back(part_of(work, 1 - part));
  return all;
}

double priced_piece(const Extent& largest_piece, const Extent& tile) {
  return static_cast<double>(std::min(tile.pixels(), std::max(fewest_priced_pixels, largest_piece.pixels())));
}

}  // namespace tilewright
