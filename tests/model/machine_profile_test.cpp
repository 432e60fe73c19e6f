#include "tilewright/model/machine_profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/test_profiles.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/model/cell_names.hpp"
#include "tilewright/model/message_overheads.hpp"

namespace tilewright {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

PathCell cell(std::int64_t bytes, double seconds, Path path = Path::send, Layout layout = Layout::cc) {
  return {path, layout, bytes, {seconds, 0, 0}};
}

MachineProfile with_paths(std::vector<PathCell> cells) {
  return {"m", {}, std::move(cells), {}};
}

TEST(PathSeconds, AreLinearBetweenTheCells) {
  const MachineProfile profile = with_paths({cell(0, 1), cell(100, 3), cell(300, 4)});
  EXPECT_DOUBLE_EQ(profile.path_seconds(Path::send, Layout::cc, 0), 1);  // its own m = 0
  EXPECT_DOUBLE_EQ(profile.path_seconds(Path::send, Layout::cc, 50), 2);
  EXPECT_DOUBLE_EQ(profile.path_seconds(Path::send, Layout::cc, 100), 3);
  EXPECT_DOUBLE_EQ(profile.path_seconds(Path::send, Layout::cc, 200), 3.5);
  EXPECT_DOUBLE_EQ(profile.path_seconds(Path::send, Layout::cc, 300), 4);
}

TEST(PathSeconds, ExtendTheLastSegmentBeyondTheTable) {
  const MachineProfile profile = with_paths({cell(0, 1), cell(100, 3), cell(300, 4)});
  EXPECT_DOUBLE_EQ(profile.path_seconds(Path::send, Layout::cc, 500), 5);
  const MachineProfile two = with_paths({cell(100, 3), cell(300, 4)});
  EXPECT_DOUBLE_EQ(two.path_seconds(Path::send, Layout::cc, 500), 5);
  EXPECT_DOUBLE_EQ(two.path_seconds(Path::send, Layout::cc, 0), 2.5);  // the first segment, to the left
}

TEST(PathSeconds, AreNeverNegative) {
  const MachineProfile steep = with_paths({cell(100, 1), cell(200, 4)});
  EXPECT_EQ(steep.path_seconds(Path::send, Layout::cc, 0), 0);
}

TEST(PathSeconds, OfWhatIsLargerThanAllMeasuredAreNoLess) {
  const MachineProfile falling = with_paths({cell(0, 4), cell(100, 1)});
  EXPECT_EQ(falling.path_seconds(Path::send, Layout::cc, 1000), 1);
}

TEST(PathSeconds, OfASingleCellAreConstant) {
  const MachineProfile profile = with_paths({cell(100, 3)});
  EXPECT_EQ(profile.path_seconds(Path::send, Layout::cc, 0), 3);
  EXPECT_EQ(profile.path_seconds(Path::send, Layout::cc, 1e9), 3);
}

TEST(PathSeconds, OfAMissingRowAreRefusedWithAdvice) {
  const MachineProfile profile = with_paths({cell(0, 1), cell(0, 9, Path::full, Layout::nn)});
  EXPECT_EQ(profile.path_seconds(Path::full, Layout::nn, 5), 9);
  EXPECT_THAT([&] { (void)profile.path_seconds(Path::full, Layout::nc, 0); },
              ThrowsMessage<ParameterError>(
                  testing::AllOf(HasSubstr("'m'"), HasSubstr("path full with layout nc"), HasSubstr("2 ranks"))));
}

TEST(PathSeconds, ReadThePapersTableAsTWithItsConstants) {
  const MachineProfile das = test::das_profile();
  for (const Path path : all_paths) {
    for (const Layout layout : all_layouts) {
      const auto& row = test::das_us[static_cast<std::size_t>(path)][static_cast<std::size_t>(layout)];
      for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_NEAR(das.path_seconds(path, layout, 4 * test::das_values[i]), row[i] * 1e-6, 1e-15);
      }
    }
  }
  // 65536 values lie between 50K = 51200 and 100K = 102400.
  const double share = (65536.0 - 51200.0) / 51200.0;
  EXPECT_NEAR(das.path_seconds(Path::full, Layout::cn, 4 * 65536.0), (8665.39 + share * (19195.53 - 8665.39)) * 1e-6,
              1e-12);
  // 1M values lie beyond 500K.
  const double beyond = (1048576.0 - 512000.0) / (512000.0 - 102400.0);
  EXPECT_NEAR(das.path_seconds(Path::send, Layout::nc, 4 * 1048576.0),
              (90478.81 + beyond * (90478.81 - 15142.74)) * 1e-6, 1e-10);
}

