#include "shared_calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "common_cells.hpp"
#include "marked_samples.hpp"
#include "passes.hpp"
#include "sharing_runs.hpp"
#include "shuffled.hpp"
#include "tilewright/calibrate/fit.hpp"
#include "tilewright/calibrate/message_shape.hpp"
#include "tilewright/core/rounding.hpp"
#include "tilewright/core/units.hpp"
#include "tilewright/model/cell_names.hpp"

namespace tilewright {
namespace {

constexpr int fewest_passes = 4;
/// Longer copies, which would use up the others' time, have their turn in few of the passes.
constexpr std::int64_t longest_of_every_pass = 768 * 1024;
constexpr int passes_a_turn_of_long = 3;
constexpr double least_growth = 2.5;
/// Most images have such sides, and filters look some rows beyond their tiles. Messages of just half a MiB take a tenth
/// less than those with a row more, which are passed in more pieces. Half of 384 is the largest of them whose small run
/// stays in the own caches of cores that hold 2 MiB: between it and 256 a line tells what others take, and between 256
/// and 512 one tells half as much again.
constexpr std::array<std::int64_t, 5> image_sides{128, 256, 384, 512, 1024};
constexpr std::int64_t rows_beyond = 8;
/// Few caches hold it and what a run makes of it, and of those that do strangers take twice as much out of what is left
/// of it as of 1024.
constexpr std::int64_t large_image_side = 2048;
/// Hardly any cache holds it.
constexpr std::int64_t largest_image_side = 4096;

/// In values.
std::int64_t size_of_tile(std::int64_t image_side, int ranks) {
  return image_side * (rounded_up<std::int64_t>(image_side, ranks) / ranks + rows_beyond);
}

/// Those so far apart that a line between them tells the others: in the caches they take what their bytes take.
std::vector<std::int64_t> apart(std::vector<std::int64_t> sizes) {
  std::ranges::sort(sizes);
  std::vector<std::int64_t> some;
  for (const std::int64_t size : sizes) {
    if (some.empty() || static_cast<double>(size) >= least_growth * static_cast<double>(some.back()))
      some.push_back(size);
  }
  return some;
}

/// Of tiles that caches of single cores hold, and of those of images.
std::vector<std::int64_t> sizes_of(const PathEffort& effort, int ranks) {
  std::vector<std::int64_t> sizes = apart(effort.sizes);
  const auto shortest = static_cast<double>(size_of_tile(image_sides.front(), ranks));
  std::erase_if(sizes, [&](std::int64_t values) { return least_growth * static_cast<double>(values) > shortest; });
  for (const std::int64_t side : image_sides) sizes.push_back(size_of_tile(side, ranks));
  return sizes;
}

std::vector<PathCell> scatters_of(const Communicator& communicator, const PathEffort& effort) {
  const int ranks = communicator.sharing_ranks();
  std::vector<std::int64_t> some = sizes_of(effort, ranks);
  std::vector<std::int64_t> all = some;
  for (const std::int64_t side : {large_image_side, largest_image_side}) all.push_back(size_of_tile(side, ranks));
  std::vector<PathCell> scatters;
  const auto add = [&](Path path, Layout layout, const std::vector<std::int64_t>& sizes,
                       Packing packing = Packing::datatype) {
    const std::vector<PathCell> row = row_cells(path, layout, sizes, packing);
    scatters.insert(scatters.end(), row.begin(), row.end());
  };
  for (const Layout layout : {Layout::cc, Layout::nn}) add(Path::shared, layout, all);
  if (ranks < communicator.ranks()) return scatters;  // on several nodes; what messages take then is told by no cache
  for (const Layout layout : {Layout::cc, Layout::nn}) add(Path::shared_warm, layout, some);
  const auto from = [&](std::int64_t least_bytes, std::int64_t most_bytes = std::numeric_limits<std::int64_t>::max()) {
    std::vector<std::int64_t> sizes = some;
    std::erase_if(sizes, [&](std::int64_t values) {
      return values * value_bytes < least_bytes || values * value_bytes > most_bytes;
    });
    return sizes;
  };
  const std::vector<std::int64_t> of_single_cores = from(shortest_warm_message, longest_spilled);
  for (const Layout layout : {Layout::cc, Layout::nn}) add(Path::shared_spilled, layout, of_single_cores);
  for (const Packing packing : {Packing::datatype, Packing::manual})
    add(Path::message_scatter_spilled, Layout::cc, of_single_cores, packing);
  some.push_back(size_of_tile(large_image_side, ranks));  // of messages no cell says what they take cold
  for (const Packing packing : {Packing::datatype, Packing::manual})
    add(Path::message_scatter_rested, Layout::cc, from(shortest_rested), packing);
  for (const Packing packing : {Packing::datatype, Packing::manual}) {
    for (const Warm warm : {Warm::no, Warm::yes})
      add(path_of(Path::message_scatter, warm).value(), Layout::cc, from(shortest_warm_message), packing);
  }
  return scatters;
}

std::vector<PathCell> with_gathers(const std::vector<PathCell>& scatters) {
  std::vector<PathCell> all = scatters;
  for (const PathCell& scatter : scatters) {
    if (const auto gather = gather_of(scatter, scatters)) all.push_back(*gather);
  }
  return all;
}

struct Passes {
  int most = 1;
  double budget_s = 0;
  std::uint64_t seed = 1;
};

/// On the root.
using Keep = std::function<void(const PathCell&, const MarkedSample&)>;

/// Code and pages are had at their first use, in whatever way a scatter is warm.
void use_all(SharingRuns& runs, const std::vector<PathCell>& scatters) {
  std::set<std::string> used;
  for (const PathCell& scatter : scatters) {
    PathCell cold = scatter;
    cold.path = warm_path(scatter.path).cold;
    if (used.insert(cell_name(cold)).second) (void)runs.sample(scatter);
  }
}

void take_samples(const Communicator& communicator, const std::vector<PathCell>& scatters, const Passes& passes,
                  const Keep& keep) {
  SharingRuns runs(communicator, scatters);
  use_all(runs, scatters);
  ShuffleEngine engine(passes.seed);
  in_passes(communicator, {fewest_passes, std::max(fewest_passes, passes.most), passes.budget_s}, [&](int pass) {
    for (const std::size_t i : shuffled(scatters.size(), engine)) {
      const PathCell& scatter = scatters[i];
      if (scatter.bytes > longest_of_every_pass && pass % passes_a_turn_of_long != 0) continue;
      const auto [scattered, gathered] = runs.sample(scatter);
      if (!communicator.is_root()) continue;
      keep(scatter, scattered);
      if (const auto gather = gather_of(scatter, scatters)) keep(*gather, gathered);
    }
  });
}

}  // namespace

void calibrate_sharing(const Communicator& communicator, const PathEffort& effort, SampleLog& log, Progress& progress) {
  if (communicator.sharing_ranks() < 2) return;
  const std::vector<PathCell> scatters = scatters_of(communicator, effort);
  if (communicator.of_root(log.is_done(with_gathers(scatters), effort.budget_s))) return;
  const Passes passes{effort.passes, effort.budget_s, effort.seed};
  take_samples(communicator, scatters, passes, [&](const PathCell& cell, const MarkedSample& sample) {
    progress.tell(fmt::format("{} {}, {}", to_string(cell.path), to_string(cell.layout), format_bytes(cell.bytes)));
    log.add(cell_name(cell), sample.seconds, sample.disturbed);
  });
}

std::vector<PathCell> measure_sharing(const Communicator& communicator, std::vector<PathCell> scatters, int passes,
                                      double budget_s) {
  scatters = common_cells(communicator, scatters);
  if (scatters.empty() || communicator.sharing_ranks() < 2) return {};
  std::map<std::string, std::vector<MarkedSample>> samples;
  take_samples(communicator, scatters, {passes, budget_s},
               [&](const PathCell& cell, const MarkedSample& sample) { samples[cell_name(cell)].push_back(sample); });
  std::vector<PathCell> now;
  for (const auto& [name, own] : samples) {
    now.push_back(*path_cell_named(name));
    now.back().time = fit(counted(own));
  }
  return now;
}

}  // namespace tilewright
