#include "tilewright/calibrate/message_shape.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tilewright {
namespace {

MessageShape sender_shape(Layout layout, std::int64_t sent) {
  return tilewright::sender_shape(PathCell{Path::send, layout, sent * value_bytes, {}});
}
MessageShape receiver_shape(Layout layout, std::int64_t sent) {
  return tilewright::receiver_shape(PathCell{Path::send, layout, sent * value_bytes, {}});
}

TEST(MessageShape, ContiguousDataAreOneRow) {
  EXPECT_EQ(values_sent(Layout::cc, 1024), 1024);
  EXPECT_EQ(sender_shape(Layout::cc, 1024), (MessageShape{1, 4096, 4096}));
  EXPECT_EQ(receiver_shape(Layout::cc, 1024), (MessageShape{1, 4096, 4096}));
}

TEST(MessageShape, NonContiguousDataAreAHundredBlocksTwoBlockLengthsApart) {
  EXPECT_EQ(strided_shape(51200), (MessageShape{100, 2048, 4096}));
  EXPECT_EQ(sender_shape(Layout::nc, 51200), strided_shape(51200));
  EXPECT_EQ(receiver_shape(Layout::nc, 51200), contiguous_shape(51200));
  EXPECT_EQ(sender_shape(Layout::cn, 51200), contiguous_shape(51200));
  EXPECT_EQ(receiver_shape(Layout::cn, 51200), strided_shape(51200));
}

TEST(MessageShape, BothEndsCarryWhatTheBlocksHold) {
  for (const Layout layout : {Layout::cn, Layout::nc, Layout::nn}) {
    EXPECT_EQ(values_sent(layout, 1024), 1000) << to_string(layout);
    for (const std::int64_t values : {0, 1, 7, 99, 100, 101, 199, 200, 1024, 512000}) {
      const std::int64_t sent = values_sent(layout, values);
      EXPECT_LE(sent, values);
      EXPECT_EQ(sender_shape(layout, sent).bytes(), sent * value_bytes) << values;
      EXPECT_EQ(receiver_shape(layout, sent).bytes(), sent * value_bytes) << values;
    }
  }
}

TEST(MessageShape, FewValuesAreBlocksOfOne) {
  EXPECT_EQ(values_sent(Layout::nn, 99), 99);
  EXPECT_EQ(strided_shape(99), (MessageShape{99, 4, 8}));
  EXPECT_EQ(strided_shape(1), (MessageShape{1, 4, 8}));
}

TEST(MessageShape, AnEmptyNonContiguousMessageStillDescribesItsBlocks) {
  EXPECT_EQ(strided_shape(0).rows, default_blocks);
  EXPECT_EQ(strided_shape(0).bytes(), 0);
  EXPECT_NE(strided_shape(0).pitch_bytes, strided_shape(0).row_bytes);  // so that it does not count as contiguous
}

TEST(MessageShape, OfACellWithBlocksIsStridedWhereItsLayoutSaysSo) {
  const PathCell cell{Path::send, Layout::nc, 16384, {}, Packing::manual, 64, 4096};
  EXPECT_EQ(sender_shape(cell), (MessageShape{256, 64, 4096}));
  EXPECT_EQ(receiver_shape(cell), (MessageShape{256, 64, 64}));
  const PathCell of_paper{Path::send, Layout::cn, 204800, {}};
  EXPECT_EQ(sender_shape(of_paper), contiguous_shape(51200));
  EXPECT_EQ(receiver_shape(of_paper), strided_shape(51200));
}

TEST(MeasuredBlocks, AreCloseAndFarApartAndFitIntoImages) {
  const std::vector<BlockShape> shapes = measured_blocks(262144, 4);
  const auto has = [&](std::int64_t block, std::int64_t stride) {
    return std::ranges::any_of(
        shapes, [&](const BlockShape& shape) { return shape.block_bytes == block && shape.stride_bytes == stride; });
  };
  EXPECT_TRUE(has(4, 8));
  EXPECT_TRUE(has(84, 300));
  EXPECT_TRUE(has(84, 604));
  EXPECT_FALSE(has(340, 604)) << "two lengths are more";
  EXPECT_TRUE(has(340, 12028));
  EXPECT_TRUE(has(16384, 32768)) << "4096 values";
  EXPECT_FALSE(has(84, 12028)) << "37 MiB";
  for (const BlockShape& shape : measured_blocks(4096, 4)) EXPECT_NE(shape.stride_bytes, 300) << "short messages";
  for (const BlockShape& shape : measured_blocks(262144, 16)) EXPECT_NE(shape.stride_bytes, 12028);
  EXPECT_LT(measured_blocks(262144, 16).size(), shapes.size()) << "fewer, for who has little time";
  for (const std::int64_t bytes : {256, 4096, 16384, 262144}) {
    for (const BlockShape& shape : measured_blocks(bytes, 4)) {
      EXPECT_EQ(shape.bytes % shape.block_bytes, 0);
      EXPECT_GT(shape.bytes / shape.block_bytes, 1);
      EXPECT_LE(shape.bytes, bytes);
      EXPECT_GT(shape.bytes, bytes - shape.block_bytes) << "as many blocks as there are";
      EXPECT_LE(shape.bytes / shape.block_bytes * shape.stride_bytes, 16 << 20);
    }
  }
}

}  // namespace
}  // namespace tilewright