OperatorCell operation(double parameter, double pixels, double seconds, const std::string& key = "convolve",
                       PixelType type = PixelType::f32) {
  return {key, type, parameter, pixels, {seconds, 0, 0}};
}

MachineProfile with_operators(std::vector<OperatorCell> cells) {
  return {"m", {}, {}, std::move(cells)};
}

TEST(OperatorSeconds, AreLinearInTheLogarithmOfThePixels) {
  const MachineProfile profile =
      with_operators({operation(0, 1 << 10, 1), operation(0, 1 << 14, 5), operation(0, 1 << 20, 2)});
  EXPECT_DOUBLE_EQ(*profile.operator_seconds("convolve", PixelType::f32, 0, 1 << 10), 1);
  EXPECT_DOUBLE_EQ(*profile.operator_seconds("convolve", PixelType::f32, 0, 1 << 12), 3);
  EXPECT_DOUBLE_EQ(*profile.operator_seconds("convolve", PixelType::f32, 0, 1 << 14), 5);
  EXPECT_NEAR(*profile.operator_seconds("convolve", PixelType::f32, 0, 1 << 17), 3.5, 1e-12);
}

TEST(OperatorSeconds, AreConstantBeyondTheSizesMeasured) {
  const MachineProfile profile = with_operators({operation(0, 1 << 10, 1), operation(0, 1 << 14, 5)});
  EXPECT_EQ(profile.operator_seconds("convolve", PixelType::f32, 0, 1), 1);
  EXPECT_EQ(profile.operator_seconds("convolve", PixelType::f32, 0, 0), 1);  // a rank without pixels
  EXPECT_EQ(profile.operator_seconds("convolve", PixelType::f32, 0, 1e12), 5);
}

TEST(OperatorSeconds, AreLinearInTheParameterAndExtendedBeyond) {
  const MachineProfile profile =
      with_operators({operation(5, 100, 10), operation(15, 100, 20), operation(25, 100, 50)});
  EXPECT_DOUBLE_EQ(*profile.operator_seconds("convolve", PixelType::f32, 5, 100), 10);
  EXPECT_DOUBLE_EQ(*profile.operator_seconds("convolve", PixelType::f32, 10, 100), 15);
  EXPECT_DOUBLE_EQ(*profile.operator_seconds("convolve", PixelType::f32, 20, 100), 35);
  EXPECT_DOUBLE_EQ(*profile.operator_seconds("convolve", PixelType::f32, 35, 100), 80);
  EXPECT_DOUBLE_EQ(*profile.operator_seconds("convolve", PixelType::f32, 1, 100), 6);
  const MachineProfile falling = with_operators({operation(5, 100, 10), operation(15, 100, 1)});
  EXPECT_EQ(falling.operator_seconds("convolve", PixelType::f32, 100, 100), 0.5) << "half of the least measured";
}

TEST(OperatorSeconds, InterpolateInBothDimensions) {
  const MachineProfile profile = with_operators({operation(1, 1 << 4, 1), operation(1, 1 << 8, 3),  //
                                                 operation(3, 1 << 4, 11), operation(3, 1 << 8, 13)});
  EXPECT_DOUBLE_EQ(*profile.operator_seconds("convolve", PixelType::f32, 2, 1 << 6), 7);
  EXPECT_DOUBLE_EQ(*profile.operator_seconds("convolve", PixelType::f32, 3, 1 << 6), 12);
  // The parameters need not have been measured at the same sizes.
  const MachineProfile ragged = with_operators({operation(1, 1 << 4, 1), operation(1, 1 << 8, 3), operation(3, 7, 12)});
  EXPECT_DOUBLE_EQ(*ragged.operator_seconds("convolve", PixelType::f32, 2, 1 << 6), 7);
}

