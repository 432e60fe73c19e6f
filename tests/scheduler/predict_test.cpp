// Prices on the paper's machine: the general code must yield the closed formulas of the paper (Seinstra & Koelma 2002,
// Fig. 6 and 7), which stand here a second time, written down independently.
#include "tilewright/scheduler/predict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "support/test_profiles.hpp"

namespace tilewright {
namespace {

/// One row of Table 1 as T in microseconds for `values` of 4 bytes: linear between its columns, and beyond the last.
double table_us(Path path, Layout layout, double values) {
  const auto& row = test::das_us[static_cast<int>(path)][static_cast<int>(layout)];
  int segment = 0;
  while (segment < 3 && values > test::das_values[segment + 1]) ++segment;
  const double share =
      (values - test::das_values[segment]) / (test::das_values[segment + 1] - test::das_values[segment]);
  return row[segment] + share * (row[segment + 1] - row[segment]);
}

/// REFERENCE section 1: P-3PC, and LogGP* as the paper's baseline.
double message_us(const std::string& model, Path path, Layout layout, double values) {
  if (model != "loggp-star") return table_us(path, layout, values);
  const double additional = table_us(Path::full, Layout::cc, values) - table_us(Path::full, Layout::cc, 0);
  return table_us(path == Path::full ? Path::full : Path::send, Layout::cc, 0) + additional;
}

struct Case {
  std::string model;
  double side;  // of a square image
  ProcessGrid grid;
  double border;

