#include "../../src/calibrate/places.hpp"

#include <gtest/gtest.h>

#include <set>

namespace tilewright {
namespace {

constexpr MessagePlaces places_of(const MessageShape& shape) {
  return MessagePlaces(shape);
}

/// What a message of that turn touches, line by line; nothing beyond the memory that it needs.
std::set<std::int64_t> lines_of(const MessageShape& shape, std::int64_t turn) {
  std::set<std::int64_t> lines;
  for (std::int64_t row = 0; row < shape.rows; ++row) {
    const std::int64_t first = places_of(shape).begin(turn) + row * shape.pitch_bytes;
    EXPECT_LE(first + shape.row_bytes, MessagePlaces::memory_bytes(shape.extent_bytes()));
    for (std::int64_t byte = first; byte < first + shape.row_bytes; byte += value_bytes)
      lines.insert(byte / line_bytes);
  }
  return lines;
}

std::int64_t bytes_touched(const MessageShape& shape, std::int64_t turns) {
  std::set<std::int64_t> lines;
  for (std::int64_t turn = 0; turn < turns; ++turn) lines.merge(lines_of(shape, turn));
  return std::ssize(lines) * line_bytes;
}

TEST(MessagePlaces, TouchAsMuchBeforeTheyComeOverAgainWhateverTheStride) {
  for (const std::int64_t pitch : {32, 64, 128, 1004, 4096}) {
    const MessageShape shape{512, 32, pitch};
    const std::int64_t turns = places_of(shape).turns();
    EXPECT_GE(bytes_touched(shape, turns), rotated_bytes / 2) << pitch;
    EXPECT_LE(bytes_touched(shape, turns), rotated_bytes + rotated_bytes / 8) << pitch;
    EXPECT_GE(bytes_touched(shape, 20), 15 * bytes_touched(shape, 1)) << pitch;  // rows may have a line in common
    EXPECT_EQ(places_of(shape).begin(turns), places_of(shape).begin(0)) << pitch;
  }
}

TEST(MessagePlaces, OfOneRowFollowEachOther) {
  const MessageShape row{1, 100000, 100000};
  for (const std::int64_t turn : {0, 1, 40}) EXPECT_EQ(places_of(row).begin(turn), turn * place_bytes(100000));
}

TEST(MessagePlaces, OfMessagesTooLongToTakeTurnsAreTwo) {
  const MessageShape long_rows{1 << 15, 512, 1004};
  const MessagePlaces places = places_of(long_rows);
  EXPECT_EQ(places.turns(), 2);
  EXPECT_GE(places.begin(1), long_rows.extent_bytes());
  EXPECT_FALSE(lines_of(long_rows, 1).empty());
}

TEST(MessagePlaces, OfEmptyMessagesAreThere) {
  EXPECT_GE(places_of({100, 0, 8}).turns(), 2);
  EXPECT_GE(places_of({1, 0, 0}).turns(), 2);
}

}  // namespace
}  // namespace tilewright
