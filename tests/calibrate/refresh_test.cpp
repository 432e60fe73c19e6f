#include "tilewright/calibrate/refresh.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace tilewright {
namespace {

OperatorCell cell(const std::string& key, double parameter, double pixels, std::int64_t samples = 9) {
  return {key, PixelType::f32, parameter, pixels, {1e-9, 0, samples}};
}

TEST(Refresh, MeasuresAFewOfAllKinds) {
  std::vector<OperatorCell> cells;
  for (const double taps : {6, 18, 30, 46, 78}) {
    for (const double side : {64, 128, 256, 512, 1024, 2048}) {
      for (const char* key : {"convolve_separable", "convolve_pair", "copy", "sqrt"}) {
        cells.push_back(cell(key, taps, side * side));
      }
    }
  }
  const std::vector<OperatorCell> some = operators_to_refresh({"m", {}, {}, cells});
  EXPECT_NEAR(static_cast<double>(some.size()), 20, 2);
  std::set<std::string> keys;
  std::set<double> sizes;
  for (const OperatorCell& one : some) {
    keys.insert(one.key);
    sizes.insert(one.tile_pixels);
  }
  EXPECT_EQ(keys.size(), 4U);
  EXPECT_EQ(*sizes.begin(), 256 * 256);
  EXPECT_EQ(*sizes.rbegin(), 1024 * 1024);
}

TEST(Refresh, MeasuresNothingThatIsNotOfOneRankAlone) {
  OperatorCell together = cell("copy", 0, 65536);
  together.ranks = 8;
  OperatorCell threaded = cell("copy", 0, 65536);
  threaded.threads = 2;
  OperatorCell bytes = cell("copy", 0, 65536);
  bytes.type = PixelType::u8;
  const auto chosen = [](const OperatorCell& one) { return operators_to_refresh({"m", {}, {}, {one}}).size(); };
  EXPECT_EQ(chosen(together), 0U);
  EXPECT_EQ(chosen(threaded), 0U);
  EXPECT_EQ(chosen(bytes), 0U);
  EXPECT_EQ(chosen(cell("copy", 0, 65536, 0)), 0U) << "imported: not of this machine";
  EXPECT_EQ(chosen(cell("tea", 0, 65536)), 0U) << "nobody knows how to measure it";
  EXPECT_EQ(chosen(cell("convolve_2d", 1089, 65536)), 0U) << "it takes too long";
  EXPECT_EQ(chosen(cell("copy", 0, 65536)), 1U);
}

PathCell message(Path path, Layout layout, std::int64_t bytes, double seconds, std::int64_t samples = 9) {
  return {path, layout, bytes, {seconds, 0, samples}};
}

MachineProfile profile_of_messages() {
  std::vector<PathCell> cells;
  for (const Path path : all_paths) {
    for (const Layout layout : {Layout::cc, Layout::nc, Layout::nn}) {
      for (std::int64_t bytes = 400; bytes <= 4 << 20; bytes *= 2) cells.push_back(message(path, layout, bytes, 1));
    }
  }
  return {"m", {}, cells, {}};
}

TEST(Refresh, MeasuresMessagesOfAllSizesBothWholeAndInBlocks) {
  const std::vector<PathCell> some = messages_to_refresh(profile_of_messages());
  EXPECT_EQ(some.size(), 3U * 2 * MessageFactors::sizes.size());
  for (const PathCell& one : some) EXPECT_NE(one.layout, Layout::nc);
  const auto chosen = [](const PathCell& one) { return messages_to_refresh({"m", {}, {one}, {}}).size(); };
  EXPECT_EQ(chosen(message(Path::send, Layout::cc, 4000, 1)), 1U);
  EXPECT_EQ(chosen(message(Path::send, Layout::cc, 4000, 1, 0)), 0U) << "imported";
  EXPECT_EQ(chosen(message(Path::send, Layout::cc, 0, 1)), 0U);
  EXPECT_EQ(chosen(message(Path::swap, Layout::cc, 4096, 1)), 0U);
}

TEST(Refresh, TellsSizesApart) {
  const MachineProfile profile = profile_of_messages();
  std::vector<PathCell> now = messages_to_refresh(profile);
  for (PathCell& cell : now) cell.time.seconds = cell.bytes < 10000 ? 3 : 1.5;
  now.front().time.seconds = 99;  // disturbed
  const MessageFactors found = message_factors(profile, now);
  EXPECT_EQ(found, (MessageFactors{{3, 3, 1.5, 1.5, 1.5}, {3, 3, 1.5, 1.5, 1.5}}));
  EXPECT_EQ(message_factors(profile, {}), MessageFactors{});
}

/// Where processors come to lie near each other short exchanges may take longer and long ones not half as long, while
/// other messages hardly change.
TEST(Refresh, TellsExchangesOfOneNodeByThemselves) {
  std::vector<PathCell> cells;
  for (const Path path : {Path::full, Path::swap, Path::shift}) {
    for (const Layout layout : {Layout::cc, Layout::nn}) {
      for (std::int64_t bytes = 256; bytes <= 4 << 20; bytes *= 2) cells.push_back(message(path, layout, bytes, 1));
    }
  }
  Fingerprint fingerprint;
  fingerprint.nodes = 1;
  const MachineProfile profile("m", fingerprint, cells, {});
  std::vector<PathCell> now = exchanges_to_refresh(profile);
  EXPECT_EQ(now.size(), 2 * MessageFactors::sizes.size()) << "swaps, which there are on all grids";
  for (PathCell& cell : now) cell.time.seconds = cell.layout == Layout::nn ? 4 : cell.bytes < 10000 ? 2 : 0.5;
  const auto found = exchange_factors(profile, now);
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, (MessageFactors{{2, 2, 0.5, 0.5, 0.5}, {4, 4, 4, 4, 4}}));
  EXPECT_EQ(message_factors(profile, now), MessageFactors());
  EXPECT_EQ(exchange_factors(profile, {message(Path::full, Layout::cc, 256, 3)}), std::nullopt);
  fingerprint.nodes = 8;
  EXPECT_TRUE(exchanges_to_refresh({"m", fingerprint, cells, {}}).empty());
}

