#include "tilewright/model/warmth.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

constexpr std::int64_t mebibyte = 1 << 20;
constexpr int ranks = 2;
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
  const Warmth warmth(cells(), ranks);
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
  EXPECT_EQ(Warmth({cells().front()}, ranks), Warmth());
}

/// Seconds in proportion to bytes, but for those beyond the caches.
std::vector<PathCell> passing(std::int64_t holds, double slower) {
  std::vector<PathCell> all;
  for (std::int64_t bytes = 8 * mebibyte; bytes <= 512 * mebibyte; bytes *= 2)
    all.push_back(cell(Path::passing, bytes, static_cast<double>(bytes) * (bytes <= holds ? 1 : slower)));
  return all;
}

/// Of caches between 128 and 256 MiB, by the logarithm of the size half of the memory is found after 181.
TEST(Warmth, IsLostAfterWhatTheCachesHold) {
  const auto factor_after = [](std::int64_t touched, const std::vector<PathCell>& told) {
    std::vector<PathCell> all = cells();
    all.insert(all.end(), told.begin(), told.end());
    return Warmth(all, ranks).in({.touched_bytes = touched, .seconds = 0}).factor(cell(Path::shared, 65536, 8));
  };
  const auto large_caches = passing(128 * mebibyte, 2);
  EXPECT_EQ(factor_after(large_bytes, {}), 1);
  EXPECT_DOUBLE_EQ(factor_after(large_bytes - mebibyte, large_caches), 0.5);
  EXPECT_NEAR(factor_after(181 * mebibyte, large_caches), 0.75, 1e-3);
  EXPECT_EQ(factor_after(287 * mebibyte, large_caches), 1);
  EXPECT_EQ(factor_after(large_bytes, passing(128 * mebibyte, 1.1)), 1) << "too little to be told";
  EXPECT_EQ(factor_after(large_bytes, {large_caches.front()}), 1);
  EXPECT_EQ(factor_after(large_bytes, passing(8 * mebibyte, 2)), 1);
  EXPECT_DOUBLE_EQ(factor_after(small_bytes, passing(8 * mebibyte, 2)), 0.5)
      << "no less than where nothing was measured";
  EXPECT_EQ(Warmth(large_caches, ranks), Warmth());
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
    return Warmth(measured, ranks).in(of);
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
  EXPECT_NEAR(Warmth(cells(), ranks).in(run).factor(message(65536)), 0.2 * 3, 1e-9)
      << "copies cannot have been as dear";
  run.scatters = {{65536, Packing::datatype, 0, 1}};
  EXPECT_DOUBLE_EQ(Warmth(cells(), ranks).in(run).factor(message(65536)), 1) << "no price";
  EXPECT_DOUBLE_EQ(Warmth(cells(), ranks).in(small).factor(message(65536)), 1) << "none was asked for";
  EXPECT_FALSE(Warmth({cells().front(), cells()[1]}, ranks).in(small).tells_of_messages());
}

/// What gathers of so many bytes take, of which a part is lost in a run of `rested_run_s`.
std::vector<PathCell> gathers(std::int64_t bytes, double lost) {
  return {cell(Path::shared_gather, bytes, 30), cell(Path::shared_gather_warm, bytes, 10),
          cell(Path::shared_gather_rested, bytes, 10 + 20 * lost)};
}

/// By which `factor` says that a gather has become longer than a warm one, for what a cold one has.
double lost_of(const std::vector<PathCell>& measured, double run_s, std::int64_t bytes, Layout layout = Layout::cc) {
  const double factor =
      Warmth(measured, ranks).in({small_bytes, run_s}).factor(cell(Path::shared_gather, bytes, 30, layout));
  return (30 * factor - 10) / 20;
}

TEST(Warmth, IsLostToStrangersAsRunsTellThatCompute) {
  const std::vector<PathCell> half = gathers(mebibyte, 0.5);
  EXPECT_NEAR(lost_of(half, rested_run_s, mebibyte), 0.5, 1e-9);
  EXPECT_NEAR(lost_of(half, lossless_run_s, mebibyte), 0, 1e-9);
  EXPECT_NEAR(lost_of(half, 0, mebibyte), 0, 1e-9);
  EXPECT_NEAR(lost_of(half, 2 * rested_run_s - lossless_run_s, mebibyte), 0.75, 1e-9) << "half of what is left";
  EXPECT_NEAR(lost_of(half, 1, mebibyte), 1, 1e-9);
  EXPECT_NEAR(lost_of(gathers(mebibyte, 0), 1, mebibyte), 0, 1e-9) << "nobody else is there";
  EXPECT_NEAR(lost_of(gathers(mebibyte, 1.5), rested_run_s, mebibyte), 0.95, 1e-9);
  EXPECT_NEAR(lost_of(gathers(mebibyte, -0.5), 1, mebibyte), 0, 1e-9) << "a rest does not warm";
  EXPECT_NE(Warmth(half, ranks), Warmth(gathers(mebibyte, 0.4), ranks));
}

