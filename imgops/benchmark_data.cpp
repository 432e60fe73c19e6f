#include "benchmark_data.hpp"

#include "tilewright/imgops/files.hpp"

namespace tilewright {

Raster benchmark_raster(const Extent& tile, const Halo& halo, PixelType type) {
  Raster raster(rect_of(tile), halo, {type, 1});
  const Rect stored = raster.stored();
  with_type(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::int64_t y = stored.y0; y < stored.y1; ++y) {
      for (std::int64_t x = stored.x0; x < stored.x1; ++x) {
        const std::int64_t smooth = (x - stored.x0) / 4 + (y - stored.y0) / 3;
        const std::int64_t texture = (x * x + 3 * x * y + 7 * y * y) % 5;
        *raster.at<T>(x, y) = static_cast<T>(((smooth + texture) % 256 + 256) % 256);
      }
    }
  });
  return raster;
}

Image benchmark_image(const Extent& tile, PixelType type) {
  return Image(assumed_file("benchmark", ImageShape{tile, {type, 1}}));
}

PreparedBenchmark operator_benchmark(const Image& result) {
  struct Data {
    std::shared_ptr<const Operator> op;
    std::vector<Raster> inputs;
    std::vector<ConstView> views;
    Raster output;
  };
  const auto data = std::make_shared<Data>();
  data->op = result.node()->op;
  std::vector<ImageShape> shapes;
  for (const auto& input : result.node()->inputs) {
    shapes.push_back(input->shape);
    data->inputs.push_back(benchmark_raster(input->shape.extent, data->op->halo(), input->shape.format.type));
  }
  for (const Raster& input : data->inputs) data->views.push_back(input.view());
  data->output = Raster(result.shape());
  return {[data] { data->op->compute(data->views, data->output.view(), {}); },
          data->op->work(shapes, result.shape().extent).front().units};
}

}  // namespace tilewright
