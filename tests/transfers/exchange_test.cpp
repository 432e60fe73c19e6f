// The four-step border exchange: fills exactly the halo, corners too, and across the image's edges if it is cyclic.
#include <gtest/gtest.h>

#include "support/schedule_simulation.hpp"
#include "tilewright/transfers/schedule.hpp"

namespace tilewright {
namespace {

using test::ScheduleSimulation;
using test::SymbolicBuffer;

constexpr Extent extents[] = {{12, 12}, {25, 29}, {37, 14}};

struct Halos {
  Halo storage;
  Halo exchanged;
};
constexpr Halos halo_pairs[] = {
    {{2, 2}, {2, 2}}, {{3, 1}, {3, 1}}, {{3, 3}, {1, 2}}, {{2, 0}, {2, 0}}, {{0, 3}, {0, 3}}};

Schedule exchange(const Extent& extent, const ProcessGrid& grid, const Halos& halos, bool cyclic) {
  return make_schedule({.kind = TransferKind::exchange,
                        .grid = grid,
                        .image = {extent, {PixelType::f32, 1}},
                        .storage = halos.storage,
                        .exchanged = halos.exchanged,
                        .cyclic = cyclic});
}

template <class Check>
int for_each_exchange(bool cyclic, Check check) {
  int count = 0;
  for (const Extent& extent : extents) {
    for (const Halos& halos : halo_pairs) {
      for (const ProcessGrid& grid : test::feasible_grids(extent, halos.exchanged, 12)) {
        SCOPED_TRACE(to_string(extent) + " on " + to_string(grid));
        const Schedule schedule = exchange(extent, grid, halos, cyclic);
        check(schedule);
        ++count;
      }
    }
  }
  return count;
}

void fill_tiles(ScheduleSimulation& simulation, const Schedule& schedule) {
  for (int rank = 0; rank < schedule.spec.grid.ranks(); ++rank) {
    simulation.at(rank, Buffer::tile)
        .fill(schedule.tiles[static_cast<std::size_t>(rank)], schedule.spec.image.extent.width);
  }
}

template <class Check>
void for_each_pixel(const Rect& area, Check check) {
  for (std::int64_t y = area.y0; y < area.y1; ++y) {
    for (std::int64_t x = area.x0; x < area.x1; ++x) check(x, y);
  }
}

TEST(Exchange, FillsTheHaloInsideTheImageOnceAndNothingElse) {
  const int count = for_each_exchange(false, [](const Schedule& schedule) {
    const Extent extent = schedule.spec.image.extent;
    ScheduleSimulation simulation(schedule);
    fill_tiles(simulation, schedule);
    simulation.run();
    for (int rank = 0; rank < schedule.spec.grid.ranks(); ++rank) {
      const Rect tile = schedule.tiles[static_cast<std::size_t>(rank)];
      const Rect wanted = intersection(test::with_halo(tile, schedule.spec.exchanged), rect_of(extent));
      const SymbolicBuffer& buffer = simulation.at(rank, Buffer::tile);
      for_each_pixel(buffer.stored(), [&](std::int64_t x, std::int64_t y) {
        const Rect pixel{x, y, x + 1, y + 1};
        const bool in_image = rect_of(extent).contains(pixel);
        const bool expected = wanted.contains(pixel);
        ASSERT_EQ(buffer.pixel(x, y), expected ? y * extent.width + x : SymbolicBuffer::nothing) << x << ' ' << y;
        if (!in_image) return;  // rows travel with what lies beyond the image's edges
        ASSERT_EQ(buffer.writes(x, y), expected && !tile.contains(pixel) ? 1 : 0) << x << ' ' << y;
      });
    }
    EXPECT_TRUE(test::ends_with_synchronous_sends(schedule));
    EXPECT_TRUE(schedule.copies_before.empty());
    EXPECT_TRUE(schedule.copies_after.empty());
  });
  EXPECT_GT(count, 300);
}

std::int64_t wrapped(std::int64_t index, std::int64_t size) {
  return ((index % size) + size) % size;
}

TEST(Exchange, CyclicBringsThePixelsOfTheOtherSideOfTheImage) {
  for_each_exchange(true, [](const Schedule& schedule) {
    const Extent extent = schedule.spec.image.extent;
    const ProcessGrid grid = schedule.spec.grid;
    ScheduleSimulation simulation(schedule);
    fill_tiles(simulation, schedule);
    simulation.run();
    // A direction with one rank is not exchanged: that rank has all of its pixels, and wraps them itself.
    const Halo moved{grid.x > 1 ? schedule.spec.exchanged.x : 0, grid.y > 1 ? schedule.spec.exchanged.y : 0};
    for (int rank = 0; rank < grid.ranks(); ++rank) {
      const Rect tile = schedule.tiles[static_cast<std::size_t>(rank)];
      const SymbolicBuffer& buffer = simulation.at(rank, Buffer::tile);
      for_each_pixel(buffer.stored(), [&](std::int64_t x, std::int64_t y) {
        const bool expected = test::with_halo(tile, moved).contains(Rect{x, y, x + 1, y + 1});
        const std::int64_t wanted = wrapped(y, extent.height) * extent.width + wrapped(x, extent.width);
        ASSERT_EQ(buffer.pixel(x, y), expected ? wanted : SymbolicBuffer::nothing) << x << ' ' << y;
      });
    }
    EXPECT_TRUE(test::ends_with_synchronous_sends(schedule));
  });
}

TEST(Exchange, CountsMessagesAndBytes) {
  for_each_exchange(false, [](const Schedule& schedule) {
    const int without_pixels = first_with_pixels(schedule.spec.grid);
    const int x = std::max(1, schedule.spec.grid.x - without_pixels);
    const int y = std::max(1, schedule.spec.grid.y - without_pixels);
    const Halo halo = schedule.spec.exchanged;
    const Extent extent = schedule.spec.image.extent;
    const bool in_x = halo.x > 0 && x > 1;
    const bool in_y = halo.y > 0 && y > 1;
    EXPECT_EQ(schedule.rounds.size(), (in_x ? 2U : 0U) + (in_y ? 2U : 0U));
    EXPECT_EQ(schedule.message_count(), (in_x ? 2 * (x - 1) * y : 0) + (in_y ? 2 * x * (y - 1) : 0));
    const std::int64_t columns = in_x ? 2 * (x - 1) * halo.x * extent.height : 0;
    const std::int64_t rows = in_y ? 2 * (y - 1) * halo.y * (extent.width + 2 * halo.x * x) : 0;
    EXPECT_EQ(schedule.message_bytes(), 4 * (columns + rows));
  });
}

TEST(Exchange, GoesRightLeftDownUp) {
  const Schedule schedule = exchange({8, 8}, {2, 2}, {{1, 1}, {1, 1}}, false);
  EXPECT_EQ(describe(schedule),
            "round 0: 0 -> 1 tile [3,4)x[0,4) to tile [3,4)x[0,4) nn 16 B\n"
            "round 0: 2 -> 3 tile [3,4)x[4,8) to tile [3,4)x[4,8) nn 16 B\n"
            "round 1: 1 -> 0 tile [4,5)x[0,4) to tile [4,5)x[0,4) nn 16 B\n"
            "round 1: 3 -> 2 tile [4,5)x[4,8) to tile [4,5)x[4,8) nn 16 B\n"
            "round 2: 0 -> 2 tile [-1,5)x[3,4) to tile [-1,5)x[3,4) cc 24 B\n"
            "round 2: 1 -> 3 tile [3,9)x[3,4) to tile [3,9)x[3,4) cc 24 B\n"
            "round 3: 2 -> 0 tile [-1,5)x[4,5) to tile [-1,5)x[4,5) cc 24 B\n"
            "round 3: 3 -> 1 tile [3,9)x[4,5) to tile [3,9)x[4,5) cc 24 B\n");
}

TEST(Exchange, RowsAreContiguousWhereTheHaloFillsThePitch) {
  EXPECT_EQ(exchange({32, 32}, {1, 4}, {{3, 3}, {3, 3}}, false).layouts(), "cc");
  EXPECT_EQ(exchange({32, 32}, {4, 1}, {{3, 3}, {3, 3}}, false).layouts(), "nn");
  EXPECT_EQ(exchange({32, 32}, {2, 2}, {{3, 3}, {3, 3}}, false).layouts(), "cc+nn");
  EXPECT_EQ(exchange({32, 32}, {2, 2}, {{3, 3}, {2, 2}}, false).layouts(), "nn");
}

TEST(Exchange, OfTooLargeAHaloIsMadeSoThatItCanBePriced) {
  const Schedule schedule = exchange({16, 16}, {8, 1}, {{5, 0}, {5, 0}}, false);
  EXPECT_EQ(schedule.message_count(), 14);
  EXPECT_EQ(schedule.bytes(schedule.rounds.front().front()), 5 * 16 * 4);
}

}  // namespace
}  // namespace tilewright
