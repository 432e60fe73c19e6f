#include <functional>
#include <iterator>

#include "benchmark_data.hpp"
#include "benchmark_parameters.hpp"
#include "tilewright/core/border_fill.hpp"
#include "tilewright/imgops/arithmetic.hpp"

namespace tilewright {
namespace {

/// What is copied is mostly what a program has held for long; a last cache holds such a one, if it is small.
constexpr std::int64_t smallest_source_in_memory = std::int64_t{4} << 20;

PreparedBenchmark copy(PixelType type, double /*parameter*/, const Extent& tile) {
  struct Data {
    std::vector<Raster> sources, targets;
    std::size_t turn = 0;
  };
  const auto data = std::make_shared<Data>();
  const Raster pixels = benchmark_raster(tile, {}, type);
  const ImageShape shape{tile, {type, 1}};
  const std::size_t turns =
      shape.bytes() >= smallest_source_in_memory ? input_turns_in_memory({shape}) : input_turns({shape});
  for (std::size_t i = 0; i < turns; ++i) data->sources.push_back(pixels.copy());
  // Pitches differ, as those of a tile and of a whole image do.
  for (int i = 0; i < output_turns; ++i) data->targets.push_back(benchmark_raster(tile, {8, 0}, type));
  const auto run = [data] {
    ++data->turn;
    const Raster& source = data->sources[data->turn % data->sources.size()];
    copy_pixels(source.view(), data->targets[data->turn % data->targets.size()].view(), source.area());
  };
  return {run, static_cast<double>(tile.pixels())};
}

/// Of what such an operator combines, something was made a while ago.
PreparedBenchmark pointwise_benchmark(const Image& result) {
  return operator_benchmark({result}, InputAge::older);
}

/// As deep as small filters reach, and as those of larger scales do.
const std::vector<double> halo_depths{1, 4, 12, 32};

/// A unit is a pixel outside of the image. A thin halo costs more a pixel, for it costs something a row.
PreparedBenchmark border(PixelType type, double depth, const Extent& tile) {
  const auto reach = static_cast<std::int64_t>(depth);
  const Halo halo{reach, reach};
  const auto data = std::make_shared<Raster>(benchmark_raster(tile, halo, type));
  const auto run = [data, tile, halo] { fill_border(data->view(), tile, halo, Border::reflect101, 0); };
  return {run, static_cast<double>(padded(rect_of(tile), halo).pixels() - tile.pixels())};
}

PreparedBenchmark binary(PixelType type, double /*parameter*/, const Extent& tile) {
  return pointwise_benchmark(benchmark_image(tile, type) * benchmark_image(tile, type));
}

PreparedBenchmark unary(PixelType type, double /*parameter*/, const Extent& tile) {
  return pointwise_benchmark(benchmark_image(tile, type) * 0.5);
}

PreparedBenchmark square_root(PixelType type, double /*parameter*/, const Extent& tile) {
  return pointwise_benchmark(sqrt(benchmark_image(tile, type)));
}

PreparedBenchmark compare(PixelType type, double /*parameter*/, const Extent& tile) {
  return pointwise_benchmark(threshold(benchmark_image(tile, type), {.level = 100}));
}

/// Rounds of instructions so many that reading and storing the image count little beside them.
constexpr int rounds = 32;

/// A unit is an instruction in registers.
PreparedBenchmark in_registers(const Image& result, int instructions_a_round) {
  PreparedBenchmark benchmark = operator_benchmark({result});
  benchmark.units *= rounds * instructions_a_round;
  return benchmark;
}

template <class Round>
PreparedBenchmark in_registers(PixelType type, const Extent& tile, int instructions_a_round, const Round& round) {
  Image result = benchmark_image(tile, type);
  for (int i = 0; i < rounds; ++i) result = round(result);
  return in_registers(result, instructions_a_round);
}

/// As a bank of oriented filters has most of them: a scaled image, two more that are scaled and added, a maximum, and
/// the keeping of the one before. Four of the five read a row.
constexpr int arithmetic_instructions = 5;
PreparedBenchmark fused_arithmetic(PixelType type, double /*parameter*/, const Extent& tile) {
  const Image a = benchmark_image(tile, type);
  const Image b = a * 0.7, c = a * 0.6;
  Image strongest = a;
  for (int i = 1; i <= rounds; ++i) strongest = max(strongest, a * (0.02 * i) + b * (0.01 * i) + c * (1 - 0.02 * i));
  return in_registers(strongest, arithmetic_instructions);
}

using SlowOperation = Image (*)(const Image&);
Image root(const Image& image) {
  return sqrt(image);
}
Image quotient(const Image& image) {
  return image / 1.01;
}

PreparedBenchmark one_after_the_other(SlowOperation slow, PixelType type, double /*parameter*/, const Extent& tile) {
  constexpr int in_a_row = 4;
  return in_registers(type, tile, in_a_row, [slow](Image image) {
    for (int i = 0; i < in_a_row; ++i) image = slow(image);
    return image;
  });
}

/// A product and a sum, and the keeping of what it is added to.
PreparedBenchmark beside_others(SlowOperation slow, PixelType type, double /*parameter*/, const Extent& tile) {
  static_assert(instructions_beside == 3);
  return in_registers(type, tile, 1 + instructions_beside,
                      [slow](const Image& image) { return slow(image * 0.51 + image); });
}

/// `bytes`: of a value of the type that is converted to.
PreparedBenchmark conversion(PixelType type, double bytes, const Extent& tile) {
  for (const PixelType target : all_pixel_types) {
    if (static_cast<double>(bytes_of(target)) == bytes) {
      return pointwise_benchmark(convert(benchmark_image(tile, type), target, {.scale = 0.5, .offset = 1}));
    }
  }
  throw InternalError("benchmark of convert: no type has that many bytes");
}

}  // namespace

std::vector<OperatorBenchmark> pointwise_benchmarks() {
  const std::vector<PixelType> all(std::begin(all_pixel_types), std::end(all_pixel_types));
  const std::vector<PixelType> computing{PixelType::f32, PixelType::f64};
  std::vector<OperatorBenchmark> list{
      {"copy", all, {0}, copy},
      {"fill_border", all, halo_depths, border},
      {"pointwise_binary", all, {0}, binary},
      {"pointwise_unary", all, {0}, unary},
      {"sqrt", all, {0}, square_root},
      {"threshold", all, {0}, compare},
      {"fused_arithmetic", computing, {0}, fused_arithmetic},
      {"fused_division", computing, {0}, std::bind_front(one_after_the_other, quotient)},
      {"fused_division_beside", computing, {0}, std::bind_front(beside_others, quotient)},
      {"fused_sqrt", computing, {0}, std::bind_front(one_after_the_other, root)},
      {"fused_sqrt_beside", computing, {0}, std::bind_front(beside_others, root)},
      {"convert", all, {1, 2, 4, 8}, conversion}};
  for (OperatorBenchmark& benchmark : list) {
    benchmark.is_shared_by_threads = benchmark.key != "copy" && benchmark.key != "fill_border";
  }
  return list;
}

}  // namespace tilewright
