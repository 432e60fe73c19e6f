#include "tilewright/model/stride_costs.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace tilewright {
namespace {

const StrideCosts::Row row{Path::full, Layout::nc, Packing::manual};

constexpr std::int64_t far_stride = 1000;

/// A machine where a block costs 10 ns, twice that far apart, and a byte a tenth of a nanosecond.
double seconds(const BlockShape& shape, bool far) {
  const double blocks = static_cast<double>(shape.bytes) / static_cast<double>(shape.block_bytes);
  return blocks * (far ? 2e-8 : 1e-8) + static_cast<double>(shape.bytes) * 1e-10;
}

StrideCosts measured() {
  StrideCosts costs;
  for (const std::int64_t bytes : {4096, 65536}) {
    for (const std::int64_t block : {256, 4, 64}) {  // in any order
      const BlockShape near{bytes, block, 2 * block};
      const BlockShape far{bytes, block, far_stride};
      costs.add(row, far, seconds(far, true));
      costs.add(row, near, seconds(near, false));
    }
  }
  return costs;
}

TEST(StrideCosts, AreExactForBlocksBetweenThoseMeasured) {
  const StrideCosts costs = measured();
  for (const std::int64_t bytes : {4096, 16384, 65536}) {
    for (const std::int64_t block : {4, 8, 32, 64, 100, 256}) {
      const BlockShape near{bytes, block, 2 * block};
      const BlockShape far{bytes, block, far_stride};
      EXPECT_NEAR(*costs.seconds(row, near), seconds(near, false), 1e-12) << bytes << " " << block;
      EXPECT_NEAR(*costs.seconds(row, far), seconds(far, true), 1e-12) << bytes << " " << block;
    }
  }
}

TEST(StrideCosts, GrowWithTheStrideUpToTheWidestMeasured) {
  const StrideCosts costs = measured();
  const auto at = [&](std::int64_t stride) { return *costs.seconds(row, {4096, 64, stride}); };
  EXPECT_LT(at(128), at(512));
  EXPECT_LT(at(512), at(far_stride));
  EXPECT_EQ(at(far_stride), at(16384));
  EXPECT_EQ(at(65), at(128)) << "closer than was measured";
}

/// Linear where blocks are so close that the next one is fetched in advance; then slowly, over pages.
TEST(StrideCosts, DependOnThreeStrides) {
  StrideCosts costs;
  costs.add(row, {4096, 16, 32}, 1e-6);
  costs.add(row, {4096, 16, 256}, 3e-6);
  costs.add(row, {4096, 16, 4096}, 4e-6);
  const auto at = [&](std::int64_t stride) { return *costs.seconds(row, {4096, 16, stride}); };
  EXPECT_DOUBLE_EQ(at(32), 1e-6);
  EXPECT_DOUBLE_EQ(at(144), 2e-6) << "in the middle of 32 and 256";
  EXPECT_DOUBLE_EQ(at(256), 3e-6);
  EXPECT_DOUBLE_EQ(at(1024), 3.5e-6) << "a quarter of 4096, and four times 256";
  EXPECT_DOUBLE_EQ(at(8192), 4e-6);
  const double share = (1 / 1024.0 - 1 / 2048.0) / (1 / 16.0 - 1 / 2048.0);
  EXPECT_DOUBLE_EQ(*costs.seconds(row, {4096, 1024, 4096}), std::lerp(1e-6, 4e-6, share))
      << "256 are less than two lengths";
}

/// Those half as long as the stride are two lengths apart.
TEST(StrideCosts, JoinThoseOfTwoLengthsWhereTheyMeet) {
  StrideCosts costs;
  for (const std::int64_t block : {4, 100, 400})
    costs.add(row, {4000, block, 2 * block}, 1e-6 + 4e-6 / static_cast<double>(block));
  for (const std::int64_t block : {4, 20})
    costs.add(row, {4000, block, 400}, 1e-6 + 120e-6 / static_cast<double>(block));
  const auto at = [&](std::int64_t block) { return *costs.seconds(row, {4000, block, 400}); };
  EXPECT_DOUBLE_EQ(at(20), 7e-6);
  EXPECT_DOUBLE_EQ(at(200), *costs.seconds(row, {4000, 200, 400})) << "that is two lengths";
  EXPECT_NEAR(at(199), at(200), 1e-7);
  const double share = (1 / 40.0 - 1 / 200.0) / (1 / 20.0 - 1 / 200.0);
  EXPECT_NEAR(at(40), std::lerp(at(200), at(20), share), 1e-12);
}

/// Of 1 MiB, blocks of 4 bytes that far apart would have reached over 250 MiB.
TEST(StrideCosts, OfShortBlocksFarApartAreToldByShorterMessages) {
  StrideCosts costs;
  for (const std::int64_t bytes : {4096, 65536}) {
    const auto share = static_cast<double>(bytes) / 4096;
    costs.add(row, {bytes, 4, 8}, share * (bytes == 4096 ? 1e-6 : 2e-6));
    costs.add(row, {bytes, 256, far_stride}, share * 1e-7);
  }
  costs.add(row, {4096, 4, far_stride}, 5e-6);
  EXPECT_DOUBLE_EQ(*costs.seconds(row, {65536, 4, far_stride}), 16 * (2e-6 + 4e-6)) << "as much more than close ones";
}

TEST(StrideCosts, OfNearlyOneSizeAreOfOne) {
  StrideCosts costs;  // whole numbers of blocks
  costs.add(row, {4096, 4, 8}, 4096e-9);
  costs.add(row, {4080, 20, 40}, 4080e-10);
  costs.add(row, {65536, 4, 8}, 65536e-9);
  costs.add(row, {65536, 20, 40}, 65536e-10);
  EXPECT_DOUBLE_EQ(*costs.seconds(row, {4096, 20, 40}), 4096e-10);
  EXPECT_DOUBLE_EQ(*costs.seconds(row, {4080, 4, 8}), 4080e-9);
}

TEST(StrideCosts, AreThoseOfTheirSideOfAProtocolChange) {
  StrideCosts costs;
  costs.add(row, {4096, 64, 128}, 4096e-9);
  costs.add(row, {65536, 64, 128}, 65536e-10);
  const auto a_byte = [&](std::int64_t bytes) {
    return *costs.seconds(row, {bytes, 64, 128}) / static_cast<double>(bytes);
  };
  EXPECT_NEAR(a_byte(16384), 2.8e-10, 1e-15) << "on the line";
  costs.change_protocol(Path::send, 8192);
  EXPECT_NEAR(a_byte(16384), 2.8e-10, 1e-15) << "another path's change is none";
  costs.change_protocol(row.path, 16384);
  costs.change_protocol(row.path, 32768);
  EXPECT_NEAR(a_byte(16380), 1e-9, 1e-15);
  EXPECT_LT(a_byte(16384), 3e-10) << "between two changes";
  EXPECT_GT(a_byte(32764), 1.1e-10);
  EXPECT_NEAR(a_byte(32768), 1e-10, 1e-15);
  costs.add(row, {256, 64, 128}, 1000e-9);
  costs.add(row, {131072, 64, 128}, 131072e-10 + 65536e-10);
  EXPECT_NEAR(*costs.seconds(row, {8192, 64, 128}), (4096 + 3096.0 / 3840 * 4096) * 1e-9, 1e-14)
      << "on the line of those below";
  EXPECT_NEAR(*costs.seconds(row, {49152, 64, 128}), (65536 - 2.0 * 16384) * 1e-10, 1e-14) << "and of those above";
}

TEST(StrideCosts, KeepTheirTimeAByteBeyondTheSizesMeasured) {
  const StrideCosts costs = measured();
  const double per_byte = *costs.seconds(row, {65536, 64, 128}) / 65536;
  EXPECT_DOUBLE_EQ(*costs.seconds(row, {1 << 20, 64, 128}), per_byte * (1 << 20));
  EXPECT_EQ(*costs.seconds(row, {0, 64, 128}), 0);
  EXPECT_DOUBLE_EQ(*costs.seconds(row, {4096, 2048, 4096}), *costs.seconds(row, {4096, 256, 512}))
      << "longer blocks than were measured cost as little";
}

/// What packing takes of a message, whatever its size.
TEST(StrideCosts, HaveAPartThatIsNoByteS) {
  const auto seconds_of = [](std::int64_t bytes) { return 1e-7 + static_cast<double>(bytes) * 1e-10; };
  StrideCosts costs;
  for (const std::int64_t bytes : {256, 4096}) costs.add(row, {bytes, 64, 128}, seconds_of(bytes));
  for (const std::int64_t bytes : {128, 256, 1000, 4096})
    EXPECT_NEAR(*costs.seconds(row, {bytes, 64, 128}), seconds_of(bytes), 1e-15) << bytes;
  costs.change_protocol(row.path, 4000);
  EXPECT_NEAR(*costs.seconds(row, {128, 64, 128}), seconds_of(256) / 2, 1e-15) << "the other tells nothing";

  StrideCosts dear;  // long ones cost more a byte: short ones cost no less than theirs
  dear.add(row, {256, 64, 128}, 1e-7);
  dear.add(row, {4096, 64, 128}, 1e-5);
  EXPECT_NEAR(*dear.seconds(row, {128, 64, 128}), 0.5e-7, 1e-15);
}

TEST(StrideCosts, CountTheBlocksThatAreShorterThanAnyMeasured) {
  const StrideCosts costs = measured();
  for (const bool far : {false, true}) {
    const BlockShape short_blocks{4096, 1, far ? far_stride : 2};
    EXPECT_NEAR(*costs.seconds(row, short_blocks), seconds(short_blocks, far), 1e-12);
  }
  StrideCosts falling;  // as noise has it: then they cost no less
  falling.add(row, {4096, 16, far_stride}, 2e-6);
  falling.add(row, {4096, 64, far_stride}, 3e-6);
  EXPECT_DOUBLE_EQ(*falling.seconds(row, {4096, 4, far_stride}), 2e-6);
  falling.add(row, {4096, 16, far_stride}, 2.5e-6);  // of another launch: two times of the shortest
  EXPECT_DOUBLE_EQ(*falling.seconds(row, {4096, 4, far_stride}), 2.5e-6);
}

TEST(StrideCosts, KnowOnlyWhatWasMeasured) {
  EXPECT_TRUE(measured().has(row));
  EXPECT_FALSE(measured().seconds({Path::full, Layout::cn, Packing::manual}, {4096, 64, 128}).has_value());
}

TEST(StrideCosts, OneStrideIsEnough) {
  StrideCosts costs;
  costs.add(row, {4096, 1024, 2048}, 3e-6);
  EXPECT_DOUBLE_EQ(*costs.seconds(row, {4096, 1024, 4096}), 3e-6);
  costs.add(row, {4096, 16, 4096}, 9e-6);
  EXPECT_DOUBLE_EQ(*costs.seconds(row, {4096, 16, 4096}), 9e-6);
}

TEST(PaperBlocks, AreAHundred) {
  EXPECT_EQ(paper_blocks(204800), (BlockShape{204800, 2048, 4096}));
  EXPECT_EQ(paper_blocks(100), (BlockShape{100, 4, 8})) << "of one value at least";
}

}  // namespace
}  // namespace tilewright
