#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>

#include "benchmark_data.hpp"
#include "benchmark_parameters.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/imgops/arithmetic.hpp"
#include "tilewright/imgops/convolution.hpp"
#include "tilewright/imgops/gaussian.hpp"

namespace tilewright {
namespace {

/// In x and y together, from two small kernels to those of a large scale. The paper's kernels at sigma 1, 3 and 5 lie
/// between, and so does the number from which a pixel costs more to compute than to fetch.
const std::vector<double> tap_counts{6, 18, 30, 46, 78, 198};
/// Of filters with nearly all taps along the rows.
const std::vector<double> row_tap_counts{18, 78, 198};
const std::vector<double> areas{9, 49, 225};
/// Of jets and pairs: those of the paper, and a large one.
const std::vector<double> sigmas{1, 3, 5, 8};

/// The whole filter: its two halves would each have the caches to themselves, and sum up to less.
PreparedBenchmark two_kernels(PixelType type, double taps, const Extent& tile) {
  const std::vector<double> kernel(static_cast<std::size_t>(taps / 2), 2 / taps);
  return operator_benchmark({convolve_separable(benchmark_image(tile, type), kernel, kernel)});
}

PreparedBenchmark mostly_in_rows(PixelType type, double taps, const Extent& tile) {
  const std::vector<double> along_x(static_cast<std::size_t>(taps) - few_taps, 1 / taps), along_y(few_taps, 1 / taps);
  return operator_benchmark({convolve_separable(benchmark_image(tile, type), along_x, along_y)});
}

/// The derivatives of one image that are computed together.
struct Derivatives {
  std::vector<std::pair<int, int>> orders;  ///< along x and y

  [[nodiscard]] std::vector<Image> of(const Image& image, double sigma) const {
    std::vector<Image> results;
    for (const auto& [x, y] : orders) {
      results.push_back(gaussian_derivative(image, {.sigma = sigma, .order_x = x, .order_y = y}));
    }
    return results;
  }

  /// A result, as SeparableJet counts them: a row kernel that several results share counts once.
  [[nodiscard]] double taps(double sigma) const {
    double sum = 0;
    for (auto order = orders.begin(); order != orders.end(); ++order) {
      const bool is_new =
          std::none_of(orders.begin(), order, [&](const auto& before) { return before.first == order->first; });
      if (is_new) sum += taps_of(sigma, order->first);
      sum += taps_of(sigma, order->second);
    }
    return sum / static_cast<double>(orders.size());
  }

  [[nodiscard]] std::vector<double> parameters() const {
    std::vector<double> all;
    for (const double sigma : sigmas) all.push_back(taps(sigma));
    return all;
  }

  /// Kernels of one length would share more than those of derivatives do, whose length grows with the order.
  [[nodiscard]] PreparedBenchmark benchmark(PixelType type, double taps_a_result, const Extent& tile) const {
    return operator_benchmark(at(benchmark_image(tile, type), taps_a_result));
  }

  /// With so many taps a result.
  [[nodiscard]] std::vector<Image> at(const Image& image, double taps_a_result) const {
    const auto sigma =
        std::find_if(sigmas.begin(), sigmas.end(), [&](double one) { return taps(one) == taps_a_result; });
    if (sigma == sigmas.end()) throw InternalError(fmt::format("benchmark of derivatives: {} taps", taps_a_result));
    return of(image, *sigma);
  }

 private:
  static double taps_of(double sigma, int order) { return 2 * gaussian_radius(sigma, order) + 1; }
};

/// Three row kernels and five results.
const Derivatives jet{{{1, 0}, {0, 1}, {2, 0}, {1, 1}, {0, 2}}};
/// Two row kernels and two results.
const Derivatives gradient{{{1, 0}, {0, 1}}};

PreparedBenchmark joined_pair(PixelType type, double taps, const Extent& tile) {
  const std::vector<Image> both = gradient.at(benchmark_image(tile, type), taps);
  return operator_benchmark({both[0] + both[1]});
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
  std::vector<OperatorBenchmark> list{
      {"convolve_separable", all, tap_counts, two_kernels},
      {"convolve_separable_rows", {PixelType::f32}, row_tap_counts, mostly_in_rows},
      {"convolve_pair", all, gradient.parameters(), std::bind_front(&Derivatives::benchmark, &gradient)},
      {"convolve_joined_pair", {PixelType::f32}, gradient.parameters(), joined_pair},
      {"convolve_jet", all, jet.parameters(), std::bind_front(&Derivatives::benchmark, &jet)},
      {"convolve_2d", all, areas, square_kernel}};
  for (OperatorBenchmark& benchmark : list) benchmark.is_shared_by_threads = true;
  return list;
}

}  // namespace tilewright
