#include "tilewright/model/warmth.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

constexpr std::int64_t mebibyte = 1 << 20;
/// Which nothing of is found again.
constexpr RepeatedRun large{.touched_bytes = 64 * mebibyte, .seconds = 0};
constexpr RepeatedRun small{.touched_bytes = 16 * mebibyte, .seconds = 0};
/// In between, by the logarithm.
constexpr RepeatedRun middle{.touched_bytes = 32 * mebibyte, .seconds = 0};

PathCell cell(Path path, std::int64_t bytes, double seconds, Layout layout = Layout::cc) {
  return {path, layout, bytes, {seconds, 0, 10}};
}

std::vector<PathCell> cells() {
  return {cell(Path::shared, 65536, 8),          cell(Path::shared_warm, 65536, 4),
          cell(Path::shared, 262144, 40),        cell(Path::shared_warm, 262144, 10),
          cell(Path::shared_gather, 262144, 30), cell(Path::shared_gather_warm, 262144, 10),
          cell(Path::message_scatter, 65536, 9), cell(Path::message_scatter_warm, 65536, 3)};
}

TEST(Warmth, IsOfTransfersThatWereMeasuredBothWays) {
  const Warmth warmth(cells(), 0);
  EXPECT_DOUBLE_EQ(warmth.factor(cell(Path::shared, 65536, 8), small), 0.5);
  EXPECT_DOUBLE_EQ(warmth.factor(cell(Path::shared, 65536, 8), middle), 0.75);
  EXPECT_DOUBLE_EQ(warmth.factor(cell(Path::shared, 65536, 8), large), 1);
  EXPECT_DOUBLE_EQ(warmth.factor(cell(Path::shared_gather, 1 << 24, 99), small), 1.0 / 3) << "as the largest";
  EXPECT_DOUBLE_EQ(warmth.factor(cell(Path::shared, 131072, 20), small), 0.375) << "half way, by the logarithm";
  for (const Path path : {Path::copy, Path::swap, Path::shared_warm, Path::message_scatter_warm}) {
    EXPECT_EQ(warmth.factor(cell(path, 65536, 1), small), 1) << to_string(path);
  }
  EXPECT_EQ(warmth.factor(cell(Path::shared, 65536, 8, Layout::nn), small), 1) << "not measured";
  EXPECT_EQ(Warmth().factor(cell(Path::shared, 65536, 8), small), 1);
  EXPECT_EQ(Warmth({cells().front()}, 0), Warmth());
}

/// They were measured between places that lie in the last cache.
TEST(Warmth, MakesLongMessagesOfLargeRunsDearer) {
  const Warmth warmth(cells(), 0);
  EXPECT_DOUBLE_EQ(warmth.factor(cell(Path::full, 65536, 1), large), 3);
  EXPECT_DOUBLE_EQ(warmth.factor(cell(Path::send, 65536, 1, Layout::nn), middle), 2);
  EXPECT_DOUBLE_EQ(warmth.factor(cell(Path::recv, 65536, 1), small), 1);
  EXPECT_EQ(warmth.factor(cell(Path::full, 8192, 1), large), 1) << "takes what its protocol takes";
  PathCell within = cell(Path::full, 65536, 1);
  within.within_node = true;
  EXPECT_EQ(warmth.factor(within, large), 1);
}

TEST(Warmth, IsLostWhileOthersUseTheCaches) {
  const RepeatedRun longer{.touched_bytes = 16 * mebibyte, .seconds = 2};
  EXPECT_DOUBLE_EQ(Warmth(cells(), 0).factor(cell(Path::shared, 65536, 8), longer), 0.5) << "there is nobody else";
  const Warmth warmth(cells(), 8.0 * mebibyte);
  EXPECT_NEAR(warmth.factor(cell(Path::shared, 65536, 8), longer), 0.75, 1e-9) << "as much again has passed";
  EXPECT_NEAR(warmth.factor(cell(Path::shared_gather, 262144, 30), longer), 2.0 / 3, 1e-9);
  EXPECT_NEAR(warmth.factor(cell(Path::full, 65536, 1), longer), 2, 1e-9);
  EXPECT_NEAR(warmth.factor(cell(Path::shared, 65536, 8), {16 * mebibyte, 6}), 1, 1e-9);
  EXPECT_NE(warmth, Warmth(cells(), 0));
}