TEST(OperatorSeconds, LieBetweenTheNeighboursWhereLargerTilesWereNotMeasured) {
  const std::vector<OperatorCell> cells{operation(1, 1 << 4, 2),  operation(1, 1 << 8, 4),  operation(1, 1 << 12, 2),
                                        operation(3, 1 << 4, 6),  operation(3, 1 << 8, 8),  //
                                        operation(5, 1 << 8, 10), operation(5, 1 << 12, 10)};
  const MachineProfile profile = with_operators(cells);
  EXPECT_DOUBLE_EQ(*profile.operator_seconds("convolve", PixelType::f32, 3, 1 << 8), 8);
  EXPECT_DOUBLE_EQ(*profile.operator_seconds("convolve", PixelType::f32, 3, 1 << 12), 6);
  EXPECT_DOUBLE_EQ(*profile.operator_seconds("convolve", PixelType::f32, 3, 1 << 10), 7);
  EXPECT_DOUBLE_EQ(*profile.operator_seconds("convolve", PixelType::f32, 3, 1 << 20), 6) << "beyond all of them";
  EXPECT_DOUBLE_EQ(*profile.operator_seconds("convolve", PixelType::f32, 4, 1 << 12), 8);
  EXPECT_EQ(profile.operators().size(), cells.size()) << "the cells are what was measured";
  const std::vector<OperatorCell> without_last(cells.begin(), cells.end() - 1);
  EXPECT_DOUBLE_EQ(*with_operators(without_last).operator_seconds("convolve", PixelType::f32, 3, 1 << 12), 8)
      << "one neighbour tells too little";
}

TEST(OperatorSeconds, OfSeveralRanksDoSo) {
  std::vector<OperatorCell> cells;
  for (const double parameter : {1, 3, 5}) {
    for (const int ranks : {1, 8}) cells.emplace_back(operation(parameter, 1 << 8, ranks * parameter)).ranks = ranks;
    if (parameter == 3) continue;
    for (const int ranks : {1, 8}) {
      cells.emplace_back(operation(parameter, 1 << 12, 2 * ranks * parameter)).ranks = ranks;
    }
  }
  const MachineProfile profile = with_operators(cells);
  EXPECT_DOUBLE_EQ(*profile.operator_seconds("convolve", PixelType::f32, 3, 1 << 12, 1), 6);
  EXPECT_DOUBLE_EQ(*profile.operator_seconds("convolve", PixelType::f32, 3, 1 << 12, 8), 48);
  EXPECT_DOUBLE_EQ(*profile.operator_seconds("convolve", PixelType::f32, 3, 1 << 8, 8), 24);
}

TEST(OperatorSeconds, OfASingleCellAreConstant) {
  const MachineProfile profile = with_operators({operation(5, 100, 10)});
  EXPECT_EQ(profile.operator_seconds("convolve", PixelType::f32, 500, 1), 10);
}

TEST(OperatorSeconds, AreNoneForWhatWasNotMeasured) {
  const MachineProfile profile =
      with_operators({operation(0, 9, 1, "b"), operation(0, 9, 2, "d"), operation(0, 9, 3, "b", PixelType::f64)});
  EXPECT_EQ(profile.operator_seconds("b", PixelType::f32, 0, 9), 1);
  EXPECT_EQ(profile.operator_seconds("b", PixelType::f64, 0, 9), 3);
  EXPECT_EQ(profile.operator_seconds("d", PixelType::f32, 0, 9), 2);
  EXPECT_FALSE(profile.operator_seconds("b", PixelType::u8, 0, 9));
  EXPECT_FALSE(profile.operator_seconds("d", PixelType::f64, 0, 9));
  for (const char* key : {"", "a", "c", "e"}) EXPECT_FALSE(profile.operator_seconds(key, PixelType::f32, 0, 9)) << key;
  EXPECT_FALSE(MachineProfile().operator_seconds("b", PixelType::f32, 0, 9));
}

TEST(MachineProfile, TheOrderOfCellsDoesNotMatter) {
  const MachineProfile a("m", {}, {cell(0, 1), cell(100, 3), cell(0, 2, Path::recv)},
                         {operation(1, 5, 1), operation(0, 9, 2), operation(0, 9, 3, "a")});
  const MachineProfile b("m", {}, {cell(0, 2, Path::recv), cell(100, 3), cell(0, 1)},
                         {operation(0, 9, 3, "a"), operation(0, 9, 2), operation(1, 5, 1)});
  EXPECT_EQ(a, b);
  EXPECT_EQ(a.paths().front(), cell(0, 1));
  EXPECT_NE(a, with_paths({cell(0, 1)}));
}

TEST(MachineProfile, ADoubledCellIsRefused) {
  EXPECT_THAT(
      [] {
        (void)with_paths({cell(8, 1), cell(0, 1), cell(8, 2)});
      },
      ThrowsMessage<ParameterError>(HasSubstr("send/cc/8 is given twice")));
  EXPECT_THAT(
      [] {
        (void)with_operators({operation(1, 5, 1), operation(1, 5, 1)});
      },
      ThrowsMessage<ParameterError>(HasSubstr("convolve/f32/1/5 is given twice")));
}

