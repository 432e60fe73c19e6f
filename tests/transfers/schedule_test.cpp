// Schedules as values: layouts, storage, errors.
#include "tilewright/transfers/schedule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tilewright/core/raster.hpp"

namespace tilewright {
namespace {

constexpr ImageShape image{{64, 48}, {PixelType::f32, 1}};

std::string layouts(TransferKind kind, Algorithm algorithm, const ProcessGrid& grid, const Halo& storage) {
  return make_schedule({kind, algorithm, grid, image, storage}).layouts();
}

TEST(Layouts, OfRowStripsAreContiguousWithoutAHalo) {
  for (const Algorithm algorithm : all_trees) {
    EXPECT_EQ(layouts(TransferKind::scatter, algorithm, {1, 4}, {}), "cc");
    EXPECT_EQ(layouts(TransferKind::gather, algorithm, {1, 4}, {}), "cc");
    EXPECT_EQ(layouts(TransferKind::scatter, algorithm, {1, 4}, {0, 5}), "cc") << "rows above and below do not matter";
  }
}

TEST(Layouts, OfColumnsAreNotContiguousInTheWholeImage) {
  EXPECT_EQ(layouts(TransferKind::scatter, Algorithm::oft, {4, 1}, {}), "nc");
  EXPECT_EQ(layouts(TransferKind::scatter, Algorithm::sbt, {4, 1}, {}), "nc");
  EXPECT_EQ(layouts(TransferKind::gather, Algorithm::oft, {4, 1}, {}), "cn");
  EXPECT_EQ(layouts(TransferKind::gather, Algorithm::sbt, {4, 1}, {}), "cn");
}

TEST(Layouts, OfATreeChangeFromRowsToColumns) {
  EXPECT_EQ(layouts(TransferKind::scatter, Algorithm::sbt, {2, 2}, {}), "cc+nc");
  EXPECT_EQ(layouts(TransferKind::gather, Algorithm::sbt, {2, 2}, {}), "cc+cn");
}

TEST(Layouts, OfPaddedTilesAreNotContiguous) {
  EXPECT_EQ(layouts(TransferKind::scatter, Algorithm::oft, {1, 4}, {2, 2}), "cn");
  EXPECT_EQ(layouts(TransferKind::scatter, Algorithm::oft, {4, 1}, {2, 2}), "nn");
  EXPECT_EQ(layouts(TransferKind::gather, Algorithm::oft, {1, 4}, {2, 2}), "nc");
  EXPECT_EQ(layouts(TransferKind::gather, Algorithm::oft, {4, 1}, {2, 2}), "nn");
  EXPECT_EQ(layouts(TransferKind::scatter, Algorithm::sbt, {1, 4}, {2, 2}), "cc+cn") << "forwarded data are packed";
}

/// A raster keeps its rows apart where they would be mistaken for each other (raster.cpp).
TEST(Layouts, OfRowsWithGapsAreNotContiguous) {
  const Halo halo{1, 2};
  const TransferSpec spec{.kind = TransferKind::exchange,
                          .grid = {1, 2},
                          .image = {{1024, 64}, {PixelType::f32, 1}},
                          .storage = halo,
                          .exchanged = halo};
  const Schedule schedule = make_schedule(spec);
  EXPECT_EQ(schedule.layouts(), "nn");
  const std::int64_t pitch = Raster(schedule.tiles[0], halo, spec.image.format).view().row_bytes();
  EXPECT_GT(pitch, 1026 * 4);
  EXPECT_EQ(schedule.form(schedule.rounds.front().front()),
            (MessageForm{Layout::nn, 2 * 1026 * 4, 1026 * 4, pitch, pitch, Packing::datatype}));
  TransferSpec narrower = spec;
  narrower.image.extent.width = 1000;
  EXPECT_EQ(make_schedule(narrower).layouts(), "cc");
}

TEST(Layouts, OfASingleRowAreContiguousWhateverThePitch) {
  const ImageShape row{{64, 1}, {PixelType::u8, 1}};
  EXPECT_EQ(make_schedule({TransferKind::scatter, Algorithm::oft, {4, 1}, row, {2, 2}}).layouts(), "cc");
}

TEST(Schedule, StoresTilesWithTheirHalo) {
  const Schedule schedule = make_schedule({TransferKind::scatter, Algorithm::sbt, {2, 2}, image, {3, 1}});
  EXPECT_EQ(schedule.stored(3, Buffer::tile), (Rect{29, 23, 67, 49}));
  EXPECT_EQ(schedule.stored(0, Buffer::whole), (Rect{0, 0, 64, 48}));
  EXPECT_EQ(schedule.stored(2, Buffer::forward), (Rect{0, 24, 64, 48}));
  EXPECT_TRUE(schedule.stored(1, Buffer::forward).empty());
}

TEST(Schedule, CopiesOfTheBusiestRankCount) {
  const Schedule schedule = make_schedule({TransferKind::scatter, Algorithm::oft, {1, 4}, image});
  EXPECT_EQ(schedule.copied_bytes(), 64 * 12 * 4);
  const Schedule broadcast = make_schedule({TransferKind::broadcast, Algorithm::oft, {1, 4}, image});
  EXPECT_EQ(broadcast.copied_bytes(), 0);
}

TEST(Schedule, OfOneRankMovesNothing) {
  for (const TransferKind kind : {TransferKind::scatter, TransferKind::gather, TransferKind::broadcast}) {
    for (const Algorithm algorithm : all_trees) {
      const Schedule schedule = make_schedule({kind, algorithm, {1, 1}, image});
      EXPECT_EQ(schedule.message_count(), 0);
      EXPECT_EQ(describe(schedule), "");
    }
  }
}

TEST(Schedule, OfAFinerGridThanTheImageStillGivesEveryRankItsMessage) {
  const Schedule schedule =
      make_schedule({TransferKind::scatter, Algorithm::oft, {1, 5}, {{8, 3}, {PixelType::u8, 1}}});
  EXPECT_EQ(schedule.message_count(), 4);
  EXPECT_EQ(schedule.message_bytes(), 2 * 8);
}

TEST(Schedule, IsTheSameEveryTime) {
  const TransferSpec spec{TransferKind::gather, Algorithm::sbt, {3, 4}, image, {2, 2}};
  EXPECT_EQ(describe(make_schedule(spec)), describe(make_schedule(spec)));
}

std::string error_of(const TransferSpec& spec) {
  try {
    static_cast<void>(make_schedule(spec));
  } catch (const ParameterError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Schedule, RefusesAMissingOrSuperfluousAlgorithm) {
  EXPECT_THAT(error_of({.kind = TransferKind::scatter, .grid = {1, 2}, .image = image}),
              testing::AllOf(testing::HasSubstr("scatter"), testing::HasSubstr("none")));
  EXPECT_THAT(error_of({TransferKind::exchange, Algorithm::sbt, {1, 2}, image}),
              testing::AllOf(testing::HasSubstr("exchange"), testing::HasSubstr("sbt")));
}

TEST(Schedule, TellsTheFormOfAMessage) {
  const Schedule schedule = make_schedule({.kind = TransferKind::scatter,
                                           .algorithm = Algorithm::oft,
                                           .grid = {4, 1},
                                           .image = {{64, 32}, {PixelType::f32, 1}},
                                           .storage = {3, 2},
                                           .packing = Packing::manual});
  EXPECT_EQ(schedule.form(schedule.rounds.front().front()),
            (MessageForm{Layout::nn, 16 * 32 * 4, 16 * 4, 64 * 4, (16 + 2 * 3) * 4, Packing::manual}));
}

TEST(Schedule, CountsWhatIsPackedByHandOfMessagesUnderWay) {
  TransferSpec spec{.kind = TransferKind::scatter,
                    .algorithm = Algorithm::oft,
                    .grid = {4, 1},
                    .image = {{64, 32}, {PixelType::u8, 1}}};
  const std::int64_t tile = 16 * 32;
  EXPECT_EQ(make_schedule(spec).scratch_bytes(0), 0);
  spec.packing = Packing::manual;
  EXPECT_EQ(make_schedule(spec).scratch_bytes(0), 2 * tile) << "one is sent, the next begins";
  EXPECT_EQ(make_schedule(spec).scratch_bytes(1), 0) << "tiles without a halo are contiguous";
  spec.storage = {1, 1};
  EXPECT_EQ(make_schedule(spec).scratch_bytes(1), tile);
  spec.grid = {1, 4};
  spec.storage = {};
  EXPECT_EQ(make_schedule(spec).scratch_bytes(0), 0) << "nothing to pack";
  spec.algorithm = Algorithm::sbt;
  EXPECT_EQ(make_schedule(spec).scratch_bytes(2), 2 * tile) << "passed on";
}

}  // namespace
}  // namespace tilewright
