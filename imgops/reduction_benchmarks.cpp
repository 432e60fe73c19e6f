#include <iterator>

#include "benchmark_data.hpp"
#include "tilewright/imgops/reductions.hpp"

namespace tilewright {
namespace {

PreparedBenchmark reduction_benchmark(const Reduction& reduction) {
  struct Data {
    std::shared_ptr<const ReductionMethod> method;
    Raster pixels;
    std::vector<std::byte> partial;
  };
  const ImageShape& image = reduction.image.shape();
  const auto data = std::make_shared<Data>(Data{reduction.method, benchmark_raster(image.extent, {}, image.format.type),
                                                std::vector<std::byte>(reduction.method->partial_bytes(image.format))});
  return {[data] { data->method->accumulate(data->pixels.view(), data->partial); },
          reduction.method->work(image, image.extent).front().units};
}

PreparedBenchmark exact_sum(PixelType type, double /*parameter*/, const Extent& tile) {
  return reduction_benchmark(sum(benchmark_image(tile, type)));
}

PreparedBenchmark extreme(PixelType type, double /*parameter*/, const Extent& tile) {
  return reduction_benchmark(max(benchmark_image(tile, type)));
}

}  // namespace

std::vector<OperatorBenchmark> reduction_benchmarks() {
  const std::vector<PixelType> all(std::begin(all_pixel_types), std::end(all_pixel_types));
  return {{"reduce_sum", all, {0}, exact_sum}, {"reduce_minmax", all, {0}, extreme}};
}

}  // namespace tilewright
