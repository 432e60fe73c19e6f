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
  const Warmth warmth(cells(), 2);
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
  EXPECT_EQ(Warmth({cells().front()}, 2), Warmth());
}

/// They were measured between places that lie in the last cache.
TEST(Warmth, MakesLongMessagesOfLargeRunsDearer) {
  const Warmth warmth(cells(), 2);
  EXPECT_DOUBLE_EQ(warmth.factor(cell(Path::full, 65536, 1), large), 3);
  EXPECT_DOUBLE_EQ(warmth.factor(cell(Path::send, 65536, 1, Layout::nn), middle), 2);
  EXPECT_DOUBLE_EQ(warmth.factor(cell(Path::recv, 65536, 1), small), 1);
  EXPECT_EQ(warmth.factor(cell(Path::full, 8192, 1), large), 1) << "takes what its protocol takes";
  PathCell within = cell(Path::full, 65536, 1);
  within.within_node = true;
  EXPECT_EQ(warmth.factor(within, large), 1);
}

TEST(Warmth, IsLostWhileOthersUseTheCaches) {
  std::vector<PathCell> measured = cells();
  const RepeatedRun longer{.touched_bytes = 16 * mebibyte, .seconds = 2 * rest_s};
  EXPECT_DOUBLE_EQ(Warmth(measured, 2).factor(cell(Path::shared, 65536, 8), longer), 0.5) << "nobody else was seen";
  // After so long a rest gathers are half way: strangers have passed as much again, 16 MiB.
  measured.push_back(cell(Path::shared_gather_rested, 262144, 20));
  const Warmth warmth(measured, 2);
  EXPECT_DOUBLE_EQ(warmth.factor(cell(Path::shared_gather, 262144, 30), small), 1.0 / 3);
  EXPECT_NEAR(warmth.factor(cell(Path::shared_gather, 262144, 30), {16 * mebibyte, rest_s}), 2.0 / 3, 1e-9);
  EXPECT_NEAR(warmth.factor(cell(Path::shared_gather, 262144, 30), {16 * mebibyte, 3 * rest_s}), 1, 1e-9);
  EXPECT_NEAR(warmth.factor(cell(Path::shared, 65536, 8), {16 * mebibyte, rest_s}), 0.75, 1e-9) << "scatters, too";
  EXPECT_DOUBLE_EQ(warmth.factor(cell(Path::full, 65536, 1), longer), 1) << "messages by a rest of their own";
  measured.push_back(cell(Path::message_scatter_rested, 65536, 6));
  EXPECT_NEAR(Warmth(measured, 2).factor(cell(Path::full, 65536, 1), {16 * mebibyte, rest_s}), 2, 1e-9);
}

TEST(Warmth, NeverMakesColdQuicker) {
  const Warmth warmth({cell(Path::shared, 65536, 8), cell(Path::shared_warm, 65536, 9)}, 2);
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
