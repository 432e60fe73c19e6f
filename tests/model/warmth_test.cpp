#include "tilewright/model/warmth.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

constexpr std::int64_t mebibyte = 1 << 20;
/// Which nothing of is found again.
constexpr std::int64_t large_bytes = 76 * mebibyte;
constexpr std::int64_t small_bytes = 20 * mebibyte;
const RepeatedRun large{.touched_bytes = large_bytes, .seconds = 0};
const RepeatedRun small{.touched_bytes = small_bytes, .seconds = 0};
const RepeatedRun middle{.touched_bytes = (small_bytes + large_bytes) / 2, .seconds = 0};

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
  const auto factor = [&](const PathCell& of, const RepeatedRun& run) { return warmth.in(run).factor(of); };
  EXPECT_DOUBLE_EQ(factor(cell(Path::shared, 65536, 8), small), 0.5);
  EXPECT_DOUBLE_EQ(factor(cell(Path::shared, 65536, 8), middle), 0.75);
  EXPECT_DOUBLE_EQ(factor(cell(Path::shared, 65536, 8), large), 1);
  EXPECT_DOUBLE_EQ(factor(cell(Path::shared_gather, 1 << 24, 99), small), 1.0 / 3) << "as the largest";
  EXPECT_DOUBLE_EQ(factor(cell(Path::shared, 131072, 20), small), 0.375) << "half way, by the logarithm";
  for (const Path path : {Path::copy, Path::swap, Path::full, Path::shared_warm, Path::message_scatter_warm}) {
    EXPECT_EQ(factor(cell(path, 65536, 1), small), 1) << to_string(path);
  }
  EXPECT_EQ(factor(cell(Path::shared, 0, 8), small), 1);
  EXPECT_EQ(factor(cell(Path::shared, 65536, 8, Layout::nn), small), 1) << "not measured";
  EXPECT_EQ(Warmth().in(small).factor(cell(Path::shared, 65536, 8)), 1);
  EXPECT_EQ(Warmth({cells().front()}, 0), Warmth());
}

MessageForm message(std::int64_t bytes, Layout layout = Layout::cn, Packing packing = Packing::datatype) {
  return {layout, bytes, 256, 256, 512, packing};
}

/// What of a scatter is no copy is its messages, whatever they take one after another.
TEST(Warmth, MakesMessagesTakeWhatScattersTook) {
  std::vector<PathCell> measured = cells();  // a scatter of 64 KiB takes 3 s warm and 9 cold
  for (const auto& [path, seconds] :
       {std::pair(Path::message_scatter, 5.0), std::pair(Path::message_scatter_warm, 2.0)}) {
    measured.push_back(cell(path, 65536, seconds));
    measured.back().packing = Packing::manual;
  }
  const std::vector<PricedScatter> priced{{65536, Packing::datatype, 4, 1}, {65536, Packing::manual, 0.5, 1}};
  const auto run = [&](RepeatedRun of) {
    of.scatters = priced;
    return Warmth(measured, 0).in(of);
  };
  EXPECT_TRUE(run(small).tells_of_messages());
  EXPECT_DOUBLE_EQ(run(small).factor(message(65536)), (3.0 - 1) / 4);
  EXPECT_DOUBLE_EQ(run(middle).factor(message(65536, Layout::nn)), (6.0 - 1) / 4);
  EXPECT_DOUBLE_EQ(run(large).factor(message(1 << 22, Layout::nc)), (9.0 - 1) / 4) << "as the longest";
  EXPECT_DOUBLE_EQ(run(small).factor(message(65536, Layout::cn, Packing::manual)), (2.0 - 1) / 0.5);
  EXPECT_EQ(run(large).factor(message(8192)), 1) << "takes what its protocol takes";
  EXPECT_DOUBLE_EQ(run(small).factor(message(65536, Layout::cc)), 1) << "no scatter is contiguous";
  EXPECT_DOUBLE_EQ(run(large).factor(message(65536, Layout::cc)), 3) << "as much longer as one is cold";
  EXPECT_DOUBLE_EQ(run(large).factor(message(65536, Layout::cn, Packing::blocked)), 3);
}

