// Each model on a machine that is as the model has it: its parameters come out of the measurements, and its prices are
// the formulas of its paper.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/test_profiles.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/scheduler/cost_model.hpp"

namespace tilewright {
namespace {

constexpr std::int64_t k = 65536;  // bytes of a broadcast image, beyond the first
constexpr double us = 1e-6;

// Titan, in seconds (Cameron, Ge and Sun 2007, Table 1).
constexpr double o = 5.9 * us, l = 13.62 * us, g = 14.6 * us, g_a_byte = 0.00448 * us;

PathCell cell(Path path, std::int64_t bytes, double seconds) {
  return {path, Layout::cc, bytes, {seconds, 0, 1}};
}

MachineProfile titan() {
  std::vector<PathCell> cells;
  for (const std::int64_t bytes : {0, 1, 1 << 24}) {
    const double rest = std::max<double>(0, static_cast<double>(bytes) - 1) * g_a_byte;
    cells.push_back(cell(Path::send, bytes, g + rest));
    cells.push_back(cell(Path::recv, bytes, g + rest));
    cells.push_back(cell(Path::full, bytes, 2 * o + l + rest));
    cells.push_back(cell(Path::overhead, bytes, o));
  }
  return {"titan", {}, cells, {}};
}

Schedule broadcast(Algorithm tree, int ranks, std::int64_t bytes) {
  return make_schedule({TransferKind::broadcast, tree, {1, ranks}, {{bytes, 1}, {PixelType::u8, 1}}});
}

MessageForm contiguous(std::int64_t bytes) {
  return {Layout::cc, bytes, bytes, bytes, bytes};
}

double parameter(const CostModel& model, const std::string& symbol) {
  for (const ModelParameter& known : model.statement().parameters) {
    if (known.symbol == symbol) return known.value;
  }
  ADD_FAILURE() << model.name() << " has no " << symbol;
  return std::nan("");
}

TEST(LogGp, GivesThePapersFormulas) {
  const auto model = make_cost_model("loggp", titan());
  EXPECT_NEAR(parameter(*model, "L"), l, 1e-12);
  EXPECT_NEAR(parameter(*model, "o"), o, 1e-12);
  EXPECT_NEAR(parameter(*model, "g"), g, 1e-12);
  EXPECT_NEAR(parameter(*model, "G"), g_a_byte, 1e-3 * g_a_byte) << "g / m is still in it";
  const double measured_g = parameter(*model, "G");
  EXPECT_NEAR(model->message_seconds(Path::full, contiguous(k)), 2 * o + l + (k - 1) * measured_g, 1e-12);
  for (const int ranks : {2, 8, 16}) {
    const double height = std::log2(ranks);
    EXPECT_NEAR(model->transfer_seconds(broadcast(Algorithm::oft, ranks, k + 1)),
                2 * o + l + (ranks - 1) * measured_g * k + (ranks - 2) * g, 1e-10)
        << "linear broadcast, section 4.3.3";
    EXPECT_NEAR(model->transfer_seconds(broadcast(Algorithm::sbt, ranks, k + 1)),
                height * (2 * o + l + k * measured_g) + (height - 1) * g, 1e-10)
        << "tree broadcast";
  }
}

TEST(LogP, SendsALongMessageAsManyShortOnes) {
  const auto model = make_cost_model("logp", titan());
  const double o_short = parameter(*model, "o");
  const double l_short = parameter(*model, "L");
  const double g_short = parameter(*model, "g");
  EXPECT_NEAR(2 * o_short + l_short, 2 * o + l + 1023 * g_a_byte, 1e-12);
  EXPECT_DOUBLE_EQ(model->message_seconds(Path::full, contiguous(1)), 2 * o_short + l_short);
  EXPECT_DOUBLE_EQ(model->message_seconds(Path::full, contiguous(10 * 1024)), 2 * o_short + l_short + 9 * g_short);
  EXPECT_DOUBLE_EQ(model->message_seconds(Path::send, contiguous(10 * 1024)), 10 * g_short);
}

TEST(Hockney, IsALine) {
  const auto model = make_cost_model("hockney", titan());
  EXPECT_NEAR(parameter(*model, "t_0"), 2 * o + l, 0.01 * us);
  EXPECT_NEAR(parameter(*model, "r_inf"), 1 / g_a_byte, 1e-3 / g_a_byte);
}

TEST(ThreePc, KnowsNoLayout) {
  const auto model = make_cost_model("3pc", titan());
  EXPECT_NEAR(parameter(*model, "t_c(send)"), g, 1e-12);
  EXPECT_NEAR(parameter(*model, "t_a(full)"), g_a_byte, 1e-3 * g_a_byte);
  MessageForm strided = contiguous(k);
  strided.layout = Layout::nn;
  strided.block_bytes = 4;
  EXPECT_EQ(model->message_seconds(Path::recv, strided), model->message_seconds(Path::recv, contiguous(k)));
}

/// Titan as log_3P sees it: 16 KiB contiguous, and of 8 bytes each, 1 KiB apart (section 4.1). Twice as much takes
/// twice as long.
MachineProfile titan_3p() {
  std::vector<PathCell> cells;
  for (const std::int64_t bytes : {0, 16384, 32768}) {
    const double share = static_cast<double>(bytes) / 16384;
    cells.push_back(cell(Path::copy, bytes, share * 3 * us));
    cells.push_back(cell(Path::to_self, bytes, share * (29 + 3) * us));
    cells.push_back(cell(Path::full, bytes, share * (29 + 131) * us));
    cells.push_back(cell(Path::send, bytes, share * 100 * us));
    cells.push_back(cell(Path::recv, bytes, share * 100 * us));
    if (bytes > 0)
      cells.push_back({Path::to_self, Layout::nn, bytes, {share * 452 * us, 0, 1}, Packing::datatype, 8, 1024});
  }
  return {"titan", {}, cells, {}};
}

constexpr MessageForm strided_16k{Layout::nn, 16384, 8, 1024, 1024, Packing::datatype};

TEST(Log3p, GivesThePapersExampleAndBroadcasts) {
  const auto model = make_cost_model("log3p", titan_3p());
  EXPECT_NEAR(parameter(*model, "o_mw"), 29 * us, 1e-12);
  EXPECT_NEAR(parameter(*model, "l_mw"), 420 * us, 1e-12);
  EXPECT_NEAR(parameter(*model, "o_net"), 131 * us, 1e-12);
  EXPECT_NEAR(model->message_seconds(Path::full, strided_16k), 580 * us, 1e-12);
  MessageForm at_receiver = strided_16k;
  at_receiver.layout = Layout::cn;
  EXPECT_NEAR(model->message_seconds(Path::full, at_receiver), (29 + 210 + 131) * us, 1e-12);
  for (const int ranks : {2, 8, 16}) {
    EXPECT_NEAR(model->transfer_seconds(broadcast(Algorithm::oft, ranks, 16384)), (ranks * 29 / 2.0 + 131) * us, 1e-12);
    EXPECT_NEAR(model->transfer_seconds(broadcast(Algorithm::sbt, ranks, 16384)), std::log2(ranks) * 160 * us, 1e-12);
  }
}

TEST(LogNpModel, HoldsBackWhatFollowsByTheGap) {
  const auto model = make_cost_model("lognp", titan_3p());
  EXPECT_NEAR(model->message_seconds(Path::full, strided_16k), 580 * us, 1e-12);
  EXPECT_NEAR(model->message_seconds(Path::send, contiguous(16384)), 100 * us, 1e-12) << "g_0, not o_0";
  EXPECT_NEAR(model->message_seconds(Path::send, strided_16k), (100 + 210) * us, 1e-12);
}

/// 8 ranks that do as E-BSP has it, and need 3 us for each message beside.
constexpr int bsp_ranks = 8;
constexpr double barrier = 50 * us, of_volume = 10e-9, of_rank = 2e-9;

MachineProfile bulk_synchronous(double startup) {
  Fingerprint fingerprint;
  fingerprint.ranks = bsp_ranks;
  std::vector<PathCell> cells{cell(Path::barrier, 0, barrier), cell(Path::full, 0, 7 * us),
                              cell(Path::full, 1024, 9 * us)};
  for (const Path pattern : all_patterns) {
    const bool all_busy = pattern == Path::one_to_one || pattern == Path::all_to_all;
    for (const std::int64_t bytes : {1024, 16384, 131072}) {
      const double h = static_cast<double>(bytes) * (bsp_ranks - 1);
      const double seconds = barrier + (all_busy ? of_volume : of_rank) * h + startup * (bsp_ranks - 1);
      cells.push_back(cell(pattern, bytes, seconds));
    }
  }
  return {"bulk", fingerprint, cells, {}};
}

TEST(Bsp, PricesASuperstepByItsBusiestRank) {
  const auto model = make_cost_model("bsp", bulk_synchronous(0));
  KnownMessages known;
  EXPECT_FALSE(model->tree_seconds(TransferKind::scatter, {}, Packing::datatype, known)) << "it counts all messages";
  EXPECT_NEAR(parameter(*model, "g"), of_volume, 1e-15);
  EXPECT_DOUBLE_EQ(parameter(*model, "L"), barrier);
  EXPECT_NEAR(model->transfer_seconds(broadcast(Algorithm::oft, 8, k)), of_volume * 7 * k + barrier, 1e-10);
  EXPECT_NEAR(model->transfer_seconds(broadcast(Algorithm::sbt, 8, k)), 3 * (of_volume * k + barrier), 1e-10)
      << "ceil(log2 p) (g n + L)";
}

/// Where messages within nodes are known, one rank of each node took part in the patterns.
TEST(Bsp, IsFittedToTheRanksThatSentTheMessages) {
  const MachineProfile on_nodes = bulk_synchronous(0);
  Fingerprint fingerprint = on_nodes.fingerprint();
  fingerprint.nodes = bsp_ranks;
  fingerprint.ranks = 4 * bsp_ranks;
  std::vector<PathCell> cells = on_nodes.paths();
  cells.push_back(cell(Path::full, 0, us));
  cells.back().within_node = true;
  const auto model = make_cost_model("bsp", {"bulk", fingerprint, cells, {}});
  EXPECT_NEAR(parameter(*model, "g"), of_volume, 1e-15);
}

TEST(BspStar, ChargesForEachMessage) {
  const auto model = make_cost_model("bsp-star", bulk_synchronous(3 * us));
  EXPECT_NEAR(parameter(*model, "g*"), of_volume, 1e-13);
  EXPECT_NEAR(parameter(*model, "s"), 3 * us, 1e-10);
  EXPECT_NEAR(model->transfer_seconds(broadcast(Algorithm::oft, 8, k)), of_volume * 7 * k + 7 * 3 * us + barrier, 1e-9);
  EXPECT_NEAR(model->transfer_seconds(broadcast(Algorithm::sbt, 8, k)), 3 * (of_volume * k + 3 * us + barrier), 1e-9);
}

TEST(EBsp, TellsVolumeFromTheBusiestRank) {
  const auto model = make_cost_model("e-bsp", bulk_synchronous(0));
  EXPECT_NEAR(parameter(*model, "g"), of_volume, 1e-15);
  EXPECT_NEAR(parameter(*model, "g'"), of_rank, 1e-15);
  // V / p is 7/8 of k, h is 7 k.
  EXPECT_NEAR(model->transfer_seconds(broadcast(Algorithm::oft, 8, k)),
              std::max(of_volume * 7 / 8, of_rank * 7) * k + barrier, 1e-10);
}

TEST(Pram, CountsSteps) {
  const auto model = make_cost_model("pram", bulk_synchronous(0));
  EXPECT_DOUBLE_EQ(model->transfer_seconds(broadcast(Algorithm::oft, 8, k)), 7 * us);
  EXPECT_DOUBLE_EQ(model->transfer_seconds(broadcast(Algorithm::sbt, 8, 1)), 3 * 7 * us);
}

TEST(CostModels, SayWhatTheyClaim) {
  const MachineProfile messages = titan_3p();
  std::vector<PathCell> cells = messages.paths();
  const MachineProfile patterns = bulk_synchronous(us);
  for (const PathCell& known : patterns.paths()) {
    if (known.path != Path::full) cells.push_back(known);
  }
  const MachineProfile profile("all", patterns.fingerprint(), cells, {});
  for (const std::string_view name : cost_model_names()) {
    const auto model = make_cost_model(name, profile);
    EXPECT_EQ(model->name(), name);
    const ModelStatement statement = model->statement();
    EXPECT_NE(statement.source, "") << name;
    EXPECT_NE(statement.message, "") << name;
    EXPECT_NE(statement.transfer, "") << name;
    EXPECT_FALSE(statement.parameters.empty()) << name;
    for (const ModelParameter& stated : statement.parameters) {
      EXPECT_TRUE(std::isfinite(stated.value)) << name << " " << stated.symbol;
      EXPECT_NE(stated.unit, "") << name << " " << stated.symbol;
      EXPECT_NE(stated.measured_as, "") << name << " " << stated.symbol;
    }
  }
}

TEST(P3pc, StatesEachRowOfTheProfile) {
  const auto model = make_cost_model("p3pc", test::das_profile());
  EXPECT_EQ(model->statement().parameters.size(), 3U + 3U * 4U);
  const double constant = parameter(*model, "t_c(full)");
  EXPECT_NEAR(constant, test::das_profile().path_seconds(Path::full, Layout::cc, 0), 1e-12);
  EXPECT_NEAR(constant + parameter(*model, "t_a(full, nn)"),
              model->message_seconds(Path::full, {Layout::nn, 16384, 160, 320, 320}), 1e-12);
}

TEST(StrideAware, StatesWhatBlocksCost) {
  std::vector<PathCell> cells = test::das_profile().paths();
  const double contiguous_s = test::das_profile().path_seconds(Path::full, Layout::cc, 16384);
  cells.push_back({Path::full, Layout::nc, 16384, {contiguous_s + 70 * us, 0, 1}, Packing::datatype, 8, 1024});
  const auto model = make_cost_model("p3pc-stride", {"blocks", {}, cells, {}});
  EXPECT_EQ(model->statement().parameters.size(), 3U + 3U * 4U + 1);
  EXPECT_NEAR(parameter(*model, "x(full, nc, datatype)"), 70 * us, 1e-12);
}

TEST(LogGpStar, StatesThePapersConstants) {
  const auto model = make_cost_model("loggp-star", titan());
  EXPECT_NEAR(parameter(*model, "t_cs, t_cr"), g, 1e-12);
  EXPECT_NEAR(parameter(*model, "t_cf"), 2 * o + l, 1e-12);
  EXPECT_NEAR(parameter(*model, "t_a"), 16383 * g_a_byte, 1e-12);
}

TEST(LogNpModel, StatesTheGapOfEachEnd) {
  const auto model = make_cost_model("lognp", titan_3p());
  EXPECT_NEAR(parameter(*model, "g_0"), 100 * us, 1e-12);
  EXPECT_NEAR(parameter(*model, "g_2"), 100 * us, 1e-12);
}

TEST(CostModels, SayWhatAProfileLacks) {
  for (const auto& [name, missing] : {std::pair{"log3p", "to-self"}, {"bsp", "barrier"}, {"e-bsp", "barrier"}}) {
    EXPECT_THAT([&] { (void)make_cost_model(name, titan()); },
                testing::ThrowsMessage<ParameterError>(testing::AllOf(
                    testing::HasSubstr(name), testing::HasSubstr(missing), testing::HasSubstr("calibrate"))));
  }
}

TEST(CostModels, TellAProfileThatLacksThemFromAMistake) {
  EXPECT_NE(cost_model_if_measured("loggp", titan()).model, nullptr);
  EXPECT_EQ(cost_model_if_measured("loggp", titan()).why_not, "");
  const CostModelIfMeasured bsp = cost_model_if_measured("bsp", titan());
  EXPECT_EQ(bsp.model, nullptr);
  EXPECT_THAT(bsp.why_not, testing::HasSubstr("no measurement of a barrier"));
  EXPECT_THROW((void)cost_model_if_measured("no-such-model", titan()), ParameterError);
}

/// While one rank packs, the other one unpacks.
TEST(StrideAware, TakesBothEndsTogetherWhereTheyWereMeasuredSo) {
  std::vector<PathCell> cells;
  for (const Layout layout : all_layouts) {
    for (const std::int64_t bytes : {0, 4096, 16384}) cells.push_back({Path::full, layout, bytes, {100 * us, 0, 20}});
  }
  for (const Layout layout : {Layout::nc, Layout::cn}) {
    cells.push_back({Path::full, layout, 16384, {140 * us, 0, 20}, Packing::manual, 256, 512});
  }
  const MessageForm form{Layout::nn, 16384, 256, 512, 8192, Packing::manual};
  const auto by_each_end = make_cost_model("p3pc-stride", {"each", {}, cells, {}});
  EXPECT_NEAR(by_each_end->message_seconds(Path::full, form), 180 * us, 1e-12);
  cells.push_back({Path::full, Layout::nn, 16384, {150 * us, 0, 20}, Packing::manual, 256, 512});
  cells.push_back({Path::full, Layout::nn, 16384, {170 * us, 0, 20}, Packing::manual, 256, 8192});
  const auto at_once = make_cost_model("p3pc-stride", {"both", {}, cells, {}});
  EXPECT_NEAR(at_once->message_seconds(Path::full, form), 160 * us, 1e-12) << "strides of 2048 in the middle";
}

/// The paper's blocks were measured as slow once, and as fast as contiguous ones another time.
TEST(StrideAware, DoesNotPriceBlocksBelowContiguousMessages) {
  std::vector<PathCell> cells;
  for (const Layout layout : all_layouts) {
    for (const std::int64_t bytes : {0, 4096, 16384}) cells.push_back({Path::full, layout, bytes, {300 * us, 0, 20}});
  }
  for (const Layout layout : {Layout::nc, Layout::cn}) {
    for (const auto& [block, seconds] : {std::pair{16, 300 * us}, {256, 500 * us}}) {
      cells.push_back({Path::full, layout, 16384, {seconds, 1 * us, 20}, Packing::datatype, block, 2 * block});
    }
  }
  const auto model = make_cost_model("p3pc-stride", {"noisy", {}, cells, {}});
  for (const std::int64_t bytes : {1024, 4096, 16384}) {
    EXPECT_DOUBLE_EQ(model->message_seconds(Path::full, {Layout::nn, bytes, 16, 32, 32, Packing::datatype}), 300 * us);
    EXPECT_GT(model->message_seconds(Path::full, {Layout::nn, bytes, 512, 1024, 1024, Packing::datatype}), 300 * us);
  }
}

/// MPI may pass few long blocks in a quicker way than what is contiguous.
TEST(StrideAware, PricesBlocksBelowContiguousMessagesThatWereMeasuredSo) {
  std::vector<PathCell> cells;
  for (const Layout layout : all_layouts) {
    for (const std::int64_t bytes : {0, 16384}) cells.push_back({Path::full, layout, bytes, {300 * us, 1 * us, 20}});
  }
  for (const auto& [block, seconds] : {std::pair{256, 300 * us}, {4096, 140 * us}})
    cells.push_back({Path::full, Layout::cn, 16384, {seconds, 1 * us, 20}, Packing::datatype, block, 2 * block});
  const auto model = make_cost_model("p3pc-stride", {"quick", {}, cells, {}});
  const auto seconds = [&](std::int64_t block) {
    return model->message_seconds(Path::full, {Layout::cn, 16384, block, 2 * block, 2 * block, Packing::datatype});
  };
  EXPECT_NEAR(seconds(4096), 140 * us, 1e-9);
  EXPECT_NEAR(seconds(256), 300 * us, 1e-9);
  EXPECT_GT(seconds(1024), 140 * us);
  EXPECT_LT(seconds(1024), 300 * us);
}

TEST(CostModels, TheDefaultIsTheMostExactThatTheProfileAllows) {
  EXPECT_EQ(default_cost_model(test::das_profile()), "p3pc");
  EXPECT_EQ(make_cost_model("", test::das_profile())->name(), "p3pc");
  const MachineProfile das = test::das_profile();
  std::vector<PathCell> cells = das.paths();
  cells.push_back({Path::full, Layout::nc, 16384, {1, 0, 1}, Packing::datatype, 16, 32});
  EXPECT_EQ(default_cost_model({"blocks", {}, cells, {}}), "p3pc-stride");
}

}  // namespace
}  // namespace tilewright