/// By one of two ranks, of so many bytes each: after a rest of that coldness.
std::vector<PathCell> rested(std::int64_t bytes, double coldness) {
  return {cell(Path::shared_gather, bytes, 30), cell(Path::shared_gather_warm, bytes, 10),
          cell(Path::shared_gather_rested, bytes, 10 + 20 * coldness)};
}

TEST(Strangers, AreToldByTransfersAfterARest) {
  const auto per_s = [](double bytes) { return bytes / rest_s; };
  const double precision = 0.02;  // in steps of which they are looked for
  // Small runs of 2 MiB a rank touch 20, and half of what the caches hold is lost when 32 have passed.
  const double by_large = strangers_bytes_per_s(rested(2 * mebibyte, 0.5), 2);
  EXPECT_NEAR(by_large / per_s(12 * mebibyte), 1, precision);
  const double by_small = strangers_bytes_per_s(rested(mebibyte / 10, 0.5), 2);
  EXPECT_NEAR(by_small / per_s(31 * mebibyte), 1, precision);
  EXPECT_EQ(strangers_bytes_per_s(rested(mebibyte / 10, 0), 2), 0);
  EXPECT_EQ(strangers_bytes_per_s({}, 2), 0);
  EXPECT_EQ(strangers_bytes_per_s(cells(), 2), 0) << "none after a rest";
}

TEST(Strangers, AreToldByMostTransfers) {
  std::vector<PathCell> measured;
  for (const auto& [bytes, coldness] :
       {std::pair(2 * mebibyte, 0.5), std::pair(2 * mebibyte + 64, 0.5), std::pair(2 * mebibyte + 128, 0.0)}) {
    const std::vector<PathCell> more = rested(bytes, coldness);
    measured.insert(measured.end(), more.begin(), more.end());
  }
  EXPECT_NEAR(strangers_bytes_per_s(measured, 2) / (12.0 * mebibyte / rest_s), 1, 0.02);
}

/// Their small runs copy to where they have just gathered from; short ones take what ranks need to meet, and what takes
/// no longer cold tells nothing.
TEST(Strangers, AreNotToldByEverything) {
  const std::vector<PathCell> scatters{cell(Path::shared, mebibyte, 30), cell(Path::shared_warm, mebibyte, 10),
                                       cell(Path::shared_rested, mebibyte, 29)};
  EXPECT_EQ(strangers_bytes_per_s(scatters, 2), 0);
  EXPECT_EQ(strangers_bytes_per_s(rested(4096, 0.9), 2), 0);
  const std::vector<PathCell> alike{cell(Path::shared_gather, mebibyte, 11),
                                    cell(Path::shared_gather_warm, mebibyte, 10),
                                    cell(Path::shared_gather_rested, mebibyte, 10.9)};
  EXPECT_EQ(strangers_bytes_per_s(alike, 2), 0);
  const std::vector<PathCell> messages{cell(Path::message_scatter, mebibyte, 30),
                                       cell(Path::message_scatter_warm, mebibyte, 10),
                                       cell(Path::message_scatter_rested, mebibyte, 20)};
  EXPECT_GT(strangers_bytes_per_s(messages, 2), 0);
}

TEST(Warmth, NeverMakesColdQuicker) {
  const Warmth warmth({cell(Path::shared, 65536, 8), cell(Path::shared_warm, 65536, 9)}, 0);
  EXPECT_EQ(warmth.factor(cell(Path::shared, 65536, 8), small), 1);
}

TEST(WarmPaths, AreToldFromTheirColdOnes) {
  for (const Path cold : {Path::shared, Path::shared_gather, Path::message_scatter}) {
    for (const Warm warm : {Warm::no, Warm::yes, Warm::rested}) {
      const Path path = path_of(cold, warm).value();
      EXPECT_EQ(warm_path(path).cold, cold);
      EXPECT_EQ(warm_path(path).warm, warm);
    }
  }
  EXPECT_FALSE(path_of(Path::full, Warm::yes));
  EXPECT_EQ(warm_path(Path::full).cold, Path::full);
}

}  // namespace
}  // namespace tilewright
