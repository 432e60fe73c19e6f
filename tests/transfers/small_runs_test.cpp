#include "tilewright/transfers/small_runs.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

constexpr std::int64_t mebibyte = 1 << 20;

PathCell cell(std::int64_t bytes, Path path = Path::shared_warm, Layout layout = Layout::cc) {
  return {path, layout, bytes, {}};
}

Schedule scatter_of(const PathCell& of) {
  return make_schedule(transfer_of_small_run(of, TransferKind::scatter, 2));
}

TEST(SmallRuns, HaveSquareImagesOfWholeLines) {
  const TransferSpec strips = transfer_of_small_run(cell(2 * mebibyte), TransferKind::scatter, 2);
  EXPECT_EQ(strips.grid, (ProcessGrid{1, 2}));
  EXPECT_EQ(strips.image.extent, (Extent{4096, 1024})) << "1024 floats in a row";
  const TransferSpec columns =
      transfer_of_small_run(cell(2 * mebibyte, Path::shared, Layout::nn), TransferKind::scatter, 2);
  EXPECT_EQ(columns.grid, (ProcessGrid{2, 1}));
  EXPECT_EQ(columns.image.extent, (Extent{4096, 1024}));
  for (const std::int64_t bytes : {0, 1, 63, 400, 12345, 2048000}) {
    for (const Layout layout : {Layout::cc, Layout::nn}) {
      const TransferSpec spec = transfer_of_small_run(cell(bytes, Path::shared, layout), TransferKind::gather, 3);
      const std::int64_t tile = spec.image.bytes() / 3;
      EXPECT_GE(tile, std::max<std::int64_t>(1, bytes)) << bytes;
      EXPECT_LE(tile, bytes + bytes / 8 + 64) << bytes;
    }
  }
}

/// As those of filters: what arrives has gaps between its rows, and is no single piece of memory.
TEST(SmallRuns, ScatterToTilesWithBorders) {
  const Schedule by_messages = scatter_of(cell(mebibyte, Path::message_scatter));
  ASSERT_EQ(by_messages.message_count(), 1);
  EXPECT_EQ(by_messages.layouts(), "cn");
  EXPECT_EQ(by_messages.copied_bytes(), by_messages.spec.image.bytes() / 2) << "what the root keeps";
  EXPECT_EQ(by_messages.spec.packing, Packing::datatype);
  PathCell packed = cell(mebibyte, Path::message_scatter_warm);
  packed.packing = Packing::manual;
  EXPECT_EQ(scatter_of(packed).spec.packing, Packing::manual);
  const Schedule through_memory = scatter_of(cell(mebibyte));
  EXPECT_EQ(through_memory.spec.algorithm, Algorithm::shared);
  EXPECT_FALSE(through_memory.contiguous(1, Buffer::tile, through_memory.tiles[1]));
}

TEST(SmallRuns, GatherResultsWithoutBordersThroughTheMemory) {
  const TransferSpec spec = transfer_of_small_run(cell(mebibyte, Path::message_scatter), TransferKind::gather, 2);
  EXPECT_EQ(spec.algorithm, Algorithm::shared);
  EXPECT_EQ(spec.storage, Halo{});
}

}  // namespace
}  // namespace tilewright
