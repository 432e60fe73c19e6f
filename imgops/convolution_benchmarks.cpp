#include <cmath>
#include <iterator>

#include "benchmark_data.hpp"
#include "tilewright/imgops/convolution.hpp"

namespace tilewright {
namespace {

/// In x and y together, from two small kernels to those of a large scale. The paper's kernels at sigma 1, 3 and 5 lie
/// between, and so does the number from which a pixel costs more to compute than to fetch.
const std::vector<double> tap_counts{6, 18, 30, 46, 78, 198};
const std::vector<double> areas{9, 49, 225};

/// The whole filter: its two halves would each have the caches to themselves, and sum up to less.
PreparedBenchmark two_kernels(PixelType type, double taps, const Extent& tile) {
  const std::vector<double> kernel(static_cast<std::size_t>(taps / 2), 2 / taps);
  return operator_benchmark(convolve_separable(benchmark_image(tile, type), kernel, kernel));
}

PreparedBenchmark square_kernel(PixelType type, double area, const Extent& tile) {
  const int side = static_cast<int>(std::lround(std::sqrt(area)));
  const Kernel kernel{side, side,
                      std::vector<double>(static_cast<std::size_t>(side) * static_cast<std::size_t>(side), 1 / area)};
  return operator_benchmark(convolve(benchmark_image(tile, type), kernel));
}

}  // namespace

std::vector<OperatorBenchmark> convolution_benchmarks() {
  const std::vector<PixelType> all(std::begin(all_pixel_types), std::end(all_pixel_types));
  return {{"convolve_separable", all, tap_counts, two_kernels}, {"convolve_2d", all, areas, square_kernel}};
}

}  // namespace tilewright