/// Of what a run touches too much of itself the rest is lost, and of what is left strangers take their part.
TEST(Warmth, IsLostToStrangersAndToTheRunItself) {
  const std::vector<PathCell> half = gathers(mebibyte, 0.5);
  const RepeatedRun both{middle.touched_bytes, rested_run_s};
  EXPECT_NEAR(Warmth(half, ranks).in(both).factor(half.front()), (10 + 20 * 0.75) / 30, 1e-9);
}

TEST(Warmth, IsLostToStrangersByPathAndSize) {
  std::vector<PathCell> measured = gathers(mebibyte, 0.5);
  for (const PathCell& more : gathers(131072, 0.9)) measured.push_back(more);
  for (const PathCell& more : gathers(4 * mebibyte, 0)) measured.push_back(more);
  measured.push_back(cell(Path::shared_gather, mebibyte, 30, Layout::nn));
  measured.push_back(cell(Path::shared_gather_warm, mebibyte, 10, Layout::nn));
  EXPECT_NEAR(lost_of(measured, rested_run_s, mebibyte), 0.5, 1e-9);
  EXPECT_NEAR(lost_of(measured, rested_run_s, 131072), 0, 1e-9) << "what a core's own cache holds";
  EXPECT_NEAR(lost_of(measured, rested_run_s, 4 * mebibyte), 0, 1e-9);
  EXPECT_NEAR(lost_of(measured, rested_run_s, mebibyte, Layout::nn), 0.5, 1e-9) << "however the image is cut";
  measured.push_back(cell(Path::shared, mebibyte, 30));
  measured.push_back(cell(Path::shared_warm, mebibyte, 10));
  EXPECT_NEAR(Warmth(measured, ranks).in({small_bytes, 1}).factor(cell(Path::shared, mebibyte, 30)), 1.0 / 3, 1e-9)
      << "another transfer";
  const std::vector<PathCell> alike{cell(Path::shared_gather, mebibyte, 11),
                                    cell(Path::shared_gather_warm, mebibyte, 10),
                                    cell(Path::shared_gather_rested, mebibyte, 10.9)};
  EXPECT_NEAR(11 * Warmth(alike, ranks).in({small_bytes, 1}).factor(alike.front()), 10, 1e-9) << "they tell nothing";
}

TEST(Warmth, IsLostByMessagesOfEachPacking) {
  std::vector<PathCell> measured;
  for (const auto& [packing, rested] : {std::pair(Packing::datatype, 20.0), std::pair(Packing::manual, 10.0)}) {
    for (PathCell one : {cell(Path::message_scatter, mebibyte, 30), cell(Path::message_scatter_warm, mebibyte, 10),
                         cell(Path::message_scatter_rested, mebibyte, rested)}) {
      one.packing = packing;
      measured.push_back(one);
    }
  }
  const RepeatedRun run{
      small_bytes, rested_run_s, {{mebibyte, Packing::datatype, 10, 0}, {mebibyte, Packing::manual, 10, 0}}};
  EXPECT_NEAR(Warmth(measured, ranks).in(run).factor(message(mebibyte)), 2, 1e-9);
  EXPECT_NEAR(Warmth(measured, ranks).in(run).factor(message(mebibyte, Layout::cn, Packing::manual)), 1, 1e-9);
}

/// Small runs take their time as well, in which strangers have had what they take of a warm one.
TEST(Warmth, IsNotLostWithinTheTimeOfASmallRun) {
  constexpr double scatter_s = 2e-3, gather_s = 1e-3;  // 4 ms with the tile that is made
  std::vector<PathCell> measured{
      cell(Path::shared_gather, mebibyte, 3 * gather_s), cell(Path::shared_gather_warm, mebibyte, gather_s),
      cell(Path::shared_gather_rested, mebibyte, 2 * gather_s), cell(Path::message_scatter_warm, mebibyte, scatter_s)};
  const auto takes = [&](double run_s) {
    const double factor = Warmth(measured, ranks).in({small_bytes, run_s}).factor(measured.front());
    return 3 * gather_s * factor;
  };
  EXPECT_NEAR(takes(4e-3), gather_s, 1e-9);
  EXPECT_NEAR(takes(4e-3 + rested_run_s - lossless_run_s), 2 * gather_s, 1e-9);
}

