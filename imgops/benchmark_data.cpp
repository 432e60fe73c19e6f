#include "benchmark_data.hpp"

#include <algorithm>
#include <utility>

#include "storing.hpp"
#include "tilewright/imgops/files.hpp"
#include "tilewright/imgops/fusion.hpp"

namespace tilewright {

Raster benchmark_raster(const Extent& tile, const Halo& halo, PixelType type) {
  Raster raster(rect_of(tile), halo, {type, 1});
  const Rect stored = raster.stored();
  with_type(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto height = static_cast<std::int32_t>(stored.height());
    const auto width = static_cast<std::int32_t>(stored.width());
    for (std::int32_t j = 0; j < height; ++j) {
      T* row = raster.at<T>(stored.x0, stored.y0 + j);
      for (std::int32_t i = 0; i < width; ++i) row[i] = static_cast<T>((i / 4 + j / 4 + ((3 * i ^ 5 * j) & 7)) & 255);
    }
  });
  return raster;
}

Image benchmark_image(const Extent& tile, PixelType type) {
  return Image(assumed_file("benchmark", ImageShape{tile, {type, 1}}));
}

namespace {

std::int64_t bytes_of_all(const std::vector<ImageShape>& images) {
  std::int64_t bytes = 0;
  for (const ImageShape& image : images) bytes += image.bytes();
  return bytes;
}

std::size_t turns(std::int64_t bytes, std::int64_t enough_bytes, std::int64_t most) {
  return static_cast<std::size_t>(std::clamp<std::int64_t>(enough_bytes / std::max<std::int64_t>(1, bytes), 1, most));
}

}  // namespace

std::size_t input_turns(const std::vector<ImageShape>& inputs) {
  constexpr std::int64_t enough_bytes = std::int64_t{16} << 20;  // a core's part of a large last cache
  constexpr std::int64_t piece_bytes = 128 << 10;
  const std::int64_t bytes = bytes_of_all(inputs);
  if (bytes >= streamed_bytes) return input_turns_in_memory(inputs);
  return bytes <= piece_bytes ? 1 : turns(bytes, enough_bytes, 4);
}

std::size_t input_turns_in_memory(const std::vector<ImageShape>& inputs) {
  constexpr std::int64_t enough_bytes = std::int64_t{64} << 20;  // twice a large last cache
  return turns(bytes_of_all(inputs), enough_bytes, 16);
}

namespace {

/// Making pixels takes several times longer.
Raster copy_of(const Raster& raster) {
  Raster copy(raster.area(), raster.halo(), raster.format());
  copy_pixels(raster.view(), copy.view(), raster.stored());
  return copy;
}

}  // namespace

PreparedBenchmark operator_benchmark(const std::vector<Image>& results, InputAge age) {
  struct Data {
    std::shared_ptr<const Operator> op;
    std::vector<std::vector<Raster>> inputs;
    std::vector<std::vector<ConstView>> views;
    std::vector<ImageShape> shapes;
    std::vector<Raster> outputs;
    std::size_t turn = 0;
  };
  const auto data = std::make_shared<Data>();
  std::vector<OutputRequest> wishes;
  for (const Image& result : results) wishes.push_back({OutputKind::keep, result, nullptr, nullptr});
  const Pipeline pipeline = fused(record(wishes));
  const auto made = static_cast<int>(pipeline.images.size() - results.size());
  data->op = pipeline.images.back().op;
  if (data->op->results() != results.size()) throw InternalError("benchmark: its images are not made in one pass");
  const std::vector<ImageShape> shapes = pipeline.input_shapes(made);
  const bool are_just_made = age == InputAge::just_made && bytes_of_all(shapes) < streamed_bytes;
  data->inputs.resize(are_just_made ? 1 : input_turns(shapes));
  const Halo halo = data->op->makes_border() ? Halo{} : data->op->halo();
  for (std::vector<Raster>& set : data->inputs) {
    std::vector<ConstView>& views = data->views.emplace_back();
    for (const ImageShape& shape : shapes) {
      const bool is_first = &set == &data->inputs.front();
      set.push_back(is_first ? benchmark_raster(shape.extent, halo, shape.format.type)
                             : copy_of(data->inputs.front()[set.size()]));
      views.push_back(std::as_const(set.back()).view());
    }
  }
  for (const Image& result : results) data->shapes.push_back(result.shape());
  // Images are made as the runtime makes them: in memory that others have left.
  const auto run_shared = [data](int threads) {
    std::vector<Raster> outputs;
    std::vector<MutableView> targets;
    for (const ImageShape& shape : data->shapes) targets.push_back(outputs.emplace_back(shape).view());
    data->op->compute_all(data->views[++data->turn % data->views.size()], targets, {threads});
    data->outputs = std::move(outputs);
  };
  // The kernel hands memory out, and clears it, when it is first touched: that is no part of the operator.
  for (int i = 0; i < output_turns; ++i) run_shared(1);
  return {[run_shared] { run_shared(1); }, data->op->work(shapes, results.front().shape().extent).front().units,
          run_shared};
}

}  // namespace tilewright
