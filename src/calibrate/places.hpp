// Where measured messages and tiles lie: in places that take turns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tilewright/calibrate/message_shape.hpp"

namespace tilewright {

/// What a plan sends has left the caches nearest to its rank, or lies in none, and is sent once. So what is measured
/// has its own place each time, until this much has been used.
inline constexpr std::int64_t rotated_bytes = std::int64_t{16} << 20;
inline constexpr std::int64_t line_bytes = 64;

/// Writes one byte in each line of so many bytes, so that they pass through the caches.
inline void pass_lines(std::byte* begin, std::int64_t bytes) {
  for (std::int64_t byte = 0; byte < bytes; byte += line_bytes) begin[byte] ^= std::byte{1};
}

/// From the beginning of a place for so many bytes to that of the next: lines that no other place has a part of.
constexpr std::int64_t place_bytes(std::int64_t bytes) {
  return (bytes / line_bytes + 1) * line_bytes;
}

/// So many of them that memory has room for, one at least.
constexpr std::int64_t places_in(std::int64_t memory_bytes, std::int64_t bytes) {
  return std::max<std::int64_t>(1, memory_bytes / place_bytes(bytes));
}

/// Where the place begins whose turn it is, of those that memory has room for, and one at least. In bytes, as are the
/// place's and the memory's.
constexpr std::int64_t place_of_turn(std::int64_t turn, std::int64_t bytes, std::int64_t memory_bytes) {
  return turn % places_in(memory_bytes, bytes) * place_bytes(bytes);
}

/// Messages of one shape begin here, one after another, and over again when `rotated_bytes` have been touched.
///
/// Rows that lie apart touch few of a place's lines: when each place has had its turn, the next rows lie between those
/// before. Else what has wide gaps would come from the nearest caches.
class MessagePlaces {
 public:
  explicit constexpr MessagePlaces(const MessageShape& shape)
      : place_bytes_(place_bytes(shape.extent_bytes())),
        step_bytes_(place_bytes(shape.row_bytes)),
        places_(places_in(memory_bytes(shape.extent_bytes()), shape.extent_bytes())) {
    const std::int64_t touched_bytes = places_ * std::max<std::int64_t>(1, shape.rows) * step_bytes_;
    const std::int64_t between = std::max<std::int64_t>(1, shape.pitch_bytes / step_bytes_);
    steps_ = std::clamp<std::int64_t>(rotated_bytes / touched_bytes, 1, between);
  }

  /// What a message that reaches over so many bytes needs: two are under way at a time.
  static constexpr std::int64_t memory_bytes(std::int64_t extent_bytes) {
    return std::max(rotated_bytes, 2 * place_bytes(extent_bytes));
  }

  /// How many messages begin where none before has.
  [[nodiscard]] constexpr std::int64_t turns() const { return places_ * steps_; }
  /// In bytes of the memory.
  [[nodiscard]] constexpr std::int64_t begin(std::int64_t turn) const {
    return turn % places_ * place_bytes_ + turn / places_ % steps_ * step_bytes_;
  }

 private:
  std::int64_t place_bytes_;
  std::int64_t step_bytes_;
  std::int64_t places_;
  std::int64_t steps_ = 1;
};

}  // namespace tilewright
