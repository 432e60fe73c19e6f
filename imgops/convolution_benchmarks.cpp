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
/// A result of a jet and of a pair, as SeparableJet counts them: of kernels of 5, 15, 25 and 41 taps.
const std::vector<double> jet_tap_counts{8, 24, 40, 65.6};
const std::vector<double> pair_tap_counts{10, 30, 50, 82};

/// The whole filter: its two halves would each have the caches to themselves, and sum up to less.
PreparedBenchmark two_kernels(PixelType type, double taps, const Extent& tile) {
  const std::vector<double> kernel(static_cast<std::size_t>(taps / 2), 2 / taps);
  return operator_benchmark({convolve_separable(benchmark_image(tile, type), kernel, kernel)});
}

/// Of one length; even, odd and even.
struct JetKernels {
  explicit JetKernels(double taps) {
    const auto radius = static_cast<int>(std::lround((taps - 1) / 2));
    for (int i = -radius; i <= radius; ++i) {
      flat.push_back(1.0 / (2 * radius + 1));
      slope.push_back(i);
      bend.push_back(radius - 2 * std::abs(i));
    }
  }
  std::vector<double> flat, slope, bend;
};

/// Five filters as those of a jet: three row kernels and three column kernels.
PreparedBenchmark jet(PixelType type, double taps_a_result, const Extent& tile) {
  constexpr double kernels = 3 + 5;
  constexpr double results = 5;
  const auto [flat, slope, bend] = JetKernels(taps_a_result * results / kernels);
  const Image in = benchmark_image(tile, type);
  return operator_benchmark({convolve_separable(in, slope, flat), convolve_separable(in, flat, slope),
                             convolve_separable(in, bend, flat), convolve_separable(in, slope, slope),
                             convolve_separable(in, flat, bend)});
}

/// The two filters of a gradient: two row kernels and two column kernels.
PreparedBenchmark pair(PixelType type, double taps_a_result, const Extent& tile) {
  const auto [flat, slope, bend] = JetKernels(taps_a_result / 2);
  const Image in = benchmark_image(tile, type);
  return operator_benchmark({convolve_separable(in, slope, flat), convolve_separable(in, flat, slope)});
}

PreparedBenchmark square_kernel(PixelType type, double area, const Extent& tile) {
  const int side = static_cast<int>(std::lround(std::sqrt(area)));
  const Kernel kernel{side, side,
                      std::vector<double>(static_cast<std::size_t>(side) * static_cast<std::size_t>(side), 1 / area)};
  return operator_benchmark({convolve(benchmark_image(tile, type), kernel)});
}

}  // namespace

std::vector<OperatorBenchmark> convolution_benchmarks() {
  const std::vector<PixelType> all(std::begin(all_pixel_types), std::end(all_pixel_types));
  return {{"convolve_separable", all, tap_counts, two_kernels},
          {"convolve_pair", all, pair_tap_counts, pair},
          {"convolve_jet", all, jet_tap_counts, jet},
          {"convolve_2d", all, areas, square_kernel}};
}

}  // namespace tilewright
