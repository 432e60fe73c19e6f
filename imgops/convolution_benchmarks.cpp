#include <cmath>
#include <iterator>

#include "benchmark_data.hpp"
#include "row_convolution.hpp"
#include "tilewright/imgops/convolution.hpp"

namespace tilewright {
namespace {

/// From a small kernel to that of a large scale; the paper's kernels at sigma 1, 3 and 5 lie between.
const std::vector<double> tap_counts{3, 9, 23, 39, 99};
const std::vector<double> areas{9, 49, 225};

Correlation mean_kernel(double taps) {
  const auto size = static_cast<std::int64_t>(taps);
  return {std::vector<double>(static_cast<std::size_t>(size), 1 / taps), -(size / 2)};
}

/// Calls action(x, pixels) for the strips in which a filter works.
template <class T, class Action>
void for_each_strip(const Correlation& kernel, std::int64_t width, const Action& action) {
  const std::int64_t strip = strip_values(kernel.size(), sizeof(T));
  for (std::int64_t x = 0; x < width; x += strip) action(x, std::min(strip, width - x));
}

/// The row half of a filter: results go into a ring of rows, as they do there.
template <class T>
PreparedBenchmark rows_benchmark(PixelType type, double taps, const Extent& tile) {
  struct Data {
    Correlation kernel;
    Raster source;
    RowConvolution<T> rows;
    ColumnConvolution<T> ring;
  };
  const Correlation kernel = mean_kernel(taps);
  const auto data =
      std::make_shared<Data>(Data{kernel, benchmark_raster(tile, {kernel.reach(), 0}, type),
                                  RowConvolution<T>(kernel, 1, tile.width), ColumnConvolution<T>(kernel, tile.width)});
  const auto run = [data, tile] {
    const ConstView source = data->source.view();
    for_each_strip<T>(data->kernel, tile.width, [&](std::int64_t x, std::int64_t pixels) {
      for (std::int64_t y = 0; y < tile.height; ++y) data->rows.run(source, x, y, pixels, data->ring.row(y));
    });
  };
  return {run, static_cast<double>(tile.pixels())};
}

/// The column half of a filter.
template <class T>
PreparedBenchmark columns_benchmark(double taps, const Extent& tile) {
  struct Data {
    Correlation kernel;
    ColumnConvolution<T> columns;
    Raster target;
  };
  const Correlation kernel = mean_kernel(taps);
  const PixelType type = pixel_type_of<T>;
  const auto data =
      std::make_shared<Data>(Data{kernel, ColumnConvolution<T>(kernel, tile.width), benchmark_raster(tile, {}, type)});
  for (std::int64_t y = 0; y < kernel.size(); ++y) std::fill_n(data->columns.row(y), tile.width, static_cast<T>(y));
  const auto run = [data, tile] {
    for_each_strip<T>(data->kernel, tile.width, [&](std::int64_t x, std::int64_t pixels) {
      for (std::int64_t y = 0; y < tile.height; ++y) data->columns.run(y, pixels, data->target.template at<T>(x, y));
    });
  };
  return {run, static_cast<double>(tile.pixels())};
}

PreparedBenchmark rows(PixelType type, double taps, const Extent& tile) {
  return type == PixelType::f64 ? rows_benchmark<double>(type, taps, tile) : rows_benchmark<float>(type, taps, tile);
}

PreparedBenchmark columns(PixelType type, double taps, const Extent& tile) {
  return type == PixelType::f64 ? columns_benchmark<double>(taps, tile) : columns_benchmark<float>(taps, tile);
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
  return {{"convolve_rows", all, tap_counts, rows},
          {"convolve_columns", {PixelType::f32, PixelType::f64}, tap_counts, columns},
          {"convolve_2d", all, areas, square_kernel}};
}

}  // namespace tilewright