TEST(MachineProfile, ImpossibleNumbersAreRefused) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double seconds : {-1e-9, nan, infinity}) {
    EXPECT_THAT([&] { (void)with_paths({cell(4, seconds)}); }, ThrowsMessage<ParameterError>(HasSubstr("send/cc/4")));
    EXPECT_THROW((void)with_operators({operation(1, 5, seconds)}), ParameterError);
  }
  EXPECT_THROW((void)with_paths({cell(-1, 1)}), ParameterError);
}

OperatorCell overhead(double seconds) {
  OperatorCell cell = message_overhead_cell(Path::send);
  cell.time_per_unit = {seconds, 0, 1};
  return cell;
}

TEST(MachineProfile, TakesOperatorsFromAnother) {
  Fingerprint unknown;
  unknown.host = "das";
  Fingerprint known;
  known.host = "laptop";
  known.cores_per_node = 8;
  known.memory_per_node = 1 << 30;
  const OperatorCell own_overhead = overhead(1);
  const MachineProfile das("das", unknown, {cell(0, 1)}, {own_overhead});
  const MachineProfile laptop("laptop", known, {cell(0, 9)}, {operation(0, 9, 2), overhead(7)});

  const MachineProfile merged = das.with_operators_from(laptop);
  EXPECT_THAT(merged.name(), HasSubstr("das"));
  EXPECT_EQ(merged.paths(), das.paths());
  EXPECT_THAT(merged.operators(), testing::UnorderedElementsAre(operation(0, 9, 2), own_overhead))
      << "what messages cost is this machine's";
  EXPECT_EQ(merged.fingerprint().host, "das");
  EXPECT_EQ(merged.fingerprint(), das.fingerprint());  // the other machine's cores and memory are not this one's
}

TEST(Refresh, LetsComputingTakeLongerAndNothingElse) {
  const MachineProfile calibrated("m", {}, {cell(0, 1)}, {operation(0, 9, 2)});
  EXPECT_EQ(calibrated.refresh(), Refresh{});
  const MachineProfile slower = calibrated.with_refresh({1.5, "2026-11-27T10:00:00Z"});
  EXPECT_DOUBLE_EQ(*slower.operator_seconds("convolve", PixelType::f32, 0, 9), 3);
  EXPECT_EQ(slower.operators(), calibrated.operators()) << "cells stay as they were measured";
  EXPECT_EQ(slower.path_seconds(Path::send, Layout::cc, 0), 1);
  EXPECT_EQ(slower.with_refresh({0.5, "2026-11-27T11:00:00Z"}).refresh().computing_factor, 0.5) << "not 0.75";
  EXPECT_EQ(slower.with_refresh({}), calibrated);
  EXPECT_EQ(slower.slower_by_errors_of(Path::send).refresh(), slower.refresh());
}

TEST(Refresh, LetsMessagesTakeLongerAndLeavesTheirCells) {
  std::vector<PathCell> cells{cell(0, 1), cell(400, 2)};
  cells.push_back({Path::send, Layout::nc, 400, {8, 0, 9}, Packing::datatype, 4, 8});
  const MachineProfile calibrated("m", {}, cells, {});
  const Refresh found{1, "2026-11-29T01:00:00Z", {{2, 2, 2, 2, 2}, {3, 3, 3, 3, 3}}};
  const MachineProfile slower = calibrated.with_refresh(found);
  EXPECT_EQ(slower.refresh(), found);
  EXPECT_EQ(slower.paths(), calibrated.paths());
  EXPECT_DOUBLE_EQ(slower.path_seconds(Path::send, Layout::cc, 400), 4);
  EXPECT_EQ(slower.message_time(calibrated.paths()[0]).seconds, 2);
  EXPECT_EQ(slower.message_time(cells[2]).seconds, 24);
  EXPECT_EQ(slower.with_refresh({}), calibrated);
}

TEST(Refresh, GoesWithTheOperators) {
  const MachineProfile own("m", {}, {cell(0, 1)}, {operation(0, 9, 2)});
  const Refresh found{0.8, "2026-11-27T10:00:00Z"};
  EXPECT_EQ(own.with_operators_from(own.with_refresh(found)).refresh(), found);
  EXPECT_EQ(own.with_refresh(found).with_operators_from(own).refresh(), Refresh{});
}

