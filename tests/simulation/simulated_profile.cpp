#include "simulated_profile.hpp"

#include <algorithm>

#include "path_bench.hpp"
#include "tilewright/calibrate/fit.hpp"
#include "tilewright/calibrate/message_shape.hpp"

namespace tilewright::simulation {
namespace {

/// Without warm-up, and long: SimGrid lets all small messages of a stream share the wire as equals, so that they come
/// late and then all at once. The mean over the whole stream is right, the latency of its first message vanishes in it.
constexpr std::int64_t rounds_of_small = 500;
constexpr std::int64_t rounds_of_large = 20;
constexpr std::int64_t values_of_large = 16384;

double seconds_of(PathBench& bench, Path path, std::int64_t values) {
  const std::int64_t rounds = values < values_of_large ? rounds_of_small : rounds_of_large;
  return bench.measure({{path, Layout::cc, values * value_bytes, {}}, 0, rounds}).seconds;
}

/// Simulated time has no noise, so one sample is enough.
std::vector<PathCell> cells_of(PathBench& bench, const std::vector<std::int64_t>& sizes) {
  std::vector<PathCell> cells;
  const double empty_round_trip = seconds_of(bench, Path::full, 0);
  for (const Path path : all_paths) {
    for (const std::int64_t values : sizes) {
      const double seconds = seconds_of(bench, path, values);
      Estimate time = fit({&seconds, 1});
      if (path == Path::full) {
        time = values == 0 ? fit_empty_full({&seconds, 1}) : fit_full({&seconds, 1}, {&empty_round_trip, 1});
      }
      cells.push_back({path, Layout::cc, values * value_bytes, time});
    }
  }
  return cells;
}

}  // namespace

MachineProfile measure_profile(const Communicator& communicator, const std::vector<std::int64_t>& sizes) {
  std::vector<PathCell> cells;
  if (communicator.rank() < 2) {
    PathBench bench(communicator, {communicator.is_root() ? 1 : 0},
                    value_bytes * *std::max_element(sizes.begin(), sizes.end()));
    if (communicator.is_root()) {
      cells = cells_of(bench, sizes);
      bench.release();
    } else {
      bench.serve();
    }
  }
  communicator.barrier();
  return {"simulated", {}, std::move(cells), {}};
}

}  // namespace tilewright::simulation