  [[nodiscard]] double ranks() const { return grid.ranks(); }
  [[nodiscard]] double us(Path path, Layout layout, double values) const {
    return message_us(model, path, layout, values);
  }
};

double flat_us(const Case& c, Path path, Layout layout, double values) {
  const double one = c.us(path, layout, values);
  return std::max((c.ranks() - 1) * one, (c.ranks() - 2) * one + c.us(Path::full, layout, values));
}

double oft_us(const Case& c, TransferKind kind) {
  const bool gather = kind == TransferKind::gather;
  const Layout cut = gather ? Layout::cn : Layout::nc;
  if (kind == TransferKind::broadcast) return flat_us(c, Path::send, Layout::cc, c.side * c.side);
  return flat_us(c, gather ? Path::recv : Path::send, c.grid.x == 1 ? Layout::cc : cut, c.side * c.side / c.ranks());
}

double sbt_us(const Case& c, TransferKind kind) {
  const bool gather = kind == TransferKind::gather;
  const int log_p = static_cast<int>(std::ceil(std::log2(c.ranks())));
  const int log_x = static_cast<int>(std::log2(c.grid.x));
  double own = 0;
  double full = 0;
  for (int i = 1; i <= log_p; ++i) {
    Layout layout = i <= log_p - log_x ? Layout::cc : (gather ? Layout::cn : Layout::nc);
    double values = c.side * c.side / std::pow(2.0, i);
    if (kind == TransferKind::broadcast) {
      layout = Layout::cc;
      values = c.side * c.side;
    }
    own += c.us(gather ? Path::recv : Path::send, layout, values);
    full += c.us(Path::full, layout, values);
  }
  return std::max(own, full);
}

double exchange_us(const Case& c) {
  const double width = c.side / c.grid.x;
  const double height = c.side / c.grid.y;
  const double columns = c.grid.x == 1 ? 0 : 2 * c.us(Path::full, Layout::nn, c.border * height);
  const double rows = c.grid.y == 1 ? 0 : 2 * c.us(Path::full, Layout::cc, (width + 2 * c.border) * c.border);
  return columns + rows;
}

double closed_form_us(const Case& c, TransferKind kind, std::optional<Algorithm> tree) {
  if (kind == TransferKind::exchange) return exchange_us(c);
  return tree == Algorithm::oft ? oft_us(c, kind) : sbt_us(c, kind);
}

std::vector<PredictionRow> rows_of(const std::string& model, TransferKind kind, std::int64_t side, int ranks,
                                   std::int64_t border = 0) {
  return predict(*make_cost_model(model, test::das_profile()),
                 {kind, {{side, side}, {PixelType::f32, 1}}, ranks, {border, border}});
}

TEST(Predict, EqualsTheClosedFormulas) {
  int infeasible = 0;
  for (const std::string model : {"p3pc", "p3pc-stride", "loggp-star"}) {
    for (const TransferKind kind :
         {TransferKind::scatter, TransferKind::gather, TransferKind::broadcast, TransferKind::exchange}) {
      for (const int side : {256, 512, 1024, 2048}) {
        for (const int ranks : {8, 16, 32}) {
          const auto rows = rows_of(model, kind, side, ranks, 19);
          const std::size_t trees = kind == TransferKind::exchange ? 1 : 2;
          ASSERT_EQ(rows.size(), trees * static_cast<std::size_t>(std::lround(std::log2(ranks)) + 1));
          for (const PredictionRow& row : rows) {
            const double expected_s =
                1e-6 * closed_form_us({model, static_cast<double>(side), row.grid, 19}, kind, row.tree);
            EXPECT_NEAR(row.seconds, expected_s, 1e-9 * expected_s)
                << model << ' ' << to_string(kind) << ' ' << side << ' ' << to_string(row.grid);
            const bool too_small = kind == TransferKind::exchange && ((row.grid.x > 1 && side / row.grid.x < 19) ||
                                                                      (row.grid.y > 1 && side / row.grid.y < 19));
            EXPECT_EQ(!row.infeasible.empty(), too_small) << row.infeasible;
            infeasible += too_small ? 1 : 0;
          }
        }
      }
    }
  }
  EXPECT_EQ(infeasible, 3 * 8) << "256 pixels cut in 16 or more, 512 cut in 32";
}

TEST(Predict, PricesAStepInWhichRanksSendAndReceiveByItsShift) {
  MachineProfile das = test::das_profile();
  std::vector<PathCell> cells = das.paths();
  for (const std::int64_t bytes : {0, 1 << 20})
    cells.push_back({Path::shift, Layout::cc, bytes, {1.0 + static_cast<double>(bytes), 0, 1}});
  const MachineProfile with_shifts("shifts", das.fingerprint(), cells, das.operators());
  const ImageShape image{{512, 512}, {PixelType::f32, 1}};
  const auto seconds = [&](const MachineProfile& profile, const std::string& model, const ProcessGrid& grid) {
    return make_cost_model(model, profile)
        ->transfer_seconds(make_schedule({TransferKind::exchange, std::nullopt, grid, image, {19, 19}, {19, 19}}));
  };
  const double bytes = (512 + 2 * 19) * 19 * 4;  // rows with their halo in x
  EXPECT_DOUBLE_EQ(seconds(with_shifts, "p3pc", {1, 4}), 2 * (1 + bytes));
  EXPECT_EQ(seconds(with_shifts, "p3pc", {1, 2}), seconds(das, "p3pc", {1, 2})) << "nobody has two neighbours";
  EXPECT_EQ(seconds(with_shifts, "p3pc", {4, 1}), seconds(das, "p3pc", {4, 1})) << "that layout has no shifts";
  EXPECT_EQ(seconds(with_shifts, "loggp-star", {1, 4}), seconds(das, "loggp-star", {1, 4})) << "as the papers have it";
}

/// The DAS, where messages within a node take a fifth.
MachineProfile das_with_nodes() {
  const MachineProfile das = test::das_profile();
  std::vector<PathCell> cells = das.paths();
  for (PathCell cell : das.paths()) {
    cell.within_node = true;
    cell.time.seconds /= 5;
    cells.push_back(cell);
  }
  return {"nodes", das.fingerprint(), std::move(cells), das.operators()};
}

TEST(Predict, ASketchTakesNoLongerThanItsOutline) {
  const ImageShape image{{501, 423}, {PixelType::f32, 1}};
  for (const MachineProfile& profile : {test::das_profile(), das_with_nodes()}) {
    for (const std::string_view name : {"p3pc", "p3pc-stride", "3pc", "loggp-star", "loggp", "logp", "hockney"}) {
      const auto model = make_cost_model(name, profile);
      for (const char* grid : {"1x2", "16x1", "5x9", "4x8@4", "4x8@2x2", "1x7@8", "8x8@1"}) {
        for (const TransferKind kind : {TransferKind::scatter, TransferKind::gather}) {
          for (const Algorithm algorithm : all_trees) {
            for (const Halo halo : {Halo{}, {7, 3}}) {
              const TransferSpec spec{kind, algorithm, parse_grid(grid), image, halo, halo};
              KnownMessages known;
              const double sketch_s = model->least_seconds(make_sketch(spec), spec.packing, known);
              const double outline_s = model->least_seconds(make_outline(spec), spec.packing, known);
              EXPECT_LE(sketch_s, outline_s * (1 + 1e-12)) << name << ' ' << grid << ' ' << to_string(kind);
              EXPECT_LE(outline_s, model->transfer_seconds(make_schedule(spec)) * (1 + 1e-9)) << name << ' ' << grid;
            }
          }
        }
      }
    }
  }
}

TEST(KnownMessages, AreThoseThatWerePriced) {
  KnownMessages known;
  int priced = 0;
  const auto seconds_of = [&](Path path, const MessageForm& form) {
    return known.seconds(path, form, [&] {
      ++priced;
      return static_cast<double>(form.bytes) + 0.1 * static_cast<double>(path);
    });
  };
  MessageForm form{Layout::nc, 4096, 64, 128, 0};
  EXPECT_DOUBLE_EQ(seconds_of(Path::full, form), seconds_of(Path::full, form));
  EXPECT_EQ(priced, 1);
  // Two that differ in anything are two, be it that the later one takes the place of the other.
  std::vector<MessageForm> others(7, form);
  others[0].layout = Layout::nn;
  others[1].block_bytes = 32;
  others[2].sender_stride = 256;
  others[3].receiver_stride = 256;
  others[4].packing = Packing::manual;
  others[5].within_node = true;
  others[6].on_link = 2;
  for (const MessageForm& other : others) EXPECT_DOUBLE_EQ(seconds_of(Path::full, other), seconds_of(Path::full, form));
  EXPECT_GE(priced, 8);
  for (std::int64_t bytes = 1; bytes < 20000; ++bytes) {  // more than there are places
    form.bytes = bytes;
    ASSERT_DOUBLE_EQ(seconds_of(Path::send, form), static_cast<double>(bytes) + 0.1 * static_cast<double>(Path::send));
  }
}

TEST(Predict, PricesAStepBetweenPairsBySwaps) {
  const MachineProfile das = test::das_profile();
  std::vector<PathCell> cells = das.paths();
  for (const std::int64_t bytes : {0, 1 << 20}) {
    const auto size = static_cast<double>(bytes);
    cells.push_back({Path::swap, Layout::cc, bytes, {2 + size, 0, 1}});
    cells.push_back({Path::swap, Layout::nn, bytes, {3 + size, 0, 1}});
  }
  const MachineProfile with_swaps("swaps", das.fingerprint(), cells, das.operators());
  const ImageShape image{{512, 512}, {PixelType::f32, 1}};
  const auto seconds = [&](const MachineProfile& profile, const ProcessGrid& grid, bool cyclic = false) {
    TransferSpec spec{TransferKind::exchange, std::nullopt, grid, image, {19, 19}, {19, 19}};
    spec.cyclic = cyclic;
    const auto model = make_cost_model("p3pc", profile);
    KnownMessages known;
    EXPECT_LE(model->least_seconds(make_outline(spec), spec.packing, known),
              model->transfer_seconds(make_schedule(spec)));
    return model->transfer_seconds(make_schedule(spec));
  };
  const double rows = (512 + 2 * 19) * 19 * 4;
  EXPECT_DOUBLE_EQ(seconds(with_swaps, {1, 2}), 2 * (2 + rows));
  EXPECT_DOUBLE_EQ(seconds(with_swaps, {2, 2}), 2 * (2 + (256 + 2 * 19) * 19 * 4) + 2 * (3 + 256 * 19 * 4));
  // Where no shift was measured a swap is nearest to it: of two ranks in a ring.
  EXPECT_DOUBLE_EQ(seconds(with_swaps, {1, 2}, true), 2 * (2 + rows));
  EXPECT_GT(seconds(das, {1, 2}), 0);
}

/// The DAS, where blocks cost: of a datatype 100 ns each at the sender, 200 ns at the receiver, packed by hand a tenth;
/// and where what travels in pieces takes half of the time.
MachineProfile das_with_blocks(bool in_pieces = false) {
  const MachineProfile das = test::das_profile();
  std::vector<PathCell> cells = das.paths();
  for (const Path path : all_paths) {
    for (const std::int64_t bytes : {16384, 131072}) {
      const double contiguous = das.path_seconds(path, Layout::cc, static_cast<double>(bytes));
      for (const std::int64_t block : {16, 4096}) {
        for (const Layout layout : {Layout::nc, Layout::cn}) {
          const double blocks = static_cast<double>(bytes) / static_cast<double>(block);
          const double extra = blocks * (layout == Layout::nc ? 1e-7 : 2e-7);
          cells.push_back({path, layout, bytes, {contiguous + extra, 0, 1}, Packing::datatype, block, 2 * block});
          cells.push_back({path, layout, bytes, {contiguous + extra / 10, 0, 1}, Packing::manual, block, 2 * block});
        }
      }
    }
    for (const std::int64_t bytes : {0, 1 << 20}) {
      if (!in_pieces) continue;
      const double whole = das.path_seconds(path, Layout::cc, static_cast<double>(bytes));
      cells.push_back({path, Layout::cc, bytes, {whole / 2, 0, 1}, Packing::blocked});
    }
  }
  return {"blocks", das.fingerprint(), cells, das.operators()};
}

TEST(Predict, PricesABinomialTreeByItsSubtreesAsByItsSchedule) {
  const MachineProfile profile = das_with_blocks(true);
  int by_subtrees = 0;
  for (const std::string_view name : {"p3pc-stride", "p3pc", "3pc", "loggp", "logp", "hockney"}) {
    const auto model = make_cost_model(name, profile);
    KnownMessages known;
    for (const ProcessGrid& grid : {ProcessGrid{1, 1}, {1, 7}, {7, 1}, {4, 4}, {5, 3}, {3, 6}, {8, 32}}) {
      for (const Extent extent : {Extent{64, 64}, {333, 95}}) {
        for (const TransferKind kind : {TransferKind::scatter, TransferKind::gather, TransferKind::broadcast}) {
          const TransferSpec spec{kind, Algorithm::sbt, grid, {extent, {PixelType::f32, 1}}, {3, 2}};
          const auto subtrees = subtrees_of(spec);
          ASSERT_TRUE(subtrees);
          for (const Packing packing : model->packings()) {
            const auto seconds = model->tree_seconds(kind, *subtrees, packing, known);
            ASSERT_TRUE(seconds) << name;
            const double expected = model->transfer_seconds(classified(make_schedule(spec)), packing);
            ASSERT_NEAR(*seconds, expected, 1e-12 * expected)
                << name << " " << to_string(kind) << " " << to_string(grid) << " " << to_string(packing);
            by_subtrees += *seconds > 0;
          }
        }
      }
    }
  }
  EXPECT_GT(by_subtrees, 200);
}

TEST(StrideAware, AddsWhatBlocksCostBeyondThoseOfThePaper) {
  const auto model = make_cost_model("p3pc-stride", das_with_blocks());
  const auto paper = make_cost_model("p3pc", test::das_profile());
  const auto form = [](Layout layout, std::int64_t block, Packing packing = Packing::datatype) {
    return MessageForm{layout, 65536, block, 2 * block, 2 * block, packing};
  };
  for (const Path path : all_paths) {
    for (const Layout layout : {Layout::nc, Layout::cn, Layout::nn}) {
      const double as_paper = paper->message_seconds(path, form(layout, 655));
      const double at_sender = layout != Layout::cn ? 1e-7 : 0, at_receiver = layout != Layout::nc ? 2e-7 : 0;
      // In a stream the sender packs the next message while the receiver unpacks this one.
      const double block_s = path == Path::full ? at_sender + at_receiver : std::max(at_sender, at_receiver);
      EXPECT_NEAR(model->message_seconds(path, form(layout, 655)), as_paper, 1e-12) << "the paper's own blocks";
      EXPECT_NEAR(model->message_seconds(path, form(layout, 16)), as_paper + block_s * (65536.0 / 16 - 65536.0 / 655),
                  1e-9);
      const double contiguous = paper->message_seconds(path, form(Layout::cc, 65536));
      EXPECT_NEAR(model->message_seconds(path, form(layout, 16, Packing::manual)),
                  contiguous + block_s / 10 * 65536 / 16, 1e-9);
    }
    EXPECT_EQ(model->message_seconds(path, form(Layout::cc, 16)), paper->message_seconds(path, form(Layout::cc, 16)));
  }
}

TEST(StrideAware, IsThePapersModelOnAProfileWithoutBlocks) {
  const auto model = make_cost_model("p3pc-stride", test::das_profile());
  EXPECT_EQ(model->packings(), std::vector{Packing::datatype});
  const auto paper = make_cost_model("p3pc", test::das_profile());
  const MessageForm form{Layout::nn, 65536, 16, 4096, 64, Packing::datatype};
  EXPECT_EQ(model->message_seconds(Path::full, form), paper->message_seconds(Path::full, form));
}

TEST(StrideAware, KnowsThePackingsThatWereMeasured) {
  EXPECT_EQ(make_cost_model("p3pc-stride", das_with_blocks())->packings(),
            (std::vector{Packing::datatype, Packing::manual}));
  const auto model = make_cost_model("p3pc-stride", das_with_blocks(true));
  EXPECT_EQ(model->packings(), (std::vector{Packing::datatype, Packing::manual, Packing::blocked}));
  const auto paper = make_cost_model("p3pc", test::das_profile());
  MessageForm form{Layout::cc, 1 << 20, 1 << 20, 1 << 20, 1 << 20, Packing::datatype};
  const double whole = paper->message_seconds(Path::send, form);
  form.packing = Packing::blocked;
  EXPECT_DOUBLE_EQ(model->message_seconds(Path::send, form), whole / 2);
}

TEST(Predict, MarksInfeasibleRowsWithTheReason) {
  const auto rows = rows_of("p3pc", TransferKind::exchange, 256, 16, 19);
  EXPECT_EQ(rows.front().grid, (ProcessGrid{1, 16}));
  EXPECT_THAT(rows.front().infeasible, testing::AllOf(testing::HasSubstr("1x16"), testing::HasSubstr("16 pixels high"),
                                                      testing::HasSubstr("19")));
  EXPECT_GT(rows.front().seconds, 0);
  EXPECT_THAT(predict(*make_cost_model("p3pc", test::das_profile()),
                      {TransferKind::scatter, {{4, 100}, {PixelType::f32, 1}}, 8, {}})
                  .back()
                  .infeasible,
              testing::HasSubstr("8x1"));
}

std::string cheapest_grid(const std::vector<PredictionRow>& rows) {
  return to_string(std::min_element(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
                     return a.seconds < b.seconds;
                   })->grid);
}

TEST(Predict, RanksTheExchangeAsThePaperDoes) {
  EXPECT_EQ(cheapest_grid(rows_of("p3pc", TransferKind::exchange, 512, 16, 19)), "2x8");
  EXPECT_EQ(cheapest_grid(rows_of("loggp-star", TransferKind::exchange, 512, 16, 19)), "4x4");
}

TEST(Predict, FindsRowStripsByAFlatTreeTheCheapestScatterOf256) {
  const auto rows = rows_of("p3pc", TransferKind::scatter, 256, 16);
  const auto best =
      std::min_element(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
  EXPECT_EQ(best->grid, (ProcessGrid{1, 16}));
  EXPECT_EQ(best->tree, Algorithm::oft);
}

TEST(Predict, LogGpStarIsIndifferentToTheGrid) {
  std::map<std::optional<Algorithm>, std::vector<double>> by_tree;
  for (const PredictionRow& row : rows_of("loggp-star", TransferKind::scatter, 256, 16)) {
    by_tree[row.tree].push_back(row.seconds);
  }
  ASSERT_EQ(by_tree.size(), 2U);
  for (const auto& [tree, seconds] : by_tree) {
    EXPECT_EQ(seconds.size(), 5U);
    EXPECT_THAT(seconds, testing::Each(testing::DoubleNear(seconds.front(), 1e-12 * seconds.front())));
  }
}

TEST(Predict, GivesThePapersGatherToAMicrosecond) {
  const auto rows = rows_of("p3pc", TransferKind::gather, 1024, 16);
  EXPECT_EQ(rows[1].grid, (ProcessGrid{1, 16}));
  EXPECT_EQ(rows[1].tree, Algorithm::sbt);
  EXPECT_NEAR(rows[1].seconds * 1e6, 115185, 1);
}

TEST(Predict, OrdersGridsByColumnsAndOftBeforeSbt) {
  std::vector<std::string> order;
  for (const PredictionRow& row : rows_of("p3pc", TransferKind::scatter, 256, 6)) {
    order.push_back(to_string(row.grid) + " " + std::string(to_string(*row.tree)));
  }
  EXPECT_THAT(order, testing::ElementsAre("1x6 oft", "1x6 sbt", "2x3 oft", "2x3 sbt", "3x2 oft", "3x2 sbt", "6x1 oft",
                                          "6x1 sbt"));
  const auto exchange = rows_of("p3pc", TransferKind::exchange, 256, 6, 3);
  EXPECT_EQ(exchange.size(), 4U);
  EXPECT_FALSE(exchange.front().tree);
}

/// Each tile is passed on as often as there are other ranks, all of them at once.
TEST(Predict, AnAllgatherIsAsManyHopsAsThereAreOtherRanks) {
  const auto rows = rows_of("p3pc", TransferKind::allgather, 512, 8);
  ASSERT_EQ(rows.size(), 4U);
  for (const PredictionRow& row : rows) {
    EXPECT_FALSE(row.tree);
    const Layout layout = row.grid.x == 1 ? Layout::cc : Layout::nn;
    EXPECT_NEAR(row.seconds * 1e6, 7 * table_us(Path::full, layout, 512 * 512 / 8), 1e-3) << to_string(row.grid);
  }
}

TEST(Predict, OneRankMovesNothing) {
  for (const TransferKind kind : {TransferKind::scatter, TransferKind::gather, TransferKind::broadcast,
                                  TransferKind::allgather, TransferKind::exchange}) {
    for (const PredictionRow& row : rows_of("p3pc", kind, 256, 1, 500)) {
      EXPECT_EQ(row.seconds, 0);
      EXPECT_EQ(row.infeasible, "");
    }
  }
}

TEST(Predict, TakesUnevenTilesAndAnyNumberOfRanks) {
  // 7 rows on 1x3: tiles of 3, 2 and 2 rows; the flat tree sends the last two.
  const auto rows = predict(*make_cost_model("p3pc", test::das_profile()),
                            {TransferKind::scatter, {{1024, 7}, {PixelType::f32, 1}}, 3, {}});
  const double send = table_us(Path::send, Layout::cc, 2048);
  const double full = table_us(Path::full, Layout::cc, 2048);
  EXPECT_NEAR(rows.front().seconds * 1e6, std::max(2 * send, send + full), 1e-6);
  // The binomial tree hands on 2 rows to rank 2 and 2 rows to rank 1.
  EXPECT_NEAR(rows[1].seconds * 1e6, std::max(2 * send, 2 * full), 1e-6);
}

TEST(Predict, RefusesNoRanks) {
  EXPECT_THROW(static_cast<void>(rows_of("p3pc", TransferKind::scatter, 256, 0)), ParameterError);
}

TEST(CostModel, IsMadeByName) {
  for (const std::string_view name : {"p3pc", "p3pc-stride", "3pc", "loggp-star", "loggp", "logp", "hockney", "pram"}) {
    EXPECT_EQ(make_cost_model(name, test::das_profile())->name(), name);
  }
  try {
    static_cast<void>(make_cost_model("tarot", test::das_profile()));
    FAIL();
  } catch (const ParameterError& error) {
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("tarot"), testing::HasSubstr("p3pc"),
                                             testing::HasSubstr("loggp-star")));
  }
}

}  // namespace
}  // namespace tilewright