TEST(Refresh, OfMessagesStaysWithThem) {
  const MachineProfile own("m", {}, {cell(0, 1)}, {operation(0, 9, 2)});
  const Refresh found{0.8, "2026-11-27T10:00:00Z", {{2, 2, 2, 2, 2}, {3, 3, 3, 3, 3}}};
  const Refresh of_messages{1, found.date, found.messages}, of_computing{found.computing_factor, found.date};
  EXPECT_EQ(own.with_refresh(found).with_operators_from(own).refresh(), of_messages);
  EXPECT_EQ(own.with_operators_from(own.with_refresh(found)).refresh(), of_computing);
  PathCell within = cell(0, 5);
  within.within_node = true;
  const MachineProfile both("m", {}, {cell(0, 1), within}, {operation(0, 9, 2)});
  const MachineProfile inside = *both.with_refresh(found).within_nodes();
  EXPECT_EQ(inside.path_seconds(Path::send, Layout::cc, 0), 5) << "found of messages between nodes";
  EXPECT_EQ(inside.refresh(), of_computing);
}

TEST(Refresh, OfExchangesIsTheirOwnIfThereIsOne) {
  const auto exchange = [](Path path) { return PathCell{path, Layout::cc, 256, {1, 0, 9}}; };
  const MachineProfile own("m", {}, {exchange(Path::full), exchange(Path::swap), exchange(Path::shift)}, {});
  Refresh found{1, "2026-11-30T10:00:00Z", {{2, 2, 2, 2, 2}, {2, 2, 2, 2, 2}}};
  const auto seconds = [&](Path path) { return own.with_refresh(found).path_seconds(path, Layout::cc, 256); };
  EXPECT_EQ(seconds(Path::swap), 2);
  found.exchanges = MessageFactors{{5, 5, 5, 5, 5}, {1, 1, 1, 1, 1}};
  EXPECT_EQ(seconds(Path::full), 2);
  EXPECT_EQ(seconds(Path::swap), 5);
  EXPECT_EQ(seconds(Path::shift), 5);
  EXPECT_EQ(own.with_refresh(found).refresh(), found);
  EXPECT_EQ(own.with_refresh(found).with_operators_from(own).refresh().exchanges, found.exchanges);
  EXPECT_EQ(own.with_refresh(found).with_refresh({}), own) << "nothing is left of it";
}

TEST(Refresh, IsKeptInSettingsAndChecked) {
  Fingerprint fingerprint;
  EXPECT_EQ(refresh_of(fingerprint), Refresh{});
  const Refresh found{0.1, "2026-11-27T10:00:00Z"};
  fingerprint.settings = settings_of(found);
  EXPECT_EQ(refresh_of(fingerprint), found);
  for (const char* wrong : {"", "x", "0", "-1", "inf", "nan", "1x"}) {
    fingerprint.settings["computing_factor"] = wrong;
    EXPECT_THAT([&] { (void)refresh_of(fingerprint); }, ThrowsMessage<ParameterError>(HasSubstr("above 0"))) << wrong;
  }
  fingerprint.settings = settings_of(found);
  fingerprint.settings["message_factors"] = "1 2 tea";
  EXPECT_THAT([&] { (void)refresh_of(fingerprint); }, ThrowsMessage<ParameterError>(HasSubstr("ten numbers above 0")));
  fingerprint.settings.erase("message_factors");
  EXPECT_EQ(refresh_of(fingerprint), found) << "of before messages were measured again";
}

TEST(OperatorSeconds, AreThoseOfAsManyRanksAtWork) {
  OperatorCell crowded = operation(0, 1 << 10, 3);
  crowded.ranks = 4;
  OperatorCell only_crowded = operation(0, 1 << 12, 5);
  only_crowded.ranks = 4;
  const MachineProfile profile = with_operators({operation(0, 1 << 10, 1), crowded, only_crowded});
  EXPECT_EQ(profile.operator_seconds("convolve", PixelType::f32, 0, 1 << 10, 1), 1);
  EXPECT_EQ(profile.operator_seconds("convolve", PixelType::f32, 0, 1 << 10, 4), 3);
  EXPECT_EQ(profile.operator_seconds("convolve", PixelType::f32, 0, 1 << 10, 2), 3);
  EXPECT_EQ(profile.operator_seconds("convolve", PixelType::f32, 0, 1 << 12, 1), 5);
  EXPECT_DOUBLE_EQ(*profile.operator_seconds("convolve", PixelType::f32, 0, 1 << 11, 1), 3);
  EXPECT_DOUBLE_EQ(*profile.operator_seconds("convolve", PixelType::f32, 0, 1 << 11, 8), 4);
}

