#include "../../src/calibrate/operator_calibration.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "../../src/calibrate/operator_order.hpp"
#include "switching_threads.hpp"
#include "tilewright/model/cell_names.hpp"

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
    EXPECT_EQ(tasks[i].side, 32);
    kinds.insert({tasks[i].benchmark->key, tasks[i].type});
  }
  EXPECT_EQ(kinds.size(), 3U);
  EXPECT_EQ(tasks[3].parameter, 25);  // the other end comes next
  EXPECT_EQ(tasks.back().parameter, 9);
}

TEST(OperatorOrder, OfThreadsIsWhatTheyShareOnFloatsAtTheEndsOfTheParameters) {
  std::vector<OperatorBenchmark> list = benchmarks();
  list.front().is_shared_by_threads = true;
  const auto shared = benchmarks_for_threads(list);
  ASSERT_EQ(shared.size(), 1U);
  EXPECT_EQ(shared[0].key, "rows");
  EXPECT_EQ(shared[0].types, std::vector{PixelType::f32});
  EXPECT_EQ(shared[0].parameters, (std::vector<double>{3, 25}));
}

TEST(OperatorCalibration, MeasuresThreadsOnTheClock) {
  OperatorBenchmark benchmark{"shared", {PixelType::f32}, {0}, [](PixelType, double, const Extent&) {
                                const auto pause = [](int threads) {
                                  std::this_thread::sleep_for(std::chrono::milliseconds(4 / threads));
                                };
                                return PreparedBenchmark{[pause] { pause(1); }, 1, pause};
                              }};
  Progress progress({}, 1);
  OperatorEffort effort{{8}, 2, 1.0};
  effort.threads = 4;
  const OperatorMeasurement measurement = calibrate_operators({benchmark}, effort, progress);
  ASSERT_EQ(measurement.series.size(), 1U);
  EXPECT_EQ(measurement.series.front().cell.threads, 4);
  for (const OperatorSample& sample : measurement.series.front().samples) EXPECT_GT(sample.elapsed_s, 0.0009);
  EXPECT_EQ(measurement.slowdown(), 1);
}

TEST(OperatorCalibration, MeasuresEveryCellWhenThereIsTime) {
  Progress progress({}, 1);
  const OperatorMeasurement measurement = calibrate_operators(benchmarks(), {{8, 16, 32}, 3, 30.0}, progress);
  EXPECT_EQ(measurement.series.size(), 21U);
  EXPECT_GE(measurement.slowdown(), 1);
  for (const OperatorSeries& series : measurement.series) {
    EXPECT_EQ(series.samples.size(), 3U) << cell_name(series.cell);
    for (const OperatorSample& sample : series.samples) {
      EXPECT_GT(sample.processor_s, 0) << cell_name(series.cell);
      EXPECT_GT(sample.elapsed_s, 0) << cell_name(series.cell);
    }
  }
}

TEST(OperatorCalibration, WithoutTimeStillKnowsEveryKeyAndType) {
  Progress progress({}, 0);
  const OperatorMeasurement measurement = calibrate_operators(benchmarks(), {{8, 16, 32}, 3, 0.0}, progress);
  ASSERT_EQ(measurement.series.size(), 3U);
  for (const OperatorSeries& series : measurement.series) {
    EXPECT_EQ(series.cell.tile_pixels, 8 * 8) << "the smallest takes least";
    EXPECT_EQ(series.samples.size(), 1U);
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
  Progress progress({}, 1);
  const OperatorMeasurement measurement = calibrate_operators(list, {{32}, 5, 5.0}, progress);
  ASSERT_EQ(measurement.series.size(), 2U);
  // The same work, stated as one unit or as a million.
  EXPECT_GT(measurement.series[0].samples[0].processor_s, 1000 * measurement.series[1].samples[0].processor_s);
}

TEST(OperatorCalibration, MarksWhatWasDisturbed) {
  OperatorBenchmark disturbed{"disturbed", {PixelType::f32}, {0}, [](PixelType, double, const Extent&) {
                                return PreparedBenchmark{[] {
                                                           const test::SwitchingThreads strangers;
                                                           std::this_thread::sleep_for(std::chrono::milliseconds(20));
                                                         },
                                                         1};
                              }};
  Progress progress({}, 1);
  OperatorEffort effort{{8}, 2, 1.0};
  effort.switches = Switches::foreign;
  for (const OperatorSample& sample : calibrate_operators({disturbed}, effort, progress).series.front().samples) {
    EXPECT_TRUE(sample.disturbed);
  }
}

TEST(OperatorCalibration, WaitingIsNoProcessorTime) {
  OperatorBenchmark sleeping = summing("files", {PixelType::f32}, {0});
  sleeping.waits_for_files = true;
  sleeping.prepare = [](PixelType, double, const Extent&) {
    return PreparedBenchmark{[] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }, 1};
  };
  Progress progress({}, 1);
  const OperatorMeasurement measurement = calibrate_operators({sleeping}, {{8}, 2, 1.0}, progress);
  for (const OperatorSample& sample : measurement.series.front().samples) {
    EXPECT_GT(sample.elapsed_s, 0.0049);
    EXPECT_LT(sample.processor_s, sample.elapsed_s / 2);
  }
  EXPECT_EQ(measurement.slowdown(), 1) << "waiting for files does not slow computing down";
}

}  // namespace
}  // namespace tilewright
