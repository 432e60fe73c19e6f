// Which operator cells are measured, and in which order: coarse coverage first, for the time may run out.
#pragma once

#include <vector>

#include "tilewright/imgops/benchmarks.hpp"

namespace tilewright {

struct OperatorTask {
  const OperatorBenchmark* benchmark = nullptr;
  PixelType type = PixelType::f32;
  double parameter = 0;
  std::int64_t side = 0;  ///< tiles are square
};

/// First one cell of every key and type, at the middle size and the smallest parameter; then the largest parameter;
/// then these two at the other sizes; then the parameters between them. `sides` ascend. The benchmarks must outlive
/// the tasks.
[[nodiscard]] std::vector<OperatorTask> ordered_tasks(const std::vector<OperatorBenchmark>& benchmarks,
                                                      const std::vector<std::int64_t>& sides);

/// What tells how much threads lose: of the work that they share, on floats, with the smallest and the largest
/// parameter. Pipelines compute on floats mostly; what is lost is waking threads and sharing memory, which other types
/// do alike, and between two parameters the work in registers grows, which threads share evenly.
[[nodiscard]] std::vector<OperatorBenchmark> benchmarks_for_threads(const std::vector<OperatorBenchmark>& benchmarks);

}  // namespace tilewright
