#include "../../src/calibrate/places.hpp"

#include <gtest/gtest.h>

#include <set>

namespace tilewright {
namespace {

constexpr std::int64_t memory = std::int64_t{4} << 20;

/// How many lines of memory that many turns touch.
std::size_t lines_touched(const MessageShape& shape, std::int64_t turns) {
  std::set<std::int64_t> lines;
  for (std::int64_t turn = 0; turn < turns; ++turn) {
    const std::int64_t begin = place_of_rows(turn, shape, memory);
    for (std::int64_t row = 0; row < shape.rows; ++row) {
      const std::int64_t first = begin + row * shape.pitch_bytes;
      EXPECT_LE(first + shape.row_bytes, memory);
      for (std::int64_t byte = first; byte < first + shape.row_bytes; byte += value_bytes)
        lines.insert(byte / line_bytes);
    }
  }
  return lines.size();
}

TEST(PlaceOfRows, MeetsFreshLinesHoweverWideTheStride) {
  for (const std::int64_t pitch : {64, 128, 1004, 4096}) {
    const MessageShape shape{512, 32, pitch};
    const std::size_t once = lines_touched(shape, 1);
    EXPECT_GE(lines_touched(shape, 20), 15 * once) << pitch;  // rows next to each other may have a line in common
  }
}

TEST(PlaceOfRows, OfOneRowIsItsTurn) {
  const MessageShape row{1, 100000, 100000};
  for (const std::int64_t turn : {0, 1, 40, 41, 100}) {
    EXPECT_EQ(place_of_rows(turn, row, memory), place_of_turn(turn, 100000, memory));
  }
}

}  // namespace
}  // namespace tilewright
