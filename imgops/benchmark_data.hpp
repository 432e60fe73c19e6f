// What benchmarks work on.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "tilewright/imgops/benchmarks.hpp"
#include "tilewright/pipeline/image.hpp"

namespace tilewright {

/// Pixels that look like a picture: smooth, with some texture; the same every time. The halo too.
[[nodiscard]] Raster benchmark_raster(const Extent& tile, const Halo& halo, PixelType type);

/// An image of that shape, without pixels: for recording operators.
[[nodiscard]] Image benchmark_image(const Extent& tile, PixelType type);

/// Runs the operator that made `result` on a tile, all its inputs being benchmark_raster(). With several sets of inputs,
/// which take turns, it does not find in the caches what it has just used.
[[nodiscard]] PreparedBenchmark operator_benchmark(const Image& result, int input_sets = 1);

// The parts of the list, by family.
[[nodiscard]] std::vector<OperatorBenchmark> convolution_benchmarks();
[[nodiscard]] std::vector<OperatorBenchmark> pointwise_benchmarks();
[[nodiscard]] std::vector<OperatorBenchmark> reduction_benchmarks();
[[nodiscard]] std::vector<OperatorBenchmark> file_benchmarks();

}  // namespace tilewright
