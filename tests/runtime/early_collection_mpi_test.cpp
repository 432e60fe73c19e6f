#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "../../src/runtime/early_collection.hpp"
#include "support/mpi_environment.hpp"

namespace tilewright {
namespace {

using test::world;

Schedule gather_of_strips() {
  TransferSpec spec{TransferKind::gather, Algorithm::oft, {1, world().ranks()}, {{40, 64}, {PixelType::f32, 1}}};
  spec.in_turn = true;
  return make_schedule(spec);
}

Raster tile_with(const Schedule& gather, float value) {
  Raster tile(gather.tiles[static_cast<std::size_t>(world().rank())], {}, gather.spec.image.format);
  const Rect area = tile.area();
  for (std::int64_t y = area.y0; y < area.y1; ++y) std::fill_n(tile.at<float>(area.x0, y), area.width(), value);
  return tile;
}

/// Values by rank, each that of its tile.
void expect_values_by_rank(const Raster& whole, const Schedule& gather, float added) {
  for (std::size_t rank = 0; rank < gather.tiles.size(); ++rank) {
    const Rect& tile = gather.tiles[rank];
    EXPECT_EQ(*whole.at<float>(tile.x0, tile.y0), static_cast<float>(rank) + added);
    EXPECT_EQ(*whole.at<float>(tile.x1 - 1, tile.y1 - 1), static_cast<float>(rank) + added);
  }
}

TEST(EarlyCollection, TellsItsImagesApart) {
  const Schedule gather = gather_of_strips();
  const Raster first = tile_with(gather, static_cast<float>(world().rank()));
  Raster second = tile_with(gather, static_cast<float>(world().rank()) + 100);
  Raster first_whole(gather.spec.image);
  Raster second_whole(gather.spec.image);
  if (world().is_root()) {
    EarlyCollection first_collection(gather, first_whole.view(), 0, world());
    EarlyCollection second_collection(gather, second_whole.view(), 1, world());
    second_collection.finish(second.view());
    first_collection.finish(first.view());
    expect_values_by_rank(first_whole, gather, 0);
    expect_values_by_rank(second_whole, gather, 100);
  } else {
    Raster sent = tile_with(gather, static_cast<float>(world().rank()));
    send_to_collection(gather, second.view(), 1, world());
    send_to_collection(gather, sent.view(), 0, world());
  }
}

TEST(EarlyCollection, TakesNothingMoreOnceItIsGivenUp) {
  const Schedule gather = gather_of_strips();
  Raster tile = tile_with(gather, static_cast<float>(world().rank()));
  Raster given_up(gather.spec.image);
  Raster whole(gather.spec.image);
  std::optional<EarlyCollection> collection;
  if (world().is_root()) {
    const EarlyCollection unfinished(gather, given_up.view(), 0, world());
  }
  if (world().is_root()) collection.emplace(gather, whole.view(), 0, world());
  world().barrier();
  if (world().is_root())
    collection->finish(tile.view());
  else
    send_to_collection(gather, tile.view(), 0, world());
  if (world().is_root()) expect_values_by_rank(whole, gather, 0);
}

}  // namespace
}  // namespace tilewright