TEST(Warmth, LeavesMessagesSomethingOfAScatter) {
  RepeatedRun run = small;
  run.scatters = {{65536, Packing::datatype, 1, 99}};
  EXPECT_NEAR(Warmth(cells(), 0).in(run).factor(message(65536)), 0.2 * 3, 1e-9) << "copies cannot have been as dear";
  run.scatters = {{65536, Packing::datatype, 0, 1}};
  EXPECT_DOUBLE_EQ(Warmth(cells(), 0).in(run).factor(message(65536)), 1) << "no price";
  EXPECT_DOUBLE_EQ(Warmth(cells(), 0).in(small).factor(message(65536)), 1) << "none was asked for";
  EXPECT_FALSE(Warmth({cells().front(), cells()[1]}, 0).in(small).tells_of_messages());
}

TEST(Warmth, IsLostWhileOthersUseTheCaches) {
  // With strangers that pass as much as ranks that compute, half of what is too much has passed.
  const RepeatedRun longer{.touched_bytes = small_bytes, .seconds = 14.0 * mebibyte / passed_by_computing};
  const auto factor = [&](const Warmth& warmth, const PathCell& of) { return warmth.in(longer).factor(of); };
  EXPECT_NEAR(factor(Warmth(cells(), 0), cell(Path::shared, 65536, 8)), 0.625, 1e-9) << "there is nobody else";
  const Warmth warmth(cells(), passed_by_computing);
  EXPECT_NEAR(factor(warmth, cell(Path::shared, 65536, 8)), 0.75, 1e-9);
  EXPECT_NEAR(factor(warmth, cell(Path::shared_gather, 262144, 30)), 2.0 / 3, 1e-9);
  EXPECT_NEAR(warmth.in(longer).factor(message(65536)), 2, 1e-9);
  EXPECT_NEAR(warmth.in({small_bytes, 3 * longer.seconds}).factor(cell(Path::shared, 65536, 8)), 1, 1e-9);
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
  // Small runs of 2 MiB a rank touch 20, and half of what the caches hold is lost when 48 have passed.
  const double by_large = strangers_bytes_per_s(rested(2 * mebibyte, 0.5), 2);
  EXPECT_NEAR(by_large / per_s(28 * mebibyte), 1, precision);
  const double by_small = strangers_bytes_per_s(rested(mebibyte / 2, 0.5), 2);
  EXPECT_NEAR(by_small / per_s(43 * mebibyte), 1, precision);
  EXPECT_EQ(strangers_bytes_per_s(rested(2 * mebibyte, 0), 2), 0);
  EXPECT_EQ(strangers_bytes_per_s({}, 2), 0);
  EXPECT_EQ(strangers_bytes_per_s(cells(), 2), 0) << "none after a rest";
}

TEST(Strangers, AreToldByTheMeanOfAllTransfers) {
  std::vector<PathCell> measured;
  for (const auto& [bytes, coldness] : {std::pair(2 * mebibyte, 0.2), std::pair(2 * mebibyte + 64, 0.6)}) {
    const std::vector<PathCell> more = rested(bytes, coldness);
    measured.insert(measured.end(), more.begin(), more.end());
  }
  EXPECT_NEAR(strangers_bytes_per_s(measured, 2) / (0.4 * 56 * mebibyte / rest_s), 1, 0.02);
}

/// Their small runs copy to where they have just gathered from; what a core's own cache holds no stranger takes away;
/// and what takes no longer cold tells nothing.
TEST(Strangers, AreNotToldByEverything) {
  const std::vector<PathCell> scatters{cell(Path::shared, mebibyte, 30), cell(Path::shared_warm, mebibyte, 10),
                                       cell(Path::shared_rested, mebibyte, 29)};
  EXPECT_EQ(strangers_bytes_per_s(scatters, 2), 0);
  EXPECT_EQ(strangers_bytes_per_s(rested(131072, 0.9), 2), 0);
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
  EXPECT_EQ(warmth.in(small).factor(cell(Path::shared, 65536, 8)), 1);
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
