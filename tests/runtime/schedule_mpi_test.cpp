// Every transfer, executed: each pixel has to arrive where it belongs, however the image is cut and stored.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "support/mpi_environment.hpp"
#include "tilewright/core/border.hpp"
#include "tilewright/runtime/schedule_runner.hpp"

namespace tilewright {
namespace {

using test::world;

struct Case {
  Extent extent;
  PixelFormat format;
  Halo storage;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{{{16, 16}, {PixelType::f32, 1}, {0, 0}},
                                     {{17, 13}, {PixelType::u8, 3}, {0, 0}},
                                     {{17, 13}, {PixelType::u8, 1}, {1, 2}},
                                     {{23, 19}, {PixelType::f64, 2}, {2, 1}},
                                     {{40, 31}, {PixelType::u16, 4}, {3, 3}}};
  return all;
}

/// All grids of at most as many ranks as there are.
std::vector<ProcessGrid> grids() {
  std::vector<ProcessGrid> all;
  for (int ranks = 1; ranks <= world().ranks(); ++ranks) {
    for (const ProcessGrid& grid : grids_of(ranks)) all.push_back(grid);
  }
  return all;
}

/// A byte that tells the pixels apart.
std::byte pattern(std::int64_t x, std::int64_t y, std::size_t byte) {
  return static_cast<std::byte>((x * 31 + y * 17 + static_cast<std::int64_t>(byte) * 7 + x * y) & 0xFF);
}

void paint(const MutableView& view, const Rect& area) {
  for (std::int64_t y = area.y0; y < area.y1; ++y) {
    for (std::int64_t x = area.x0; x < area.x1; ++x) {
      for (std::size_t b = 0; b < view.format().bytes(); ++b) view.bytes_at(x, y)[b] = pattern(x, y, b);
    }
  }
}

void clear(Raster& raster) {
  std::fill_n(raster.view().bytes_at(raster.stored().x0, raster.stored().y0), raster.bytes(), std::byte{0xEE});
}

/// The pixels of `area` are those of the image; outside of it those of the other side if `cyclic`, else not looked at.
void expect_painted(const ConstView& view, const Rect& area, const Extent& image, bool cyclic) {
  for (std::int64_t y = area.y0; y < area.y1; ++y) {
    for (std::int64_t x = area.x0; x < area.x1; ++x) {
      const bool inside = x >= 0 && x < image.width && y >= 0 && y < image.height;
      if (!inside && !cyclic) continue;
      const std::int64_t from_x = *border_index(x, image.width, Border::wrap);
      const std::int64_t from_y = *border_index(y, image.height, Border::wrap);
      for (std::size_t b = 0; b < view.format().bytes(); ++b) {
        ASSERT_EQ(view.bytes_at(x, y)[b], pattern(from_x, from_y, b)) << "pixel " << x << "," << y;
      }
    }
  }
}

class Transfers : public ::testing::Test {
 protected:
  /// Calls `check` for each case, feasible grid and algorithm.
  template <class Check>
  static void for_all(const Halo& least, Check check) {
    for (const Case& c : cases()) {
      if (!c.storage.covers(least)) continue;
      for (const ProcessGrid& grid : grids()) {
        if (!why_infeasible(c.extent, grid, c.storage).empty()) continue;
        SCOPED_TRACE(to_string(grid) + " " + to_string(c.extent));
        check(c, grid);
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
  static bool takes_part(const ProcessGrid& grid) { return world().rank() < grid.ranks(); }
};

/// Scatters tiles with so much of their halo.
void check_scatter(const Case& c, const ProcessGrid& grid, Algorithm algorithm, const Halo& along,
                   const Communicator& ranks = world()) {
  Raster whole(ImageShape{c.extent, c.format});
  if (ranks.is_root()) paint(whole.view(), whole.area());
  Raster tile(tile_of(c.extent, grid, ranks.rank()), c.storage, c.format);
  clear(tile);
  const Schedule schedule = make_schedule({.kind = TransferKind::scatter,
                                           .algorithm = algorithm,
                                           .grid = grid,
                                           .image = {c.extent, c.format},
                                           .storage = c.storage,
                                           .exchanged = along});
  run_schedule(schedule, {.whole = whole.view(), .tile = tile.view()}, ranks);
  expect_painted(std::as_const(tile).view(), grown(tile.area(), along, c.extent), c.extent, false);
}

TEST_F(Transfers, ScatterBringsEachRankItsTile) {
  for_all({}, [](const Case& c, const ProcessGrid& grid) {
    for (const Algorithm algorithm : all_trees) {
      if (takes_part(grid)) check_scatter(c, grid, algorithm, {});
    }
  });
}

/// The root, and the others from the last to the first.
TEST_F(Transfers, ScatterReachesRanksThatHaveOtherNumbers) {
  std::vector<int> order(static_cast<std::size_t>(world().ranks()));
  std::iota(order.begin(), order.end(), 0);
  std::reverse(order.begin() + 1, order.end());
  const Communicator& ranks = world().in_order(order);
  ASSERT_EQ(ranks.rank(), world().is_root() ? 0 : world().ranks() - world().rank());
  for_all({}, [&](const Case& c, const ProcessGrid& grid) {
    for (const Algorithm algorithm : all_trees) {
      if (ranks.rank() < grid.ranks()) check_scatter(c, grid, algorithm, c.storage, ranks);
    }
  });
}

TEST_F(Transfers, ScatterBringsTheHaloAlong) {
  for_all({}, [](const Case& c, const ProcessGrid& grid) {
    for (const Algorithm algorithm : all_trees) {
      if (takes_part(grid)) check_scatter(c, grid, algorithm, c.storage);
    }
  });
}

/// This rank's tile, painted, with nothing in its halo.
Raster painted_tile(const Case& c, const ProcessGrid& grid) {
  Raster tile(tile_of(c.extent, grid, world().rank()), c.storage, c.format);
  clear(tile);
  paint(tile.view(), tile.area());
  return tile;
}

/// Brings the tiles of all ranks together in whole images; returns this rank's.
Raster whole_of_tiles(TransferSpec spec, const Case& c) {
  spec.image = {c.extent, c.format};
  spec.storage = c.storage;
  Raster whole(spec.image);
  clear(whole);
  Raster tile = painted_tile(c, spec.grid);
  run_schedule(make_schedule(spec), {.whole = whole.view(), .tile = tile.view()}, world());
  return whole;
}

TEST_F(Transfers, GatherBringsTheRootAllTiles) {
  for_all({}, [](const Case& c, const ProcessGrid& grid) {
    for (const Algorithm algorithm : all_trees) {
      if (!takes_part(grid)) continue;
      const Raster whole = whole_of_tiles({.kind = TransferKind::gather, .algorithm = algorithm, .grid = grid}, c);
      if (world().is_root()) expect_painted(whole.view(), whole.area(), c.extent, false);
    }
  });
}

TEST_F(Transfers, BroadcastBringsAllRanksTheImage) {
  for_all({}, [](const Case& c, const ProcessGrid& grid) {
    for (const Algorithm algorithm : all_trees) {
      if (!takes_part(grid)) continue;
      Raster whole(ImageShape{c.extent, c.format});
      clear(whole);
      if (world().is_root()) paint(whole.view(), whole.area());
      const Schedule schedule = make_schedule(
          {.kind = TransferKind::broadcast, .algorithm = algorithm, .grid = grid, .image = {c.extent, c.format}});
      run_schedule(schedule, {.whole = whole.view()}, world());
      expect_painted(std::as_const(whole).view(), whole.area(), c.extent, false);
    }
  });
}

TEST_F(Transfers, AllgatherBringsAllRanksAllTiles) {
  for_all({}, [](const Case& c, const ProcessGrid& grid) {
    for (const Packing packing : all_packings) {
      if (!takes_part(grid)) continue;
      const Raster whole = whole_of_tiles({.kind = TransferKind::allgather, .grid = grid, .packing = packing}, c);
      expect_painted(whole.view(), whole.area(), c.extent, false);
    }
  });
}

/// Of the whole halo of the tiles.
Schedule exchange_of(const Case& c, const ProcessGrid& grid, bool cyclic, Packing packing) {
  return make_schedule({.kind = TransferKind::exchange,
                        .grid = grid,
                        .image = {c.extent, c.format},
                        .storage = c.storage,
                        .exchanged = c.storage,
                        .cyclic = cyclic,
                        .packing = packing});
}

/// The halo is painted, too. A direction with one rank has no neighbour to bring anything.
void expect_exchanged(const Raster& tile, const Case& c, const ProcessGrid& grid, bool cyclic) {
  const Halo brought{grid.x > 1 ? c.storage.x : 0, grid.y > 1 ? c.storage.y : 0};
  expect_painted(tile.view(), padded(tile.area(), brought), c.extent, cyclic);
}

TEST_F(Transfers, ExchangeFillsTheHaloWithCorners) {
  for_all({1, 1}, [](const Case& c, const ProcessGrid& grid) {
    for (const bool cyclic : {false, true}) {
      if (!takes_part(grid)) continue;
      Raster tile = painted_tile(c, grid);
      run_schedule(exchange_of(c, grid, cyclic, Packing::datatype), {.tile = tile.view()}, world());
      expect_exchanged(tile, c, grid, cyclic);
    }
  });
}

TEST_F(Transfers, AnExchangeInOneDirectionTravelsWhileTheRankDoesSomethingElse) {
  for_all({1, 1}, [](const Case& c, const ProcessGrid& grid) {
    for (const Packing packing : all_packings) {
      if (!takes_part(grid) || (grid.x > 1 && grid.y > 1)) continue;
      Raster tile = painted_tile(c, grid);
      const Schedule schedule = exchange_of(c, grid, false, packing);
      ScheduleUnderWay messages(schedule, {.tile = tile.view()}, world());
      expect_painted(std::as_const(tile).view(), tile.area(), c.extent, false);
      messages.finish();
      expect_exchanged(tile, c, grid, false);
    }
  });
}

TEST_F(Transfers, WhatIsSentOnCannotBeBegunAtOnce) {
  for (const bool cyclic : {false, true}) {
    const Schedule schedule = make_schedule({.kind = TransferKind::exchange,
                                             .grid = cyclic ? ProcessGrid{1, 2} : ProcessGrid{2, 2},
                                             .image = {{16, 16}, {PixelType::u8, 1}},
                                             .storage = {2, 2},
                                             .exchanged = {2, 2},
                                             .cyclic = cyclic});
    EXPECT_FALSE(is_of_one_phase(schedule.spec));
    if (!takes_part(schedule.spec.grid)) continue;
    EXPECT_THROW(ScheduleUnderWay(schedule, {}, world()), InternalError);
  }
}

TEST_F(Transfers, RedistributionBringsEachRankItsNewTile) {
  for_all({}, [](const Case& c, const ProcessGrid& grid) {
    for (const ProcessGrid& former : grids_of(grid.ranks())) {
      if (!takes_part(grid) || !is_feasible(c.extent, former, {})) continue;
      for (const Packing packing : all_packings) {
        Raster before(tile_of(c.extent, former, world().rank()), c.storage, c.format);
        clear(before);
        paint(before.view(), before.area());
        Raster tile(tile_of(c.extent, grid, world().rank()), c.storage, c.format);
        clear(tile);
        const Schedule schedule = make_schedule({.kind = TransferKind::redistribute,
                                                 .grid = grid,
                                                 .image = {c.extent, c.format},
                                                 .storage = c.storage,
                                                 .packing = packing,
                                                 .former = former});
        run_schedule(schedule, {.tile = tile.view(), .former = before.view()}, world());
        expect_painted(std::as_const(tile).view(), tile.area(), c.extent, false);
      }
    }
  });
}

}  // namespace
}  // namespace tilewright
