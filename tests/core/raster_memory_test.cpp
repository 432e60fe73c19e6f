#include "../../src/core/raster_memory.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <new>
#include <set>

#include "tilewright/core/raster.hpp"

namespace tilewright {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

TEST(RasterMemory, BeginsAtAHugePageAndCanBeWritten) {
  RasterMemory memory;
  for (const std::size_t bytes : {4 * mebibyte, 5 * mebibyte + 1}) {
    const RasterMemory::Block block = memory.take(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.data) % (2 * mebibyte), 0U);
    EXPECT_GE(block.bytes, bytes);
    block.data[0] = block.data[block.bytes - 1] = std::byte{1};
    memory.give_back(block);
  }
}

TEST(RasterMemory, GivesTheSameBlockAgain) {
  RasterMemory memory;
  const RasterMemory::Block first = memory.take(8 * mebibyte);
  memory.give_back(first);
  EXPECT_EQ(memory.kept_bytes(), first.bytes);
  const RasterMemory::Block slightly_smaller = memory.take(8 * mebibyte - 100'000);
  EXPECT_EQ(slightly_smaller.data, first.data);
  EXPECT_EQ(slightly_smaller.bytes, first.bytes);
  EXPECT_EQ(memory.kept_bytes(), 0U);
  memory.give_back(slightly_smaller);
}

TEST(RasterMemory, DoesNotWasteALargeBlockOnASmallRaster) {
  RasterMemory memory;
  const RasterMemory::Block large = memory.take(16 * mebibyte);
  memory.give_back(large);
  const RasterMemory::Block small = memory.take(4 * mebibyte);
  EXPECT_NE(small.data, large.data);
  EXPECT_EQ(small.bytes, 4 * mebibyte);
  memory.give_back(small);
}

TEST(RasterMemory, GivesFirstWhatCameBackLast) {
  RasterMemory memory;
  const RasterMemory::Block exact = memory.take(8 * mebibyte);
  const RasterMemory::Block also_exact = memory.take(8 * mebibyte);
  const RasterMemory::Block larger = memory.take(8 * mebibyte + 100'000);
  memory.give_back(exact);
  memory.give_back(also_exact);
  memory.give_back(larger);
  for (const RasterMemory::Block& newest : {larger, also_exact, exact})
    EXPECT_EQ(memory.take(8 * mebibyte).data, newest.data);
  for (const RasterMemory::Block& block : {also_exact, larger, exact}) memory.give_back(block);
  EXPECT_EQ(memory.take(8 * mebibyte).data, exact.data);
  memory.give_back(exact);
}

/// Of a chain that computes its halos a tile is a little smaller than the one before, and the next run begins with the
/// largest again.
TEST(RasterMemory, GivesTilesOfOneImageFewBlocks) {
  RasterMemory memory;
  std::set<std::byte*> places;
  for (int run = 0; run < 3; ++run) {
    RasterMemory::Block tile = memory.take(2 * mebibyte + 100'000);
    for (std::size_t rows = 19; rows > 0; --rows) {
      places.insert(tile.data);
      const RasterMemory::Block next = memory.take(2 * mebibyte + rows * 5000);
      memory.give_back(tile);
      tile = next;
    }
    memory.give_back(tile);
  }
  EXPECT_EQ(places.size(), 2U);
}

TEST(RasterMemory, AlignsSmallBlocksAsKernelsWantThem) {
  RasterMemory memory;
  for (const std::size_t bytes : {smallest_kept_bytes, smallest_kept_bytes + 1, 4 * mebibyte - 1}) {
    const RasterMemory::Block block = memory.take(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.data) % 64, 0U);
    EXPECT_GE(block.bytes, bytes);
    EXPECT_LE(block.bytes, bytes + bytes / 8);
    block.data[0] = block.data[block.bytes - 1] = std::byte{1};
    memory.give_back(block);
  }
}

TEST(RasterMemory, NeverHoldsMoreThanWasInUseAtOnce) {
  RasterMemory memory;
  const RasterMemory::Block a = memory.take(8 * mebibyte);
  const RasterMemory::Block b = memory.take(8 * mebibyte);
  memory.give_back(a);
  memory.give_back(b);
  EXPECT_EQ(memory.kept_bytes(), 16 * mebibyte);
  const RasterMemory::Block c = memory.take(5 * mebibyte);  // 16 have been in use: one of 8 has to go
  EXPECT_EQ(memory.kept_bytes(), 8 * mebibyte);
  const RasterMemory::Block d = memory.take(20 * mebibyte);
  EXPECT_EQ(memory.kept_bytes(), 0U);
  memory.give_back(c);
  memory.give_back(d);
  EXPECT_EQ(memory.kept_bytes(), 25 * mebibyte);
}

TEST(RasterMemory, SaysWhatTheSystemDoesNotHave) {
  RasterMemory memory;
  EXPECT_THROW((void)memory.take(std::numeric_limits<std::size_t>::max() / 4), std::bad_alloc);
  memory.give_back(memory.take(8 * mebibyte));
  memory.give_back(memory.take(5 * mebibyte));
  EXPECT_EQ(memory.kept_bytes(), 5 * mebibyte) << "8 were in use at most, whatever was asked for";
}

TEST(RasterMemory, IsWhereRastersOfAProcessLie) {
  for (const std::int64_t side : {256, 1024}) {
    const ImageShape shape{{side, side}, {PixelType::f32, 2}};
    const void* address = nullptr;
    {
      Raster raster(shape);
      address = raster.view().bytes_at(0, 0);
    }
    const auto bytes = static_cast<std::size_t>(shape.bytes());
    EXPECT_GE(raster_memory(bytes).kept_bytes(), bytes);
    Raster raster(shape);
    EXPECT_EQ(raster.view().bytes_at(0, 0), address) << side;
  }
}

/// A block is of the memory that it came from, also where its size was rounded up to that of a mapped one.
TEST(RasterMemory, OfAProcessIsOneForMappedBlocksAndOneForOthers) {
  EXPECT_NE(&raster_memory(smallest_kept_bytes), &raster_memory(smallest_mapped_bytes));
  for (const std::size_t bytes : {smallest_kept_bytes + 1, 3 * mebibyte, 4 * mebibyte - 1, 5 * mebibyte + 1}) {
    const RasterMemory::Block block = raster_memory(bytes).take(bytes);
    EXPECT_EQ(&raster_memory(block.bytes), &raster_memory(bytes)) << bytes;
    raster_memory(block.bytes).give_back(block);
  }
}

}  // namespace
}  // namespace tilewright