TEST(OperatorSeconds, OfSeveralThreadsAreAnEvenShareAndWhatTheyLose) {
  OperatorCell shared = operation(0, 1 << 10, 0.7);
  shared.threads = 2;
  OperatorCell others = operation(0, 1 << 10, 2);
  others.type = PixelType::f64;
  const MachineProfile profile =
      with_operators({operation(0, 1 << 10, 1), shared, others, operation(0, 1 << 10, 1, "copy")});
  const auto seconds = [&](const std::string& key, PixelType type, int threads) {
    return *profile.operator_seconds(key, type, 0, 1 << 10, 1, threads);
  };
  EXPECT_EQ(seconds("convolve", PixelType::f32, 1), 1);
  EXPECT_DOUBLE_EQ(seconds("convolve", PixelType::f32, 2), 0.7);
  EXPECT_DOUBLE_EQ(seconds("convolve", PixelType::f32, 4), 0.25 + 0.1);
  EXPECT_DOUBLE_EQ(seconds("convolve", PixelType::f64, 2), 1.4) << "in proportion";
  EXPECT_DOUBLE_EQ(seconds("copy", PixelType::f32, 2), 0.5) << "nobody knows of a loss";
  EXPECT_EQ(profile.operator_seconds("unheard_of", PixelType::f32, 0, 1 << 10, 1, 2), std::nullopt);
  OperatorCell larger = operation(0, 1 << 12, 0.1);  // measured in a better minute
  larger.threads = 2;
  const MachineProfile uneven = with_operators({operation(0, 1 << 10, 1), operation(0, 1 << 12, 1), shared, larger});
  EXPECT_DOUBLE_EQ(*uneven.operator_seconds("convolve", PixelType::f32, 0, 1 << 12, 1, 2), 0.25);
}

TEST(StandardError, IsThatOfTheMedian) {
  PathCell enough = cell(4096, 1);
  enough.time = {1, 0.1, 16};
  PathCell imported = cell(8192, 1);
  imported.time = {1, 0.1, 0};
  PathCell single = cell(16384, 2);
  single.time = {2, 0, 1};
  OperatorCell operation_once = operation(0, 1024, 3);
  operation_once.time_per_unit = {3, 0, 1};
  OperatorCell operation_often = operation(0, 2048, 3);
  operation_often.time_per_unit = {3, 0.6, 100};
  const MachineProfile profile("m", {}, {enough, imported, single}, {operation_once, operation_often});
  constexpr double of_one = 1.2533 / 0.6745;
  EXPECT_DOUBLE_EQ(profile.standard_error_s(enough), of_one * 0.1 / 4);
  EXPECT_EQ(profile.standard_error_s(imported), 0) << "a paper's numbers are exact";
  EXPECT_DOUBLE_EQ(profile.standard_error_s(single), of_one * 0.1 * 2) << "the typical spread of messages";
  EXPECT_DOUBLE_EQ(profile.standard_error_s(operation_once), of_one * 0.2 * 3) << "that of operators";
  EXPECT_DOUBLE_EQ(profile.standard_error_s(operation_often), of_one * 0.6 / 10);
}

TEST(StandardError, MakesOneGroupOfCellsSlower) {
  PathCell sent = cell(4096, 1);
  sent.time = {1, 0.1, 16};
  PathCell received = sent;
  received.path = Path::recv;
  OperatorCell convolved = operation(0, 1024, 3);
  convolved.time_per_unit = {3, 0.6, 100};
  const MachineProfile profile("m", {}, {sent, received}, {convolved});
  const MachineProfile slower = profile.slower_by_errors_of(Path::send);
  EXPECT_DOUBLE_EQ(slower.path_seconds(Path::send, Layout::cc, 4096), 1 + profile.standard_error_s(sent));
  EXPECT_EQ(slower.path_seconds(Path::recv, Layout::cc, 4096), 1);
  EXPECT_EQ(slower.operators(), profile.operators());
  EXPECT_EQ(profile.slower_by_errors_of("unheard_of"), profile);
  EXPECT_DOUBLE_EQ(profile.slower_by_errors_of(convolved.key).operators().front().time_per_unit.seconds,
                   3 + profile.standard_error_s(convolved));
}

