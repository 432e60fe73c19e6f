// How long planning takes, and how far it is from the bound. Goals: differential_structure for up to 64 ranks within 50
// ms; 50 operators for up to 1024 ranks within 300 ms; 500 operators for up to 4096 ranks within 10 s and 1 GiB.
// docs/accuracy.md has the figures.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "support/test_pipeline.hpp"
#include "support/test_profiles.hpp"
#include "tilewright/scheduler/planner.hpp"

namespace tilewright {
namespace {

const std::vector<std::string> convolution_keys{"convolve_separable"};

/// What blocks cost, at each end and with each packing.
void add_blocks(std::vector<PathCell>& cells, const MachineProfile& messages) {
  for (const Path path : all_paths) {
    for (const std::int64_t bytes : {0, 4096, 1 << 20}) {
      cells.push_back({path,
                       Layout::cc,
                       bytes,
                       {messages.path_seconds(path, Layout::cc, static_cast<double>(bytes))},
                       Packing::blocked});
    }
    for (const Layout layout : {Layout::nc, Layout::cn}) {
      for (const Packing packing : all_packings) {
        for (const std::int64_t bytes : {16384, 131072}) {
          for (std::int64_t block = 4; block <= 16384; block *= 4) {
            const double seconds = messages.path_seconds(path, Layout::cc, static_cast<double>(bytes)) +
                                   (packing == Packing::datatype ? 2e-8 : 5e-9) * static_cast<double>(bytes / block);
            for (const std::int64_t stride : {2 * block, 2 * block + 4096}) {
              cells.push_back({path, layout, bytes, {seconds}, packing, block, stride});
            }
          }
        }
      }
    }
  }
}

/// A third of an exchange stays when ranks compute meanwhile, and of what the root collects.
void add_overlapped(std::vector<PathCell>& paths) {
  for (const std::int64_t bytes : {0, 4096, 1 << 20}) {
    const double seconds = 2e-5 + 8e-10 * static_cast<double>(bytes);
    paths.push_back({Path::shift, Layout::cc, bytes, {seconds, 0, 0}, Packing::blocked});
    paths.push_back({Path::exposed, Layout::cc, bytes, {seconds / 3, 0, 0}, Packing::blocked});
    paths.push_back({Path::all_to_one, Layout::cc, bytes, {seconds, 0, 0}});
    paths.push_back({Path::collected, Layout::cc, bytes, {seconds / 3, 0, 0}, Packing::blocked});
  }
}

/// As a calibration makes it: messages with blocks and packings, and overlapped exchanges; every key for every pixel
/// type, numbers of taps and sizes of tiles.
MachineProfile calibrated_profile() {
  const MachineProfile messages = test::profile_of(
      {.latency_s = 2e-5, .seconds_per_byte = 8e-10, .sharing_s = 1e-5, .seconds_per_shared_byte = 2e-10});
  std::vector<PathCell> paths = messages.paths();
  add_blocks(paths, messages);
  add_overlapped(paths);
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

/// A fifth of those between nodes.
MachineProfile with_costs_within_nodes(const MachineProfile& profile) {
  std::vector<PathCell> paths = profile.paths();
  for (PathCell cell : profile.paths()) {
    cell.within_node = true;
    cell.time.seconds /= 5;
    cell.time.spread_s /= 5;
    paths.push_back(cell);
  }
  return {profile.name(), profile.fingerprint(), std::move(paths), profile.operators()};
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
    outputs.push_back(
        OutputRequest{OutputKind::reduce, bank.back(), nullptr, std::make_shared<test::TotalReduction>("sum", "sum")});
  }
  outputs.push_back(test::write(test::filter(bank, {.name = "sum", .work_keys = {"add"}}), "sum.tif"));
  return record(outputs);
}

/// Branches of filters and pointwise operators in turn, joined by one operator at the end.
Pipeline branches(const Extent& extent, int count, int length) {
  const Image in = test::source({.extent = extent, .work_key = "read_tiff"});
  std::vector<Image> ends;
  for (int branch = 0; branch < count; ++branch) {
    Image image = in;
    for (int i = 0; i < length; ++i) {
      const std::string name = "operator" + std::to_string(branch) + "_" + std::to_string(i);
      image = i % 2 == 0 ? derivative(image, name, 15 + 2 * (branch % 7))
                         : test::filter({image}, {.name = name, .work_keys = {"abs"}});
    }
    ends.push_back(image);
  }
  return record({test::write(test::filter(ends, {.name = "sum", .work_keys = {"add"}}), "sum.tif")});
}

enum class Curve { no, asked_for };
constexpr const char* plain = "p3pc";
constexpr const char* by_blocks = "p3pc-stride";

std::ptrdiff_t priced_alternatives(const Plan& plan) {
  return std::count_if(plan.alternatives.begin(), plan.alternatives.end(),
                       [](const Alternative& other) { return other.predicted_seconds.has_value(); });
}

/// Of this process so far.
double peak_mebibytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void plan(benchmark::State& state, const Pipeline& pipeline, const char* model_name = plain, Curve curve = Curve::no,
          int sharing_ranks = 1, bool maps = false) {
  const MachineProfile profile = maps ? with_costs_within_nodes(calibrated_profile()) : calibrated_profile();
  const auto model = make_cost_model(model_name, profile);
  const auto ranks = static_cast<int>(state.range(0));
  const SearchSpace space{.max_ranks = ranks,
                          .ranks_per_node = sharing_ranks,
                          .mappable_nodes = maps ? ranks / sharing_ranks : 1,
                          .sharing_ranks = sharing_ranks,
                          .cores_per_node = sharing_ranks,
                          .node_curve = curve == Curve::asked_for};
  Plan made;
  for (auto _ : state) made = plan_pipeline(pipeline, profile, *model, space);
  state.counters["gap_%"] = 100 * (*made.predicted_seconds / *made.lower_bound_seconds - 1);
  state.counters["priced"] = static_cast<double>(priced_alternatives(made));
  state.counters["alternatives"] = static_cast<double>(made.alternatives.size());
  state.counters["process_peak_MiB"] = peak_mebibytes();
}

void plan_differential_structure(benchmark::State& state) {
  plan(state, differential_structure({2048, 2048}));
}
BENCHMARK(plan_differential_structure)->Arg(1)->Arg(8)->Arg(64)->Arg(256)->Unit(benchmark::kMillisecond);

/// What the curve over node counts takes beyond that.
void plan_with_node_curve(benchmark::State& state) {
  plan(state, differential_structure({2048, 2048}), plain, Curve::asked_for);
}
BENCHMARK(plan_with_node_curve)->Arg(64)->Arg(256)->Unit(benchmark::kMillisecond);

void plan_fifty_operators(benchmark::State& state) {
  plan(state, branches({2048, 2048}, 7, 7));  // and the one that joins them
}
BENCHMARK(plan_fifty_operators)->Arg(64)->Arg(1024)->Unit(benchmark::kMillisecond);

void plan_fifty_operators_with_node_curve(benchmark::State& state) {
  plan(state, branches({2048, 2048}, 7, 7), plain, Curve::asked_for);
}
BENCHMARK(plan_fifty_operators_with_node_curve)->Arg(1024)->Unit(benchmark::kMillisecond);

/// By the default model, with three packings to choose from.
void plan_fifty_operators_by_blocks(benchmark::State& state) {
  plan(state, branches({2048, 2048}, 7, 7), by_blocks);
}
BENCHMARK(plan_fifty_operators_by_blocks)->Arg(1024)->Unit(benchmark::kMillisecond);

/// Filters that reach far along x, and far along y: every pair of grids is in question.
Pipeline wide_and_tall(const Extent& extent, int count, int length) {
  const Image in = test::source({.extent = extent, .work_key = "read_tiff"});
  std::vector<Image> ends;
  for (int branch = 0; branch < count; ++branch) {
    Image image = in;
    for (int i = 0; i < length; ++i) {
      const std::int64_t reach = 7 + branch;
      image = test::filter({image}, {.name = "operator" + std::to_string(branch) + "_" + std::to_string(i),
                                     .halo = i % 2 == 0 ? Halo{reach, 0} : Halo{0, reach},
                                     .work_keys = convolution_keys,
                                     .parameter = static_cast<double>(reach)});
    }
    ends.push_back(image);
  }
  return record({test::write(test::filter(ends, {.name = "sum", .work_keys = {"add"}}), "sum.tif")});
}

void plan_fifty_elongated_operators(benchmark::State& state) {
  plan(state, wide_and_tall({2048, 2048}, 7, 7), by_blocks);
}
BENCHMARK(plan_fifty_elongated_operators)->Arg(64)->Arg(1024)->Unit(benchmark::kMillisecond);
/// The same where the ranks of a node share memory.
void plan_fifty_operators_with_shared_memory(benchmark::State& state) {
  plan(state, branches({2048, 2048}, 7, 7), by_blocks, Curve::no, 16);
}
BENCHMARK(plan_fifty_operators_with_shared_memory)->Arg(1024)->Unit(benchmark::kMillisecond);

/// The same where nodes of eight cores may have fewer ranks than cores, and blocks of the grid.
void plan_fifty_operators_on_nodes_of_eight(benchmark::State& state) {
  plan(state, branches({2048, 2048}, 7, 7), by_blocks, Curve::no, 8, true);
}
BENCHMARK(plan_fifty_operators_on_nodes_of_eight)->Arg(64)->Arg(1024)->Unit(benchmark::kMillisecond);

/// Images with up to 4096 pixels a rank, as above.
void plan_five_hundred_operators(benchmark::State& state) {
  plan(state, branches({4096, 4096}, 20, 25));
}
BENCHMARK(plan_five_hundred_operators)->Arg(4096)->Unit(benchmark::kMillisecond);

void plan_five_hundred_operators_by_blocks(benchmark::State& state) {
  plan(state, branches({4096, 4096}, 20, 25), by_blocks);
}
BENCHMARK(plan_five_hundred_operators_by_blocks)->Arg(4096)->Unit(benchmark::kMillisecond);

void plan_filter_bank(benchmark::State& state) {
  plan(state, filter_bank({2048, 2048}, 36));
}
BENCHMARK(plan_filter_bank)->Arg(8)->Arg(64)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tilewright

BENCHMARK_MAIN();
