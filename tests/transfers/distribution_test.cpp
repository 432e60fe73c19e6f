// Scatter, gather and broadcast: every pixel arrives once and in its place, for every grid of up to 12 ranks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "support/schedule_simulation.hpp"
#include "tilewright/transfers/outline.hpp"
#include "tilewright/transfers/schedule.hpp"

namespace tilewright {
namespace {

using test::ScheduleSimulation;

constexpr Extent extents[] = {{12, 12}, {13, 17}, {31, 7}, {1, 23}, {40, 1}};
constexpr Halo storages[] = {{0, 0}, {3, 2}};

/// Calls `check` with a spec for every size, storage, grid and tree; and counts.
template <class Check>
int for_each_spec(TransferKind kind, Check check) {
  int count = 0;
  for (const Extent& extent : extents) {
    for (const Halo& storage : storages) {
      for (const ProcessGrid& grid : test::feasible_grids(extent, {}, 12)) {
        for (const Algorithm algorithm : all_trees) {
          const TransferSpec spec{kind, algorithm, grid, {extent, {PixelType::u16, 3}}, storage};
          SCOPED_TRACE(to_string(kind));
          SCOPED_TRACE(to_string(extent) + " on " + to_string(grid));
          SCOPED_TRACE(to_string(algorithm));
          check(make_schedule(spec));
          ++count;
        }
      }
    }
  }
  return count;
}

TEST(Scatter, BringsEveryTileItsPixelsOnce) {
  const int count = for_each_spec(TransferKind::scatter, [](const Schedule& schedule) {
    const Extent extent = schedule.spec.image.extent;
    ScheduleSimulation simulation(schedule);
    simulation.at(0, Buffer::whole).fill(rect_of(extent), extent.width);
    simulation.run();
    for (int rank = 0; rank < schedule.spec.grid.ranks(); ++rank) {
      const Rect tile = tile_of(extent, schedule.spec.grid, rank);
      EXPECT_EQ(schedule.tiles[static_cast<std::size_t>(rank)], tile);
      expect_holds_own_pixels(simulation.at(rank, Buffer::tile), tile, extent.width, 1);
    }
    EXPECT_TRUE(test::ends_with_synchronous_sends(schedule));
  });
  EXPECT_GT(count, 400);
}

/// Also where the halo is deeper than a neighbour's tile.
TEST(Scatter, BringsTheHaloAlongAsFarAsItIsInTheImage) {
  for (const Halo& halo : {Halo{1, 1}, Halo{0, 2}, Halo{7, 5}, Halo{40, 40}}) {
    for_each_spec(TransferKind::scatter, [&](const Schedule& plain) {
      TransferSpec spec = plain.spec;
      spec.storage = united(spec.storage, halo);
      spec.exchanged = halo;
      const Schedule schedule = make_schedule(spec);
      const Extent extent = spec.image.extent;
      ScheduleSimulation simulation(schedule);
      simulation.at(0, Buffer::whole).fill(rect_of(extent), extent.width);
      simulation.run();
      for (int rank = 0; rank < spec.grid.ranks(); ++rank) {
        const Rect wanted =
            intersection(test::with_halo(plain.tiles[static_cast<std::size_t>(rank)], halo), rect_of(extent));
        expect_holds_own_pixels(simulation.at(rank, Buffer::tile), wanted, extent.width, 1);
      }
      EXPECT_EQ(schedule.message_count(), plain.message_count());
      EXPECT_EQ(schedule.tiles, plain.tiles) << "what a rank owns is the same";
      EXPECT_TRUE(test::ends_with_synchronous_sends(schedule));
    });
  }
}

TEST(Gather, TakesNoHalo) {
  for_each_spec(TransferKind::gather, [](const Schedule& plain) {
    TransferSpec spec = plain.spec;
    spec.exchanged = spec.storage;
    EXPECT_EQ(describe(make_schedule(spec)), describe(plain));
  });
}

TEST(Gather, BringsTheRootEveryPixelOnce) {
  for_each_spec(TransferKind::gather, [](const Schedule& schedule) {
    const Extent extent = schedule.spec.image.extent;
    ScheduleSimulation simulation(schedule);
    for (int rank = 0; rank < schedule.spec.grid.ranks(); ++rank) {
      simulation.at(rank, Buffer::tile).fill(schedule.tiles[static_cast<std::size_t>(rank)], extent.width);
    }
    simulation.run();
    expect_holds_own_pixels(simulation.at(0, Buffer::whole), rect_of(extent), extent.width, 1);
    EXPECT_TRUE(test::ends_with_synchronous_sends(schedule));
  });
}

/// It cuts nothing, so that the form of the grid is no matter.
TEST(Broadcast, TakesAsManyRoundsAsRanksCanBeHalved) {
  for (const ProcessGrid& grid : {ProcessGrid{1, 15}, {3, 5}, {5, 3}, {5, 5}, {9, 9}}) {
    const Schedule schedule = make_schedule({.kind = TransferKind::broadcast,
                                             .algorithm = Algorithm::sbt,
                                             .grid = grid,
                                             .image = {{100, 100}, {PixelType::u8, 1}}});
    EXPECT_EQ(std::ssize(schedule.rounds), std::bit_width(static_cast<unsigned>(grid.ranks() - 1))) << to_string(grid);
    EXPECT_EQ(root_messages(schedule.spec), std::ssize(schedule.rounds)) << to_string(grid);
  }
}

TEST(Broadcast, BringsEveryOtherRankTheWholeImageOnce) {
  for_each_spec(TransferKind::broadcast, [](const Schedule& schedule) {
    const Extent extent = schedule.spec.image.extent;
    ScheduleSimulation simulation(schedule);
    simulation.at(0, Buffer::whole).fill(rect_of(extent), extent.width);
    simulation.run();
    for (int rank = 0; rank < schedule.spec.grid.ranks(); ++rank) {
      expect_holds_own_pixels(simulation.at(rank, Buffer::whole), rect_of(extent), extent.width, rank == 0 ? 0 : 1);
    }
    EXPECT_TRUE(test::ends_with_synchronous_sends(schedule));
    EXPECT_EQ(schedule.message_count(), schedule.spec.grid.ranks() - 1);
    EXPECT_EQ(schedule.message_bytes(), (schedule.spec.grid.ranks() - 1) * schedule.spec.image.bytes());
    EXPECT_EQ(schedule.layouts(), schedule.spec.grid.ranks() == 1 ? "" : "cc");
  });
}

/// Every rank sends and receives in every hop, so that no link is idle.
TEST(Allgather, BringsEveryRankThePixelsOfAllOthersOnce) {
  int count = 0;
  std::vector<ProcessGrid> uneven{{1, 4, {}, {1, 4, 4, 1}}, {1, 3, {}, {0, 1, 1}}, {1, 2, {}, {0, 1}}};
  for (const Extent& extent : extents) {
    std::vector<ProcessGrid> grids = test::feasible_grids(extent, {}, 12);
    if (extent.height > 12) grids.insert(grids.end(), uneven.begin(), uneven.end());
    for (const ProcessGrid& grid : grids) {
      SCOPED_TRACE(to_string(extent) + " on " + to_string(grid));
      const Schedule schedule = make_schedule(
          {.kind = TransferKind::allgather, .grid = grid, .image = {extent, {PixelType::u16, 3}}, .storage = {3, 2}});
      ScheduleSimulation simulation(schedule);
      for (int rank = 0; rank < grid.ranks(); ++rank) {
        simulation.at(rank, Buffer::tile).fill(schedule.tiles[static_cast<std::size_t>(rank)], extent.width);
      }
      simulation.run();
      for (int rank = 0; rank < grid.ranks(); ++rank) {
        expect_holds_own_pixels(simulation.at(rank, Buffer::whole), rect_of(extent), extent.width, 1);
      }
      EXPECT_TRUE(test::ends_with_synchronous_sends(schedule));
      EXPECT_EQ(schedule.rounds.size(), static_cast<std::size_t>(grid.ranks() - 1));
      EXPECT_EQ(schedule.message_bytes(), (grid.ranks() - 1) * schedule.spec.image.bytes());
      ++count;
    }
  }
  EXPECT_GT(count, 100);
}

TEST(Distribution, SendsOneMessageToEveryRankButTheRoot) {
  for (const TransferKind kind : {TransferKind::scatter, TransferKind::gather}) {
    for_each_spec(kind, [](const Schedule& schedule) {
      EXPECT_EQ(schedule.message_count(), schedule.spec.grid.ranks() - 1);
      const Rect own = schedule.tiles[0];
      const std::int64_t others = schedule.spec.image.extent.pixels() - own.pixels();
      // A flat tree sends every pixel once, a binomial tree also on its way.
      const bool flat = schedule.spec.algorithm == Algorithm::oft;
      EXPECT_GE(schedule.message_bytes(), 6 * others);
      EXPECT_TRUE(!flat || schedule.message_bytes() == 6 * others);
    });
  }
}

TEST(Gather, IsTheScatterBackwards) {
  for_each_spec(TransferKind::gather, [](const Schedule& gather) {
    TransferSpec spec = gather.spec;
    spec.kind = TransferKind::scatter;
    const Schedule scatter = make_schedule(spec);
    EXPECT_EQ(gather.forwards, scatter.forwards);
    ASSERT_EQ(gather.rounds.size(), scatter.rounds.size());
    // A flat tree keeps the order of the ranks, a binomial tree works from the leaves to the root.
    const bool flat = spec.algorithm == Algorithm::oft;
    for (std::size_t i = 0; i < gather.rounds.size(); ++i) {
      const Round& there = scatter.rounds[flat ? i : scatter.rounds.size() - 1 - i];
      ASSERT_EQ(gather.rounds[i].size(), there.size());
      for (std::size_t m = 0; m < there.size(); ++m) {
        const Message& s = there[m];
        EXPECT_EQ(gather.rounds[i][m],
                  (Message{s.receiver, s.sender, s.target_area, s.source_area, s.target, s.source}));
      }
    }
    ASSERT_EQ(gather.copies_before.size(), scatter.copies_after.size());
    for (std::size_t i = 0; i < gather.copies_before.size(); ++i) {
      const LocalCopy& s = scatter.copies_after[i];
      EXPECT_EQ(gather.copies_before[i], (LocalCopy{s.rank, s.area, s.target, s.source}));
    }
    EXPECT_TRUE(gather.copies_after.empty());
  });
}

TEST(Tree, WaitsUntilALargeBlockHasArrivedBeforeTheNextOneFollows) {
  const ImageShape image{{512, 512}, {PixelType::f32, 1}};
  const auto acknowledged = [&](TransferKind kind, Algorithm tree, const ProcessGrid& grid) {
    std::vector<std::pair<int, int>> ways;
    for (const Round& round : make_schedule({kind, tree, grid, image}).rounds) {
      for (const Message& message : round) {
        if (message.acknowledged) ways.emplace_back(message.sender, message.receiver);
      }
    }
    return ways;
  };
  using Ways = std::vector<std::pair<int, int>>;
  EXPECT_EQ(acknowledged(TransferKind::scatter, Algorithm::sbt, {8, 1}), (Ways{{0, 4}, {0, 2}, {4, 6}}));
  EXPECT_EQ(acknowledged(TransferKind::broadcast, Algorithm::sbt, {1, 4}), (Ways{{0, 2}}));
  EXPECT_EQ(acknowledged(TransferKind::scatter, Algorithm::oft, {8, 1}), Ways{}) << "nobody passes anything on";
  EXPECT_EQ(acknowledged(TransferKind::gather, Algorithm::sbt, {8, 1}), Ways{}) << "each sends once";
}

TEST(Gather, OfPiecesIsGrantedByTheReceiverWhereSeveralSendToIt) {
  const ImageShape image{{512, 512}, {PixelType::f32, 1}};
  const auto granted = [&](Algorithm tree, Packing packing) {
    std::vector<std::pair<int, int>> ways;
    TransferSpec spec{TransferKind::gather, tree, {4, 1}, image};
    spec.packing = packing;
    for (const Round& round : make_schedule(spec).rounds) {
      for (const Message& message : round) {
        if (message.granted) ways.emplace_back(message.sender, message.receiver);
      }
    }
    return ways;
  };
  using Ways = std::vector<std::pair<int, int>>;
  EXPECT_EQ(granted(Algorithm::oft, Packing::blocked), (Ways{{2, 0}, {3, 0}}));
  EXPECT_EQ(granted(Algorithm::sbt, Packing::blocked), (Ways{{2, 0}}));
  for (const Algorithm tree : all_trees) {
    EXPECT_EQ(granted(tree, Packing::datatype), Ways{}) << "MPI asks the receiver";
  }
}

int levels(int parts) {
  return static_cast<int>(std::ceil(std::log2(parts)));
}

TEST(BinomialTree, HalvesRowsThenColumnsAndTheLargerHalfStays) {
  for_each_spec(TransferKind::scatter, [](const Schedule& schedule) {
    const ProcessGrid grid = schedule.spec.grid;
    if (schedule.spec.algorithm == Algorithm::oft) {
      EXPECT_EQ(static_cast<int>(schedule.rounds.size()), grid.ranks() - 1);
      return;
    }
    EXPECT_EQ(static_cast<int>(schedule.rounds.size()), levels(grid.y) + levels(grid.x));
    std::vector<int> cells(static_cast<std::size_t>(grid.ranks()), 0);  // that a rank is in charge of
    cells[0] = grid.ranks();
    for (const Round& round : schedule.rounds) {
      for (const Message& message : round) {
        int given = 0;
        for (const Rect& tile : schedule.tiles) given += !tile.empty() && message.source_area.contains(tile) ? 1 : 0;
        int& kept = cells[static_cast<std::size_t>(message.sender)];
        kept -= given;
        cells[static_cast<std::size_t>(message.receiver)] = given;
        EXPECT_GE(kept, given);
        EXPECT_LE(kept - given, std::max(grid.x, 1)) << "halves differ by at most one row of cells";
      }
    }
    EXPECT_THAT(cells, testing::Each(1));
  });
}

TEST(BinomialTree, OnSevenRowsGivesThreeThenTwoThenOne) {
  const Schedule schedule =
      make_schedule({TransferKind::scatter, Algorithm::sbt, {1, 7}, {{10, 7}, {PixelType::u8, 1}}});
  ASSERT_EQ(schedule.rounds.size(), 3U);
  EXPECT_EQ(describe(schedule),
            "round 0: 0 -> 4 whole [0,10)x[4,7) to forward [0,10)x[4,7) cc 30 B\n"
            "round 1: 0 -> 2 whole [0,10)x[2,4) to forward [0,10)x[2,4) cc 20 B\n"
            "round 1: 4 -> 6 forward [0,10)x[6,7) to tile [0,10)x[6,7) cc 10 B\n"
            "round 2: 0 -> 1 whole [0,10)x[1,2) to tile [0,10)x[1,2) cc 10 B\n"
            "round 2: 2 -> 3 forward [0,10)x[3,4) to tile [0,10)x[3,4) cc 10 B\n"
            "round 2: 4 -> 5 forward [0,10)x[5,6) to tile [0,10)x[5,6) cc 10 B\n");
  EXPECT_EQ(schedule.copied_bytes(), 10);
}

}  // namespace
}  // namespace tilewright
