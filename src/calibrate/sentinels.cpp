#include "tilewright/calibrate/sentinels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "operator_calibration.hpp"
#include "operator_merge.hpp"
#include "tilewright/calibrate/messages.hpp"
#include "tilewright/model/cell_names.hpp"

namespace tilewright {
namespace {

constexpr double noticeable = 0.25;
constexpr double spreads_apart = 3;
constexpr std::int64_t side = 256;
constexpr int samples = 15;
constexpr double share_of_messages = 0.6;

/// The profile's contiguous cell of that path whose size is nearest.
void add_nearest(const MachineProfile& profile, Path path, std::int64_t bytes, std::vector<PathCell>& found) {
  const PathCell* nearest = nullptr;
  for (const PathCell& cell : profile.paths()) {
    const bool fits = cell.path == path && cell.layout == Layout::cc && cell.packing == Packing::datatype;
    if (!fits || cell.within_node) continue;
    if (nearest == nullptr || std::abs(cell.bytes - bytes) < std::abs(nearest->bytes - bytes)) nearest = &cell;
  }
  if (nearest != nullptr) found.push_back(*nearest);
}

void add_shortest_blocks(const MachineProfile& profile, std::vector<PathCell>& found) {
  const PathCell* shortest = nullptr;
  for (const PathCell& cell : profile.paths()) {
    const bool fits = cell.path == Path::full && cell.layout == Layout::nc && cell.packing == Packing::datatype;
    if (!fits || cell.has_paper_blocks() || cell.within_node) continue;
    if (shortest == nullptr || cell.block_bytes < shortest->block_bytes) shortest = &cell;
  }
  if (shortest != nullptr) found.push_back(*shortest);
}

/// The benchmark of one cell alone.
std::optional<OperatorBenchmark> benchmark_of(const OperatorCell& cell) {
  for (OperatorBenchmark benchmark : operator_benchmarks()) {
    if (benchmark.key != cell.key) continue;
    benchmark.types = {cell.type};
    benchmark.parameters = {cell.parameter};
    return benchmark;
  }
  return std::nullopt;
}

}  // namespace

bool Sentinel::has_drifted() const {
  const double difference = std::abs(now.seconds - then.seconds);
  return difference > noticeable * then.seconds && difference > spreads_apart * (now.spread_s + then.spread_s);
}

std::vector<PathCell> sentinel_messages(const MachineProfile& profile) {
  std::vector<PathCell> found;
  for (const std::int64_t bytes : {0, 8192, 400000}) add_nearest(profile, Path::full, bytes, found);
  add_nearest(profile, Path::send, 65536, found);
  add_shortest_blocks(profile, found);
  std::erase_if(found, [](const PathCell& cell) { return cell.time.samples == 0; });  // imported: not of this machine
  return found;
}

bool is_of_root_alone(const OperatorCell& cell) {
  return cell.type == PixelType::f32 && cell.ranks == 1 && cell.threads == 1 && cell.time_per_unit.samples > 0;
}

std::vector<OperatorCell> sentinel_operators(const MachineProfile& profile) {
  std::vector<OperatorCell> found;
  for (const std::string_view key : {"convolve_separable", "copy", "sqrt"}) {
    const auto cell = std::find_if(profile.operators().begin(), profile.operators().end(), [&](const auto& candidate) {
      return candidate.key == key && candidate.tile_pixels == static_cast<double>(side * side) &&
             is_of_root_alone(candidate);
    });
    if (cell != profile.operators().end()) found.push_back(*cell);
  }
  return found;
}

std::string nothing_to_measure(const MachineProfile& profile, int ranks) {
  const bool has_messages = !sentinel_messages(profile).empty();
  if (!sentinel_operators(profile).empty() || (has_messages && ranks > 1)) return {};
  if (has_messages) {
    return fmt::format(
        "one rank sends no messages, and of '{}' they are all that could be: start it with 2 ranks or more",
        profile.name());
  }
  const auto has_samples = [](const Estimate& time) { return time.samples > 0; };
  if (std::ranges::none_of(profile.paths(), has_samples, &PathCell::time) &&
      std::ranges::none_of(profile.operators(), has_samples, &OperatorCell::time_per_unit)) {
    return fmt::format(
        "'{}' has no costs that were measured by a calibration, and those that were imported may be of "
        "any machine",
        profile.name());
  }
  return fmt::format("'{}' has none of the few costs that are measured again", profile.name());
}

std::vector<Sentinel> measure_again(const MachineProfile& profile, const std::vector<OperatorCell>& cells,
                                    double budget_s) {
  std::map<std::int64_t, std::vector<OperatorBenchmark>> by_side;
  std::size_t count = 0;
  for (const OperatorCell& cell : cells) {
    const auto benchmark = benchmark_of(cell);
    if (!benchmark) continue;
    by_side[std::llround(std::sqrt(cell.tile_pixels))].push_back(*benchmark);
    ++count;
  }
  const double speed = speed_of(profile.node_speeds(), node_name());  // the profile's costs are the slowest node's
  std::vector<Sentinel> again;
  for (const auto& [side_of_cells, benchmarks] : by_side) {
    const double share_s = budget_s * static_cast<double>(benchmarks.size()) / static_cast<double>(count);
    Progress silent({}, share_s);
    const OperatorMeasurement own =
        calibrate_operators(benchmarks, {{side_of_cells}, samples, share_s, true, 1}, silent);
    for (MergedSeries& series : merge({own}, 1)) {
      series.cell.time_per_unit.seconds *= speed;
      series.cell.time_per_unit.spread_s *= speed;
      for (const OperatorCell& cell : cells) {
        if (cell_name(cell) != cell_name(series.cell)) continue;
        Estimate then = cell.time_per_unit;
        then.seconds *= profile.refresh().computing_factor;
        again.push_back({cell_name(cell), then, series.cell.time_per_unit});
      }
    }
  }
  return again;
}

std::vector<Sentinel> measure_sentinel_operators(const MachineProfile& profile, double budget_s) {
  return measure_again(profile, sentinel_operators(profile), budget_s);
}

std::vector<Sentinel> measure_sentinels(const Communicator& communicator, const MachineProfile& profile,
                                        double budget_s) {
  std::vector<Sentinel> sentinels;
  if (communicator.ranks() > 1) {
    const std::vector<PathCell> cells = sentinel_messages(profile);
    const std::vector<TimedMessage> now =
        measure_messages(communicator, cells, {.passes = samples, .budget_s = share_of_messages * budget_s});
    for (const TimedMessage& message : now) {
      const std::string name = cell_name(message.cell);
      const PathCell* then = find_cell(cells, name);
      sentinels.push_back({name, profile.message_time(*then), message.of_any_state});
    }
  }
  if (communicator.is_root()) {
    const std::vector<Sentinel> operators = measure_sentinel_operators(profile, (1 - share_of_messages) * budget_s);
    sentinels.insert(sentinels.end(), operators.begin(), operators.end());
  }
  communicator.barrier();
  return sentinels;
}

}  // namespace tilewright
