// Where measured messages and tiles lie: in places that take turns.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace tilewright {

/// What a plan sends has left the caches nearest to its rank, or lies in none, and is sent once. So what is measured
/// has its own place each time, until this much has been used.
inline constexpr std::int64_t rotated_bytes = std::int64_t{16} << 20;
inline constexpr std::int64_t line_bytes = 64;

/// From the beginning of a place for so many bytes to that of the next: lines that no other place has a part of.
constexpr std::int64_t place_bytes(std::int64_t bytes) {
  return (bytes / line_bytes + 1) * line_bytes;
}

/// Where the place begins whose turn it is, of those that memory has room for, at most so many, and one at least. In
/// bytes, as are the place's and the memory's.
constexpr std::int64_t place_of_turn(std::int64_t turn, std::int64_t bytes, std::int64_t memory_bytes,
                                     std::int64_t most_places = std::numeric_limits<std::int64_t>::max()) {
  const std::int64_t place = place_bytes(bytes);
  return turn % std::clamp<std::int64_t>(memory_bytes / place, 1, most_places) * place;
}

}  // namespace tilewright
