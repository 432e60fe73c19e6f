// The profiles that ship with Tilewright against what their papers publish beside them.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "tilewright/benchdb/exchange.hpp"
#include "tilewright/scheduler/cost_model.hpp"

namespace tilewright::papers {
namespace {

constexpr double us = 1e-6;
constexpr double ms = 1e-3;

MachineProfile shipped(const std::string& name) {
  const auto folder = std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "benchdb" / "profiles";
  return read_profile(folder / (name + ".csv"), name).profile;
}

double seconds(const CostModel& model, TransferKind kind, Algorithm tree, int ranks, const ImageShape& image) {
  return model.transfer_seconds(make_schedule({kind, tree, {1, ranks}, image}));
}

TEST(Titan, LogGpTakesThePapersParametersAndBroadcasts) {
  const auto model = make_cost_model("loggp", shipped("titan"));
  const double o = 5.9 * us, l = 13.62 * us, g = 14.6 * us, g_a_byte = 0.00448 * us;
  for (const ModelParameter& known : model->statement().parameters) {
    const double published = known.symbol == "L" ? l : known.symbol == "o" ? o : known.symbol == "g" ? g : g_a_byte;
    EXPECT_NEAR(known.value / published, 1, 1e-5) << known.symbol;
  }
  constexpr std::int64_t k = 65536;
  const ImageShape bytes{{k + 1, 1}, {PixelType::u8, 1}};
  for (const int ranks : {2, 8, 16}) {  // Cameron, Ge and Sun 2007, section 4.3.3
    const double height = std::log2(ranks);
    const double linear = 2 * o + l + (ranks - 1) * g_a_byte * k + (ranks - 2) * g;
    const double tree = height * (2 * o + l + k * g_a_byte) + (height - 1) * g;
    EXPECT_NEAR(seconds(*model, TransferKind::broadcast, Algorithm::oft, ranks, bytes) / linear, 1, 1e-4);
    EXPECT_NEAR(seconds(*model, TransferKind::broadcast, Algorithm::sbt, ranks, bytes) / tree, 1, 1e-4);
  }
}

/// Oliveira and du Buf, Table 2, one processor a node: what each rank has a part of is collected on the root and sent
/// to all as a whole, one rank after another (S1) or in pairs (S2).
TEST(DualPentium, AllToAllThroughTheRootTakesThePublishedTimes) {
  const auto model = make_cost_model("p3pc", shipped("dual_pentium"));
  const ImageShape million{{1000, 1000}, {PixelType::f32, 1}};
  struct Published {
    int ranks;
    Algorithm tree;
    double milliseconds;
  };
  for (const Published& published : {Published{4, Algorithm::oft, 1401},
                                     {8, Algorithm::oft, 2940},
                                     {4, Algorithm::sbt, 1027},
                                     {8, Algorithm::sbt, 1447}}) {
    const double collected = seconds(*model, TransferKind::gather, published.tree, published.ranks, million);
    const double sent = seconds(*model, TransferKind::broadcast, published.tree, published.ranks, million);
    EXPECT_NEAR((collected + sent) / ms, published.milliseconds, 1e-6)
        << published.ranks << " ranks, " << to_string(published.tree);
  }
}

}  // namespace
}  // namespace tilewright::papers