TEST(MachineProfile, APieceIsPackedByHandWhateverThePackingIsCalled) {
  std::vector<PathCell> cells{cell(0, 0), cell(1 << 20, 1)};
  cells.push_back({Path::send, Layout::cc, 0, {0, 0, 0}, Packing::blocked});
  cells.push_back({Path::send, Layout::cc, 1 << 20, {1, 0, 0}, Packing::blocked});
  const auto strided = [](std::int64_t bytes, double seconds, Packing packing) -> PathCell {
    return {Path::send, Layout::nc, bytes, {seconds, 0, 0}, packing, 4, 8};
  };
  cells.push_back(strided(piece_bytes, 7, Packing::manual));
  cells.push_back(strided(1 << 18, 9, Packing::manual));
  const auto extra = [](const MachineProfile& profile, std::int64_t bytes) {
    return profile.extra_seconds({Path::send, Layout::nc, Packing::blocked}, {bytes, 4, 8});
  };
  EXPECT_FALSE(extra(with_paths(cells), piece_bytes)) << "nothing is known of pieces";
  cells.push_back(strided(1 << 20, 5, Packing::blocked));
  const MachineProfile profile = with_paths(cells);
  EXPECT_NEAR(*extra(profile, piece_bytes), 7 - 1.0 / 64, 1e-9);
  EXPECT_NEAR(*extra(profile, 1 << 20), 4, 1e-9) << "of pieces, not of the whole packed by hand";
}

PathCell within_node(PathCell cell) {
  cell.within_node = true;
  return cell;
}

TEST(WithinNodes, CellsStandBesideTheOthers) {
  const std::vector<PathCell> between{cell(0, 1), cell(100, 3), cell(0, 2, Path::recv)};
  const MachineProfile alone = with_paths(between);
  std::vector<PathCell> all = between;
  for (const PathCell& known : between) all.insert(all.begin(), within_node(known));
  all.push_back(within_node({Path::send, Layout::nc, 100, {9, 0, 0}, Packing::datatype, 4, 8}));
  const MachineProfile profile = with_paths(all);
  EXPECT_EQ(profile.paths().size(), 7U);
  EXPECT_TRUE(std::equal(between.begin(), between.end(), profile.paths().begin())) << "those within a node come last";
  EXPECT_EQ(profile.path_seconds(Path::send, Layout::cc, 50), alone.path_seconds(Path::send, Layout::cc, 50));
  EXPECT_EQ(profile.stride_costs(), alone.stride_costs());
  EXPECT_FALSE(profile.has(Path::send, Layout::nc));
  EXPECT_NE(profile, alone);
  EXPECT_THAT(
      [] {
        (void)with_paths({within_node(cell(8, 1)), cell(8, 1), within_node(cell(8, 2))});
      },
      ThrowsMessage<ParameterError>(HasSubstr("within/send/cc/8 is given twice")));
}

TEST(WithinNodes, MakeAProfileOfTheirOwn) {
  Fingerprint fingerprint;
  fingerprint.host = "das";
  const std::vector<OperatorCell> operators{operation(1, 5, 1)};
  EXPECT_EQ(MachineProfile("m", fingerprint, {cell(0, 1)}, operators).within_nodes(), std::nullopt);
  const MachineProfile profile("m", fingerprint, {cell(0, 8), within_node(cell(0, 1)), within_node(cell(100, 3))},
                               operators);
  EXPECT_EQ(profile.within_nodes(), MachineProfile("m", fingerprint, {cell(0, 1), cell(100, 3)}, operators));
  const MachineProfile without_others = with_paths({within_node(cell(0, 1))});
  EXPECT_FALSE(without_others.has_paths());
  EXPECT_FALSE(without_others.has(Path::send, Layout::cc));
  EXPECT_TRUE(without_others.within_nodes()->has_paths());
}

TEST(WithinNodes, ErrByThemselves) {
  PathCell often = cell(4096, 1);
  often.time = {1, 0.1, 16};
  PathCell often_within = within_node(often);
  often_within.time = {0.5, 0.2, 16};
  PathCell once_within = within_node(cell(8192, 1));
  once_within.time = {1, 0, 1};
  const MachineProfile profile("m", {}, {often, often_within, once_within}, {operation(1, 5, 1)});
  constexpr double of_one = 1.2533 / 0.6745;
  EXPECT_DOUBLE_EQ(profile.standard_error_s(often), of_one * 0.1 / 4);
  EXPECT_DOUBLE_EQ(profile.standard_error_s(once_within), of_one * 0.4) << "the typical spread of those within";
  const MachineProfile slower = profile.slower_by_errors_of(Path::send);
  EXPECT_DOUBLE_EQ(slower.path_seconds(Path::send, Layout::cc, 4096), 1 + of_one * 0.1 / 4);
  EXPECT_EQ(slower.within_nodes(), profile.within_nodes()->slower_by_errors_of(Path::send));
  EXPECT_NE(slower.within_nodes(), profile.within_nodes());
  EXPECT_EQ(profile.slower_by_errors_of(Path::recv), profile);
  EXPECT_EQ(profile.with_operators_from({"o", {}, {}, {}}).paths(), profile.paths());
}

