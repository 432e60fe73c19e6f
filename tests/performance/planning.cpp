// How long planning takes: the pipeline of differential_structure for up to 64 ranks must be planned within 50 ms, and
// a bank of filters that exceeds max_states must not take much longer. The goal for 50 operators on up to 1024 ranks is
// 300 ms, which is far from met: nearly all of the time goes into making and pricing the schedules of some 7000 grids.
#include <benchmark/benchmark.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/test_pipeline.hpp"
#include "support/test_profiles.hpp"
#include "tilewright/scheduler/planner.hpp"

namespace tilewright {
namespace {

const std::vector<std::string> convolution_keys{"convolve_separable"};

/// As a calibration makes it: every key for every pixel type, numbers of taps and sizes of tiles.
MachineProfile calibrated_profile() {
  const MachineProfile messages = test::profile_of({.latency_s = 2e-5, .seconds_per_byte = 8e-10});
  std::vector<PathCell> paths = messages.paths();
  for (PathCell& cell : paths) cell.time = {cell.time.seconds, 0.05 * cell.time.seconds, 20};
  std::vector<OperatorCell> cells;
  for (const char* key : {"convolve_separable", "add", "subtract", "multiply", "divide", "sqrt", "abs", "convert_f32",
                          "copy", "read_tiff", "write_tiff", "write_png", "sum", "minimum"}) {
    for (const PixelType type : all_pixel_types) {
      const bool taps = std::string(key).starts_with("convolve");
      for (const double parameter : taps ? std::vector<double>{3, 7, 15, 23, 39, 63} : std::vector<double>{0}) {
        for (const double pixels : {4096.0, 65536.0, 1048576.0, 4194304.0}) {
          const double seconds = 1e-9 * (1 + parameter) * std::log(pixels);
          cells.push_back({key, type, parameter, pixels, {seconds, 0.05 * seconds, 20}});
        }
      }
    }
  }
  return {"calibrated", {}, std::move(paths), std::move(cells)};
}

Image derivative(const Image& in, const std::string& name, double taps) {
  const auto reach = static_cast<std::int64_t>(taps / 2);
  return test::filter({in}, {.name = name, .halo = {reach, reach}, .work_keys = convolution_keys, .parameter = taps});
}

/// Five derivatives and the gradient magnitude, each written.
Pipeline differential_structure(const Extent& extent) {
  const Image in = test::source({.extent = extent, .work_key = "read_tiff"});
  const Image lx = derivative(in, "gaussian_derivative(sigma=3, order_x=1, order_y=0, truncation=automatic)", 23);
  const Image ly = derivative(in, "gaussian_derivative(sigma=3, order_x=0, order_y=1, truncation=automatic)", 23);
  std::vector<OutputRequest> outputs{test::write(lx, "Lx.tif"), test::write(ly, "Ly.tif")};
  for (const char* name : {"Lxx", "Lxy", "Lyy"}) outputs.push_back(test::write(derivative(in, name, 25), name));
  const Image xx = test::filter({lx, lx}, {.name = "multiply", .work_keys = {"multiply"}});
  const Image yy = test::filter({ly, ly}, {.name = "multiply", .work_keys = {"multiply"}});
  const Image squared = test::filter({xx, yy}, {.name = "add", .work_keys = {"add"}});
  const Image magnitude = test::filter({squared}, {.name = "sqrt", .work_keys = {"sqrt"}});
  const Image scaled = test::filter({magnitude}, {.name = "multiply_constant", .work_keys = {"multiply"}});
  outputs.push_back(
      test::write(test::filter({scaled}, {.name = "convert", .work_keys = {"convert_f32"}}), "magnitude"));
  return record(outputs);
}

/// `size` filters of one image that all live until they are combined.
Pipeline filter_bank(const Extent& extent, int size) {
  const Image in = test::source({.extent = extent, .work_key = "read_tiff"});
  std::vector<Image> bank;
  std::vector<OutputRequest> outputs;
  for (int i = 0; i < size; ++i) {
    bank.push_back(derivative(in, "filter" + std::to_string(i), 15 + 2 * (i % 4)));
    outputs.push_back(test::reduce(bank.back()));
  }
  outputs.push_back(test::write(test::filter(bank, {.name = "sum", .work_keys = {"add"}}), "sum.tif"));
  return record(outputs);
}

/// 50 operators: seven branches of filters and pointwise operators in turn, joined at the end.
Pipeline fifty_operators(const Extent& extent) {
  const Image in = test::source({.extent = extent, .work_key = "read_tiff"});
  std::vector<Image> ends;
  for (int branch = 0; branch < 7; ++branch) {
    Image image = in;
    for (int i = 0; i < 7; ++i) {
      const std::string name = "operator" + std::to_string(branch) + "_" + std::to_string(i);
      image = i % 2 == 0 ? derivative(image, name, 15 + 2 * branch)
                         : test::filter({image}, {.name = name, .work_keys = {"abs"}});
    }
    ends.push_back(image);
  }
  return record({test::write(test::filter(ends, {.name = "sum", .work_keys = {"add"}}), "sum.tif")});
}

enum class Curve { no, asked_for };

void plan(benchmark::State& state, const Pipeline& pipeline, Curve curve = Curve::no) {
  const MachineProfile profile = calibrated_profile();
  const auto model = make_cost_model("p3pc", profile);
  const SearchSpace space{.max_ranks = static_cast<int>(state.range(0)), .node_curve = curve == Curve::asked_for};
  for (auto _ : state) benchmark::DoNotOptimize(plan_pipeline(pipeline, profile, *model, space));
}

void plan_differential_structure(benchmark::State& state) {
  plan(state, differential_structure({2048, 2048}));
}
BENCHMARK(plan_differential_structure)->Arg(1)->Arg(8)->Arg(64)->Arg(256)->Unit(benchmark::kMillisecond);

/// What the curve over node counts takes beyond that.
void plan_with_node_curve(benchmark::State& state) {
  plan(state, differential_structure({2048, 2048}), Curve::asked_for);
}
BENCHMARK(plan_with_node_curve)->Arg(64)->Arg(256)->Unit(benchmark::kMillisecond);

void plan_fifty_operators(benchmark::State& state) {
  plan(state, fifty_operators({2048, 2048}));
}
BENCHMARK(plan_fifty_operators)->Arg(64)->Arg(1024)->Unit(benchmark::kMillisecond);

void plan_filter_bank(benchmark::State& state) {
  plan(state, filter_bank({2048, 2048}, 36));
}
BENCHMARK(plan_filter_bank)->Arg(8)->Arg(64)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tilewright

BENCHMARK_MAIN();
