// Memory that ranks share, and transfers through it.
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "support/mpi_environment.hpp"
#include "tilewright/runtime/schedule_runner.hpp"
#include "tilewright/runtime/shared_memory.hpp"

namespace tilewright {
namespace {

using test::world;

constexpr PixelFormat format{PixelType::u16, 3};

/// Pixels that tell where they belong.
void paint(const MutableView& view, const Rect& area) {
  for (std::int64_t y = area.y0; y < area.y1; ++y) {
    for (std::int64_t x = area.x0; x < area.x1; ++x) {
      for (int c = 0; c < format.channels; ++c) {
        view.at<std::uint16_t>(x, y)[c] = static_cast<std::uint16_t>(257 * y + 7 * x + c);
      }
    }
  }
}

void expect_painted(const ConstView& view, const Rect& area) {
  Raster expected(area, {}, format);
  paint(expected.view(), area);
  Raster found(area, {}, format);
  copy_pixels(view, found.view(), area);
  EXPECT_TRUE(same_pixels(std::as_const(found).view(), std::as_const(expected).view()));
}

TEST(SharedMemory, IsHadByAllRanksOfTheRootsNode) {
  EXPECT_EQ(world().sharing_ranks(), world().ranks()) << "all ranks of this test are on one node";
  const SharedMemory::Made made = SharedMemory::make(world(), 5000);
  EXPECT_EQ(made.sharing_ranks, world().ranks());
  ASSERT_NE(made.memory, nullptr);
  EXPECT_GE(made.memory->bytes(), 5000);
  made.memory->data()[4000 + world().rank()] = std::byte{1};
  world().barrier();
  for (int rank = 0; rank < world().ranks(); ++rank) EXPECT_EQ(made.memory->data()[4000 + rank], std::byte{1});
  world().barrier();
}

TEST(SharedMemory, IsUsedAgainUnlessTheRootHasAnImageInIt) {
  const std::byte* first = shared_memory(world(), 10000)->data();
  EXPECT_EQ(shared_memory(world(), 9000)->data(), first);
  Raster image;
  if (world().is_root()) {
    const auto memory = shared_memory(world(), 10000);
    image = Raster::placed({memory, memory->data()}, {{50, 20}, format});
    paint(image.view(), image.area());
  } else {
    (void)shared_memory(world(), 10000);
  }
  const auto other = shared_memory(world(), 10000);
  if (world().is_root()) {
    EXPECT_NE(other->data(), first);
    std::fill_n(other->data(), other->bytes(), std::byte{0});
    expect_painted(std::as_const(image).view(), image.area());
  }
  EXPECT_GE(shared_memory(world(), 3000000)->bytes(), 3000000) << "more than there is: made anew";
}

/// As of a program that holds the results of one run until the next one is done.
TEST(SharedMemory, IsUsedInTurnWhereTheRootHasAnImageInTheOther) {
  std::vector<const std::byte*> places;
  std::shared_ptr<SharedMemory> held;
  for (int run = 0; run < 6; ++run) {
    std::shared_ptr<SharedMemory> memory = shared_memory(world(), 20000);
    places.push_back(memory->data());
    if (world().is_root()) held = std::move(memory);
  }
  EXPECT_NE(places[0], places[1]);
  for (std::size_t run = 2; run < places.size(); ++run) EXPECT_EQ(places[run], places[run - 2]) << run;
  EXPECT_GE(shared_memory(world(), 4000000)->bytes(), 4000000) << "for which nothing is large enough";
  if (world().is_root()) {
    EXPECT_EQ(held->data(), places.back()) << "whose memory stays";
  }
  held.reset();
}

class SharingTest : public ::testing::Test {
 protected:
  /// Runs a transfer on every grid that the image fits: `prepare` before, `check` after it.
  template <class Prepare, class Check>
  static void for_all(TransferKind kind, Prepare prepare, Check check) {
    for (const Extent extent : {Extent{16, 16}, {37, 23}}) {
      for (const Halo storage : {Halo{0, 0}, {3, 2}}) {
        for (int ranks = 1; ranks <= world().ranks(); ++ranks) {
          for (const ProcessGrid& grid : grids_of(ranks)) {
            SCOPED_TRACE(to_string(extent) + " on " + to_string(grid));
            const Schedule schedule =
                make_schedule({kind, Algorithm::shared, grid, {extent, format}, storage, storage});
            run_one(schedule, prepare, check);
          }
        }
      }
    }
  }

 private:
  template <class Prepare, class Check>
  static void run_one(const Schedule& schedule, Prepare prepare, Check check) {
    const ImageShape& image = schedule.spec.image;
    const auto memory = shared_memory(world(), image.bytes());
    Raster shared = Raster::placed({memory, memory->data()}, image);
    if (world().rank() >= schedule.spec.grid.ranks()) return;
    Raster whole(image);
    Raster tile(schedule.tiles[static_cast<std::size_t>(world().rank())], schedule.spec.storage, format);
    whole.touch();
    tile.touch();
    prepare(world().is_root() ? shared : whole, tile);
    run_schedule(schedule, {.whole = whole.view(), .tile = tile.view(), .shared = shared.view()}, world());
    check(world().is_root() ? shared : whole, tile);
  }
};

TEST_F(SharingTest, ScatterBringsTilesAndTheirHalos) {
  for_all(
      TransferKind::scatter,
      [](Raster& whole, Raster&) {
        if (world().is_root()) paint(whole.view(), whole.area());
      },
      [](const Raster& whole, const Raster& tile) {
        expect_painted(tile.view(), intersection(tile.stored(), whole.area()));
      });
}

TEST_F(SharingTest, GatherBringsTheRootAllTiles) {
  for_all(
      TransferKind::gather,
      [](Raster& whole, Raster& tile) {
        if (world().is_root()) whole.touch();
        paint(tile.view(), tile.area());
      },
      [](const Raster& whole, const Raster&) {
        if (world().is_root()) expect_painted(whole.view(), whole.area());
      });
}

TEST_F(SharingTest, BroadcastBringsAllTheImage) {
  for_all(
      TransferKind::broadcast,
      [](Raster& whole, Raster&) {
        if (world().is_root()) paint(whole.view(), whole.area());
      },
      [](const Raster& whole, const Raster&) { expect_painted(whole.view(), whole.area()); });
}

}  // namespace
}  // namespace tilewright
