// What packing costs by log_3P, on the machine of its paper, and by a model that knows packings.
#include "packing_costs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tilewright/core/error.hpp"

namespace tilewright::papers {
namespace {

constexpr double us = 1e-6;
constexpr std::int64_t k16 = 16384;

PathCell cell(Path path, Layout layout, std::int64_t bytes, double microseconds) {
  return {path, layout, bytes, {microseconds * us, 0, 1}};
}

/// Titan: 16 KiB take o_mw = 29, o_net = 131 and T_mem = 3 microseconds; of 8 bytes each, 1 KiB apart, l_mw = 420 more
/// (Cameron, Ge and Sun 2007, section 4.1). Twice as much takes twice as long.
std::vector<PathCell> titan_cells() {
  std::vector<PathCell> cells;
  for (const std::int64_t bytes : {std::int64_t{0}, k16, 2 * k16}) {
    const double share = static_cast<double>(bytes) / k16;
    cells.push_back(cell(Path::copy, Layout::cc, bytes, share * 3));
    cells.push_back(cell(Path::to_self, Layout::cc, bytes, share * (29 + 3)));
    cells.push_back(cell(Path::full, Layout::cc, bytes, share * (29 + 131)));
    if (bytes == 0) continue;
    PathCell strided = cell(Path::to_self, Layout::nn, bytes, share * 452);
    strided.block_bytes = 8;
    strided.stride_bytes = 1024;
    cells.push_back(strided);
  }
  return cells;
}

MessageForm form(Layout layout, std::int64_t bytes = k16) {
  return {layout, bytes, 8, 1024, 1024};
}

TEST(PackingCosts, Log3pPacksByACopyAndHalfTheLatencyOfTheStride) {
  const MachineProfile titan("titan", {}, titan_cells(), {});
  const auto model = make_cost_model("log3p", titan);
  EXPECT_NEAR(strided_end_seconds(*model, form(Layout::nc)), 210 * us, 1e-12);
  EXPECT_NEAR(packing_seconds(*model, titan, form(Layout::nc)), (3 + 210) * us, 1e-12);
  EXPECT_NEAR(packing_seconds(*model, titan, form(Layout::cn)), (3 + 210) * us, 1e-12);
  EXPECT_NEAR(packing_seconds(*model, titan, form(Layout::nc, 2 * k16)), 2 * (3 + 210) * us, 1e-12);
}

TEST(PackingCosts, AModelThatKnowsPackingsIsAsked) {
  std::vector<PathCell> cells = titan_cells();
  for (const Layout layout : {Layout::nc, Layout::cn}) {
    cells.push_back(cell(Path::full, layout, k16, 500));
    for (const Packing packing : {Packing::datatype, Packing::manual}) {
      const double end = (packing == Packing::manual ? 20 : 300) + (layout == Layout::nc ? 0 : 5);
      cells.push_back({Path::full, layout, k16, {(160 + end) * us, 0, 1}, packing, 8, 1024});
    }
  }
  const MachineProfile profile("blocks", {}, cells, {});
  const auto model = make_cost_model("p3pc-stride", profile);
  EXPECT_NEAR(packing_seconds(*model, profile, form(Layout::nc)), 20 * us, 1e-12);
  EXPECT_NEAR(packing_seconds(*model, profile, form(Layout::cn)), 25 * us, 1e-12);
}

TEST(PackingCosts, OneEndIsStrided) {
  const MachineProfile titan("titan", {}, titan_cells(), {});
  const auto model = make_cost_model("log3p", titan);
  for (const Layout layout : {Layout::cc, Layout::nn}) {
    EXPECT_THROW((void)packing_seconds(*model, titan, form(layout)), ParameterError);
    EXPECT_THROW((void)strided_end_seconds(*model, form(layout)), ParameterError);
  }
}

TEST(TransposeCosts, CountMessagesToOthersAndWhatStays) {
  const MachineProfile titan("titan", {}, titan_cells(), {});
  const auto model = make_cost_model("log3p", titan);
  const BlockShape blocks{k16, 8, 1024};
  for (const int ranks : {1, 2, 8}) {
    const TransposeShape shape{ranks, blocks, blocks};
    const double others = ranks - 1;
    EXPECT_NEAR(transpose_seconds(*model, titan, shape, Packing::datatype), (others * (29 + 420 + 131) + 32 + 420) * us,
                1e-12);
    EXPECT_NEAR(transpose_seconds(*model, titan, shape, Packing::manual), (others * (213 + 160 + 213) + 213) * us,
                1e-12);
  }
}

TEST(TransposeCosts, LongerBlocksAreWhatBlockingGains) {
  std::vector<PathCell> cells = titan_cells();
  for (const std::int64_t bytes : {k16, 2 * k16}) {
    const double share = static_cast<double>(bytes) / k16;
    cells.push_back({Path::to_self, Layout::nn, bytes, {share * 36 * us, 0, 1}, Packing::datatype, 512, 4096});
  }
  const MachineProfile profile("titan", {}, cells, {});
  const auto model = make_cost_model("log3p", profile);
  const BlockShape by_value{k16, 8, 4096};
  const BlockShape by_block{k16, 512, 4096};
  EXPECT_LT(transpose_seconds(*model, profile, {2, by_block, by_value}, Packing::blocked),
            transpose_seconds(*model, profile, {2, by_value, by_value}, Packing::manual));
}

}  // namespace
}  // namespace tilewright::papers