TEST(StrideCosts, BelieveASmallDifferenceOfManySamples) {
  const auto extra_s = [](std::int64_t samples) {
    const MachineProfile profile("m", {},
                                 {{Path::full, Layout::cc, 0, {1, 0.1, samples}},
                                  {Path::full, Layout::cc, 4096, {1, 0.1, samples}},
                                  {Path::full, Layout::nc, 4096, {1.1, 0.1, samples}, Packing::manual, 64, 128}},
                                 {});
    return *profile.extra_seconds({Path::full, Layout::nc, Packing::manual}, {4096, 64, 128});
  };
  EXPECT_EQ(extra_s(5), 0) << "within the noise";
  EXPECT_NEAR(extra_s(100), 0.1, 1e-12);
}

TEST(CellNames, AreThoseThatRawSamplesUse) {
  OperatorCell crowded = operation(25, 65536, 1, "convolve_separable");
  crowded.ranks = 8;
  EXPECT_EQ(cell_name(crowded), "convolve_separable/f32/25/65536/8");
  EXPECT_EQ(cell_name(cell(4096, 1)), "send/cc/4096");
  EXPECT_EQ(cell_name(operation(25, 65536, 1, "convolve_separable")), "convolve_separable/f32/25/65536");
}

/// Cold and warm, of which the second has become slower since.
TEST(RepeatedRuns, FindTheirMemoryInTheCachesAsItIsNow) {
  const auto shared = [](Path path, double seconds) { return PathCell{path, Layout::cc, 131072, {seconds, 0, 9}}; };
  const MachineProfile cold("m", {}, {shared(Path::shared, 8), shared(Path::shared_warm, 2)}, {});
  const RepeatedRun small{.touched_bytes = 1 << 20, .seconds = 0};
  EXPECT_TRUE(cold.knows_warmth());
  EXPECT_FALSE(MachineProfile("m", {}, {shared(Path::shared, 8)}, {}).knows_warmth());
  const auto seconds = [](const MachineProfile& profile) {
    return profile.path_seconds(Path::shared, Layout::cc, 131072);
  };
  EXPECT_DOUBLE_EQ(seconds(cold), 8);
  const MachineProfile warm = cold.for_repeated(small);
  EXPECT_DOUBLE_EQ(seconds(warm), 2);
  EXPECT_DOUBLE_EQ(seconds(warm.for_repeated({.touched_bytes = 1 << 28, .seconds = 0})), 8);
  Refresh refresh{1, "2026-11-29"};
  refresh.sharing.rows[{Path::shared_warm, Layout::cc}] = {1, 1.5, 1, 1, 1};
  EXPECT_DOUBLE_EQ(seconds(cold.with_refresh(refresh)), 8);
  EXPECT_DOUBLE_EQ(seconds(cold.with_refresh(refresh).for_repeated(small)), 3);
  EXPECT_EQ(warm.with_refresh(refresh), cold.with_refresh(refresh).for_repeated(small));
  EXPECT_EQ(warm.slower_by_errors_of(Path::send), warm) << "of the same runs";
  EXPECT_EQ(cold.with_refresh(refresh).with_refresh({}), cold);
}

/// They come and go, so that a refresh says what they do now.
TEST(RepeatedRuns, MeetTheStrangersOfTheRefresh) {
  constexpr std::int64_t mebibyte = 1 << 20;
  const auto gather = [](Path path, double seconds) { return PathCell{path, Layout::cc, mebibyte, {seconds, 0, 9}}; };
  const std::vector<PathCell> cells{gather(Path::shared_gather, 30), gather(Path::shared_gather_warm, 10),
                                    gather(Path::shared_gather_rested, 20)};
  const auto seconds = [&](double run_s, const Refresh& refresh) {
    const MachineProfile profile = MachineProfile("m", {}, cells, {}).with_refresh(refresh);
    return profile.for_repeated({.touched_bytes = 20 * mebibyte, .seconds = run_s})
        .path_seconds(Path::shared_gather, Layout::cc, mebibyte);
  };
  EXPECT_DOUBLE_EQ(seconds(0, {}), 10);
  EXPECT_DOUBLE_EQ(seconds(rested_run_s, {}), 20);
  EXPECT_NEAR(seconds(1, {}), 30, 1e-9);
  Refresh calm{1, "2026-11-30"};
  calm.sharing.rows[{Path::shared_gather_rested, Layout::cc}] = {0.5, 0.5, 0.5, 0.5, 0.5};
  EXPECT_DOUBLE_EQ(seconds(1, calm), 10);
}

}  // namespace
}  // namespace tilewright
