// Transfers through memory that all ranks share: no pixel is sent, each is copied once, and nobody touches the image
// while another may be at work on it.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/schedule_simulation.hpp"
#include "tilewright/transfers/outline.hpp"
#include "tilewright/transfers/schedule.hpp"

namespace tilewright {
namespace {

using test::ScheduleSimulation;

template <class Check>
void for_each_schedule(TransferKind kind, const Halo& along, Check check) {
  for (const Extent extent : {Extent{12, 12}, {13, 17}, {31, 7}, {1, 23}, {40, 1}}) {
    for (const ProcessGrid& grid : test::feasible_grids(extent, {}, 12)) {
      SCOPED_TRACE(to_string(extent) + " on " + to_string(grid));
      TransferSpec spec{kind, Algorithm::shared, grid, {extent, {PixelType::u16, 3}}, united({3, 2}, along)};
      spec.exchanged = along;
      check(make_schedule(spec));
    }
  }
}

TEST(Sharing, ScatterBringsEveryTileItsPixelsOnceWithTheHaloThatGoesAlong) {
  for (const Halo along : {Halo{0, 0}, {2, 1}, {40, 40}}) {
    for_each_schedule(TransferKind::scatter, along, [&](const Schedule& schedule) {
      const Extent extent = schedule.spec.image.extent;
      ScheduleSimulation simulation(schedule);
      simulation.at(0, Buffer::whole).fill(rect_of(extent), extent.width);
      simulation.run();
      for (int rank = 0; rank < schedule.spec.grid.ranks(); ++rank) {
        const Rect wanted = grown(schedule.tiles[static_cast<std::size_t>(rank)], along, extent);
        expect_holds_own_pixels(simulation.at(rank, Buffer::tile), wanted, extent.width, 1);
      }
    });
  }
}

TEST(Sharing, GatherBringsTheRootEveryPixelOnceAndNoHalo) {
  for_each_schedule(TransferKind::gather, {2, 1}, [](const Schedule& schedule) {
    const Extent extent = schedule.spec.image.extent;
    ScheduleSimulation simulation(schedule);
    for (int rank = 0; rank < schedule.spec.grid.ranks(); ++rank) {
      simulation.at(rank, Buffer::tile).fill(schedule.tiles[static_cast<std::size_t>(rank)], extent.width);
    }
    simulation.run();
    expect_holds_own_pixels(simulation.at(0, Buffer::whole), rect_of(extent), extent.width, 1);
  });
}

TEST(Sharing, BroadcastBringsEveryOtherRankTheWholeImageOnce) {
  for_each_schedule(TransferKind::broadcast, {}, [](const Schedule& schedule) {
    const Extent extent = schedule.spec.image.extent;
    ScheduleSimulation simulation(schedule);
    simulation.at(0, Buffer::whole).fill(rect_of(extent), extent.width);
    simulation.run();
    for (int rank = 0; rank < schedule.spec.grid.ranks(); ++rank) {
      expect_holds_own_pixels(simulation.at(rank, Buffer::whole), rect_of(extent), extent.width, rank == 0 ? 0 : 1);
    }
  });
}

/// The root lets each other rank begin, and hears from each when it is done; that is all that is sent.
TEST(Sharing, OnlyNoticesAreSentOneEachWay) {
  for (const TransferKind kind : {TransferKind::scatter, TransferKind::gather, TransferKind::broadcast}) {
    for_each_schedule(kind, {}, [](const Schedule& schedule) {
      const int others = schedule.spec.grid.ranks() - 1;
      EXPECT_EQ(schedule.message_count(), 2 * others);
      EXPECT_EQ(schedule.message_bytes(), 0);
      EXPECT_EQ(schedule.layouts(), "");
      EXPECT_EQ(schedule.scratch_bytes(0), 0);
      EXPECT_TRUE(schedule.copies_before.empty()) << "nobody copies before the root has let him";
      const auto is_from_root = [](const Round& round) { return round.front().sender == 0; };
      EXPECT_TRUE(std::all_of(schedule.rounds.begin(), schedule.rounds.end(), is_from_root));
      EXPECT_TRUE(std::none_of(schedule.last_rounds.begin(), schedule.last_rounds.end(), is_from_root));
      EXPECT_TRUE(test::ends_with_synchronous_sends(schedule));
    });
  }
}

TEST(Sharing, TheLargestCopyIsThatOfTheScheduleAndLiesAsItDoesThere) {
  for (const Halo along : {Halo{0, 0}, {2, 1}, {40, 40}}) {
    for_each_schedule(TransferKind::scatter, along, [](const Schedule& schedule) {
      EXPECT_EQ(largest_copy(schedule.spec).bytes, schedule.copied_bytes());
    });
  }
  TransferSpec strips{TransferKind::gather, Algorithm::shared, {1, 4}, {{64, 48}, {PixelType::f32, 1}}};
  EXPECT_EQ(largest_copy(strips).layout, Layout::cc);
  EXPECT_EQ(largest_copy(strips).bytes, make_schedule(strips).copied_bytes());
  strips.storage = {2, 2};
  EXPECT_EQ(largest_copy(strips).layout, Layout::nc);
  strips.kind = TransferKind::broadcast;
  EXPECT_EQ(largest_copy(strips).layout, Layout::cc);
  EXPECT_EQ(largest_copy(strips).bytes, strips.image.bytes());
}

TEST(Sharing, ReadsAsNotices) {
  const TransferSpec spec{TransferKind::scatter, Algorithm::shared, {1, 2}, {{4, 4}, {PixelType::u8, 1}}};
  EXPECT_EQ(describe(make_schedule(spec)),
            "round 0: 0 -> 1 shared [0,0)x[0,0) to shared [0,0)x[0,0) cc 0 B\n"
            "round 1: 1 -> 0 shared [0,0)x[0,0) to shared [0,0)x[0,0) cc 0 B\n");
}

}  // namespace
}  // namespace tilewright