TEST(Refresh, TellsPathsThroughSharedMemoryApart) {
  std::vector<PathCell> cells;
  for (const Path path : {Path::send, Path::shared, Path::shared_gather, Path::shared_warm, Path::message_scatter,
                          Path::message_scatter_rested}) {
    for (std::int64_t bytes = 400; bytes <= 16 << 20; bytes *= 2) {
      for (const Layout layout : {Layout::cc, Layout::nn}) cells.push_back(message(path, layout, bytes, 1));
    }
  }
  for (std::int64_t bytes = 400; bytes <= 16 << 20; bytes *= 2) {
    cells.push_back(message(Path::message_scatter, Layout::cc, bytes, 1));
    cells.back().packing = Packing::manual;
  }
  const MachineProfile profile("m", {}, cells, {});
  std::vector<PathCell> now = scatters_to_refresh(profile);
  const auto are_of = [&](Path path, Packing packing) {
    return static_cast<std::size_t>(
        std::ranges::count_if(now, [&](const PathCell& cell) { return cell.path == path && cell.packing == packing; }));
  };
  const std::size_t all = SharingFactors::sizes.size(), long_ones = all - 2;
  EXPECT_EQ(are_of(Path::shared_warm, Packing::datatype), 2 * all);
  EXPECT_EQ(are_of(Path::shared, Packing::datatype), 2 * long_ones) << "short ones are never cold";
  EXPECT_EQ(are_of(Path::message_scatter, Packing::datatype), 2 * long_ones);
  EXPECT_EQ(are_of(Path::message_scatter, Packing::manual), long_ones);
  EXPECT_EQ(are_of(Path::message_scatter_rested, Packing::datatype), 2 * long_ones);
  EXPECT_EQ(now.size(), 2 * all + 7 * long_ones) << "no gathers, and no messages";
  for (PathCell& cell : now) cell.time.seconds = cell.path == Path::shared_warm && cell.bytes < 10000 ? 3 : 1.5;
  for (PathCell& cell : now) {
    if (cell.packing == Packing::manual) cell.time.seconds = 7;
  }
  EXPECT_EQ(message_factors(profile, now), MessageFactors());
  const SharingFactors found = sharing_factors(profile, now);
  EXPECT_EQ(found.rows.size(), 4U * 2 + 1);
  EXPECT_EQ(found.rows.at({Path::message_scatter, Layout::cc, Packing::manual}),
            (SharingFactors::OfSizes{7, 7, 7, 7, 7}));
  EXPECT_EQ(found.rows.at({Path::shared_warm, Layout::nn}), (SharingFactors::OfSizes{3, 1.5, 1.5, 1.5, 1.5}));
  EXPECT_EQ(found.rows.at({Path::shared, Layout::cc}), (SharingFactors::OfSizes{1.5, 1.5, 1.5, 1.5, 1.5}));
  EXPECT_EQ(sharing_factors(profile, {}), SharingFactors());
}

}  // namespace
}  // namespace tilewright
