// The redistribution from one grid to another: every pixel comes to its new tile once, in turns that end.
#include <gtest/gtest.h>

#include "support/schedule_simulation.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/transfers/schedule.hpp"

namespace tilewright {
namespace {

using test::ScheduleSimulation;
using test::SymbolicBuffer;

Schedule redistribution(const Extent& extent, const ProcessGrid& former, const ProcessGrid& grid, const Halo& storage) {
  return make_schedule({.kind = TransferKind::redistribute,
                        .grid = grid,
                        .image = {extent, {PixelType::f32, 1}},
                        .storage = storage,
                        .former = former});
}

void expect_new_tiles(const Schedule& schedule) {
  const std::int64_t width = schedule.spec.image.extent.width;
  ScheduleSimulation simulation(schedule);
  for (int rank = 0; rank < schedule.spec.grid.ranks(); ++rank) {
    simulation.at(rank, Buffer::former).fill(schedule.former[static_cast<std::size_t>(rank)], width);
  }
  simulation.run();
  for (int rank = 0; rank < schedule.spec.grid.ranks(); ++rank) {
    const Rect tile = schedule.tiles[static_cast<std::size_t>(rank)];
    const SymbolicBuffer& buffer = simulation.at(rank, Buffer::tile);
    const Rect stored = buffer.stored();
    for (std::int64_t y = stored.y0; y < stored.y1; ++y) {
      for (std::int64_t x = stored.x0; x < stored.x1; ++x) {
        const bool owned = tile.contains({x, y, x + 1, y + 1});
        ASSERT_EQ(buffer.pixel(x, y), owned ? y * width + x : SymbolicBuffer::nothing) << x << ' ' << y;
        ASSERT_EQ(buffer.writes(x, y), owned ? 1 : 0) << x << ' ' << y;
      }
    }
  }
}

TEST(Redistribution, BringsEveryPixelToItsNewTileOnce) {
  int count = 0;
  for (const Extent& extent : {Extent{12, 12}, {25, 29}, {37, 14}}) {
    for (const Halo& storage : {Halo{0, 0}, {2, 1}, {0, 3}}) {
      for (const ProcessGrid& former : test::feasible_grids(extent, {}, 12)) {
        for (const ProcessGrid& grid : grids_of(former.ranks())) {
          if (!is_feasible(extent, grid, {})) continue;
          SCOPED_TRACE(to_string(extent) + " from " + to_string(former) + " to " + to_string(grid));
          const Schedule schedule = redistribution(extent, former, grid, storage);
          expect_new_tiles(schedule);
          EXPECT_TRUE(test::ends_with_synchronous_sends(schedule));
          EXPECT_TRUE(former != grid || schedule.rounds.empty()) << "nothing moves on the same grid";
          ++count;
        }
      }
    }
  }
  EXPECT_GT(count, 500);
}

TEST(Redistribution, OfStripsIsATotalExchange) {
  const Schedule schedule = redistribution({64, 64}, {1, 8}, {8, 1}, {0, 0});
  EXPECT_EQ(schedule.rounds.size(), 7U);
  EXPECT_EQ(schedule.message_count(), 8 * 7);
  EXPECT_EQ(schedule.message_bytes(), 8 * 7 * 8 * 8 * 4);
  EXPECT_EQ(schedule.copied_bytes(), 8 * 8 * 4);
  EXPECT_EQ(schedule.layouts(), "nc");
}

TEST(Redistribution, HasNoAlgorithmToChoose) {
  EXPECT_THROW((void)make_schedule({.kind = TransferKind::redistribute, .algorithm = Algorithm::oft, .grid = {1, 2}}),
               ParameterError);
}

}  // namespace
}  // namespace tilewright
