#include "operator_order.hpp"

#include <algorithm>

namespace tilewright {
namespace {

enum class Stage { one_cell, largest_parameter, other_sizes, between, count };

Stage stage_of(double parameter, double smallest, double largest, std::int64_t side, std::int64_t middle) {
  const bool is_end = parameter == smallest || parameter == largest;
  if (side == middle && parameter == smallest) return Stage::one_cell;
  if (side == middle && parameter == largest) return Stage::largest_parameter;
  return is_end ? Stage::other_sizes : Stage::between;
}

void append(const OperatorBenchmark& benchmark, Stage stage, std::int64_t side, std::int64_t middle,
            std::vector<OperatorTask>& tasks) {
  if (benchmark.parameters.empty()) return;
  const auto [smallest, largest] = std::minmax_element(benchmark.parameters.begin(), benchmark.parameters.end());
  for (const PixelType type : benchmark.types) {
    for (const double parameter : benchmark.parameters) {
      if (stage_of(parameter, *smallest, *largest, side, middle) != stage) continue;
      tasks.push_back({&benchmark, type, parameter, side});
    }
  }
}

}  // namespace

std::vector<OperatorTask> ordered_tasks(const std::vector<OperatorBenchmark>& benchmarks,
                                        const std::vector<std::int64_t>& sides) {
  std::vector<OperatorTask> tasks;
  if (sides.empty()) return tasks;
  const std::int64_t middle = sides[(sides.size() - 1) / 2];
  for (int stage = 0; stage < static_cast<int>(Stage::count); ++stage) {
    for (const std::int64_t side : sides) {
      for (const OperatorBenchmark& benchmark : benchmarks) {
        append(benchmark, static_cast<Stage>(stage), side, middle, tasks);
      }
    }
  }
  return tasks;
}

std::vector<OperatorBenchmark> benchmarks_for_threads(const std::vector<OperatorBenchmark>& benchmarks) {
  std::vector<OperatorBenchmark> shared;
  for (const OperatorBenchmark& benchmark : benchmarks) {
    if (!benchmark.is_shared_by_threads) continue;
    OperatorBenchmark& kept = shared.emplace_back(benchmark);
    kept.types = {PixelType::f32};
    const auto [smallest, largest] = std::minmax_element(benchmark.parameters.begin(), benchmark.parameters.end());
    kept.parameters = {*smallest};
    if (*largest > *smallest) kept.parameters.push_back(*largest);
  }
  return shared;
}

}  // namespace tilewright
