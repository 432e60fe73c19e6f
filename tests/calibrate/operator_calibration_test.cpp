#include "../../src/calibrate/operator_calibration.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "../../src/calibrate/operator_order.hpp"
#include "tilewright/calibrate/fit.hpp"

namespace tilewright {
namespace {

/// A benchmark whose run adds up the pixels of a tile `parameter` times over.
OperatorBenchmark summing(const std::string& key, std::vector<PixelType> types, std::vector<double> parameters) {
  return {key, std::move(types), std::move(parameters), [](PixelType, double parameter, const Extent& tile) {
            auto values = std::make_shared<std::vector<float>>(static_cast<std::size_t>(tile.pixels()), 1.0F);
            auto sum = std::make_shared<float>(0.0F);
            return PreparedBenchmark{[values, sum, parameter] {
                                       for (int i = 0; i <= static_cast<int>(parameter); ++i) {
                                         for (const float value : *values) *sum = *sum + value;
                                       }
                                     },
                                     static_cast<double>(tile.pixels())};
          }};
}

const std::vector<OperatorBenchmark>& benchmarks() {
  static const std::vector<OperatorBenchmark> list = {summing("rows", {PixelType::f32, PixelType::f64}, {3, 9, 25}),
                                                      summing("copy", {PixelType::u8}, {0})};
  return list;
}

TEST(OperatorOrder, CoversEveryCellOnce) {
  const auto tasks = ordered_tasks(benchmarks(), {16, 32, 64});
  std::set<std::tuple<std::string, PixelType, double, std::int64_t>> cells;
  for (const OperatorTask& task : tasks) {
    cells.insert({task.benchmark->key, task.type, task.parameter, task.side});
  }
  EXPECT_EQ(tasks.size(), (2U * 3U + 1U) * 3U);
  EXPECT_EQ(cells.size(), tasks.size());
}

TEST(OperatorOrder, BeginsWithOneCellOfEveryKeyAndType) {
  const auto tasks = ordered_tasks(benchmarks(), {16, 32, 64});
  std::set<std::pair<std::string, PixelType>> kinds;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(tasks[i].required);
    EXPECT_EQ(tasks[i].side, 32);
    kinds.insert({tasks[i].benchmark->key, tasks[i].type});
  }
  EXPECT_EQ(kinds.size(), 3U);
  for (std::size_t i = 3; i < tasks.size(); ++i) EXPECT_FALSE(tasks[i].required);
  EXPECT_EQ(tasks[3].parameter, 25);  // the other end comes next
  EXPECT_EQ(tasks.back().parameter, 9);
}

TEST(OperatorCalibration, MeasuresEveryCellWhenThereIsTime) {
  SampleLog log;
  Progress progress({}, 1);
  const auto cells = calibrate_operators(benchmarks(), {{8, 16, 32}, 3, 30.0}, log, progress);
  EXPECT_EQ(cells.size(), 21U);
  std::map<std::string, std::vector<double>> samples;
  for (const RawSample& sample : log.take()) samples[sample.cell].push_back(sample.seconds);
  for (const OperatorCell& cell : cells) {
    EXPECT_GT(cell.time_per_unit.seconds, 0) << cell_name(cell);
    EXPECT_EQ(cell.time_per_unit, fit(samples[cell_name(cell)])) << cell_name(cell);
    EXPECT_EQ(cell.time_per_unit.samples, 3) << cell_name(cell);
  }
}

TEST(OperatorCalibration, WithoutTimeStillKnowsEveryKeyAndType) {
  SampleLog log;
  Progress progress({}, 0);
  const auto cells = calibrate_operators(benchmarks(), {{8, 16, 32}, 3, 0.0}, log, progress);
  ASSERT_EQ(cells.size(), 3U);
  for (const OperatorCell& cell : cells) {
    EXPECT_EQ(cell.tile_pixels, 16 * 16);
    EXPECT_EQ(cell.time_per_unit.samples, 1);
  }
}

TEST(OperatorCalibration, StatesSecondsAUnit) {
  std::vector<OperatorBenchmark> list;
  for (const double units : {1.0, 1e6}) {
    OperatorBenchmark benchmark = summing(units > 1 ? "many" : "one", {PixelType::f32}, {3});
    benchmark.prepare = [units, prepare = benchmark.prepare](PixelType type, double parameter, const Extent& tile) {
      PreparedBenchmark prepared = prepare(type, parameter, tile);
      prepared.units = units;
      return prepared;
    };
    list.push_back(benchmark);
  }
  SampleLog log;
  Progress progress({}, 1);
  const auto cells = calibrate_operators(list, {{32}, 5, 5.0}, log, progress);
  ASSERT_EQ(cells.size(), 2U);
  // The same work, stated as one unit or as a million.
  EXPECT_GT(cells[0].time_per_unit.seconds, 1000 * cells[1].time_per_unit.seconds);
}

}  // namespace
}  // namespace tilewright