/// As much as a small run touches leaves what a small run finds.
TEST(Warmth, IsLostAfterMoreThanASmallRunTouches) {
  constexpr std::int64_t tile_bytes = 8 * mebibyte;
  constexpr std::int64_t touched = ranks * tiles_of_small_run * tile_bytes;  // 80 MiB
  std::vector<PathCell> measured = gathers(tile_bytes, 0);
  const auto lost_after = [&](std::int64_t bytes) {
    const double factor = Warmth(measured, ranks).in({bytes, 0}).factor(measured.front());
    return (30 * factor - 10) / 20;
  };
  EXPECT_NEAR(lost_after(touched), 1, 1e-9) << "caches of which nothing is known hold less";
  for (const PathCell& told : passing(64 * mebibyte, 2))
    measured.push_back(told);  // half after 90.5 MiB, all after 143
  EXPECT_NEAR(lost_after(touched - 8 * mebibyte), 0, 1e-9);
  EXPECT_NEAR(lost_after(touched), 0, 1e-9);
  EXPECT_NEAR(lost_after(touched + (143 * mebibyte - touched) / 2), 0.5, 0.01);
  EXPECT_NEAR(lost_after(144 * mebibyte), 1, 1e-9);
}

/// Of two ranks, each of which has a cache that holds 1 MiB and not 2; halfway, by the logarithm, that is 1.41.
std::vector<PathCell> passing_own_caches() {
  std::vector<PathCell> all;
  for (std::int64_t bytes = 256 * 1024; bytes <= spilling_bytes; bytes *= 2)
    all.push_back(cell(Path::passing, ranks * bytes, static_cast<double>(bytes) * (bytes <= mebibyte ? 1 : 2)));
  return all;
}

TEST(Warmth, SpillsOutOfCachesOfSingleCores) {
  constexpr std::int64_t tile_bytes = 128 * 1024;
  std::vector<PathCell> measured{
      cell(Path::shared_gather, tile_bytes, 40),         cell(Path::shared_gather_warm, tile_bytes, 10),
      cell(Path::shared_gather_spilled, tile_bytes, 20), cell(Path::shared, tile_bytes, 40),
      cell(Path::shared_warm, tile_bytes, 10),           cell(Path::shared_spilled, tile_bytes, 20)};
  for (const PathCell& told : passing_own_caches()) measured.push_back(told);
  const auto takes = [&](Path path, const RepeatedRun& run) {
    return 40 * Warmth(measured, ranks).in(run).factor(cell(path, tile_bytes, 40));
  };
  RepeatedRun run{.touched_bytes = tiles_of_small_run * tile_bytes * ranks, .seconds = 0};
  run.ranks = ranks;
  run.rank_bytes = own_tiles_of_small_run * tile_bytes;
  for (const Path path : {Path::shared, Path::shared_gather}) EXPECT_DOUBLE_EQ(takes(path, run), 10);
  run.rank_bytes += std::int64_t{724} * 1024;  // half of 1.41 MiB
  EXPECT_NEAR(takes(Path::shared_gather, run), 15, 0.01) << "what the rank has made of tiles";
  EXPECT_NEAR(takes(Path::shared, run), 10, 0.01) << "nothing of all that it touches";
  run.touched_bytes += ranks * std::int64_t{724} * 1024;
  EXPECT_NEAR(takes(Path::shared, run), 15, 0.01);
  run.rank_bytes = run.touched_bytes = 8 * mebibyte;
  for (const Path path : {Path::shared, Path::shared_gather})
    EXPECT_DOUBLE_EQ(takes(path, run), 20) << "the last cache holds it";
  run.touched_bytes = large_bytes;
  EXPECT_DOUBLE_EQ(takes(Path::shared_gather, run), 40);
}

TEST(Warmth, SpillsByAUsualCacheWhereNobodyHasMeasuredIt) {
  constexpr std::int64_t tile_bytes = 128 * 1024;
  const std::vector<PathCell> measured{cell(Path::shared_gather, tile_bytes, 40),
                                       cell(Path::shared_gather_warm, tile_bytes, 10),
                                       cell(Path::shared_gather_spilled, tile_bytes, 50)};
  RepeatedRun run{.touched_bytes = small_bytes, .seconds = 0};
  run.rank_bytes = own_tiles_of_small_run * tile_bytes + mebibyte / 2;
  EXPECT_DOUBLE_EQ(40 * Warmth(measured, ranks).in(run).factor(measured.front()), 25) << "no more than cold";
}

TEST(Warmth, NeverMakesColdQuicker) {
  const Warmth warmth({cell(Path::shared, 65536, 8), cell(Path::shared_warm, 65536, 9)}, ranks);
  EXPECT_EQ(warmth.in(small).factor(cell(Path::shared, 65536, 8)), 1);
}

TEST(WarmPaths, AreToldFromTheirColdOnes) {
  for (const Path cold : {Path::shared, Path::shared_gather, Path::message_scatter}) {
    for (const Warm warm : {Warm::no, Warm::yes, Warm::rested, Warm::spilled}) {
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
