#include <iterator>

#include "benchmark_data.hpp"
#include "tilewright/imgops/reductions.hpp"
#include "tilewright/pipeline/accumulation.hpp"

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
  const auto run_shared = [data](int threads) {
    accumulate(*data->method, data->pixels.view(), data->partial, {threads});
  };
  return {[run_shared] { run_shared(1); }, reduction.method->work(image, image.extent).front().units, run_shared};
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
  std::vector<OperatorBenchmark> list{{"reduce_sum", all, {0}, exact_sum}, {"reduce_minmax", all, {0}, extreme}};
  for (OperatorBenchmark& benchmark : list) benchmark.is_shared_by_threads = true;
  return list;
}

}  // namespace tilewright
