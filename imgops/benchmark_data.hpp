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

/// A pipeline writes an image where it has freed another a step ago.
inline constexpr int output_turns = 2;
/// How many sets of inputs take turns where they are older: so many that no near cache holds all, or as few as a far
/// one hardly holds. One for tiles that are as small as the pieces of a pass, which stay in a near cache.
[[nodiscard]] std::size_t input_turns(const std::vector<ImageShape>& inputs);
/// The same where they come from memory, as those do that a program has held for long, and those that were stored past
/// the caches.
[[nodiscard]] std::size_t input_turns_in_memory(const std::vector<ImageShape>& inputs);

/// How long ago the images that an operator reads were made: a near cache may still hold them, or does not.
enum class InputAge { just_made, older };

/// Runs the operator that makes `results` in one pass on a tile, all its inputs being benchmark_raster(). The results
/// of a run live until the next one is done, so that two sets of images take turns: a pipeline does not write where it
/// has just written. Older inputs take turns, too.
[[nodiscard]] PreparedBenchmark operator_benchmark(const std::vector<Image>& results,
                                                   InputAge age = InputAge::just_made);

// The parts of the list, by family.
[[nodiscard]] std::vector<OperatorBenchmark> convolution_benchmarks();
[[nodiscard]] std::vector<OperatorBenchmark> pointwise_benchmarks();
[[nodiscard]] std::vector<OperatorBenchmark> reduction_benchmarks();
[[nodiscard]] std::vector<OperatorBenchmark> file_benchmarks();

}  // namespace tilewright
