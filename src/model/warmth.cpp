#include "tilewright/model/warmth.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "line.hpp"
#include "tilewright/core/statistics.hpp"

namespace tilewright {
namespace {

/// Half of what the last cache of a few cores holds: where less passes between two uses all is found again, and nothing
/// of four times as much.
constexpr double least_passing = 16 << 20;
constexpr double most_passing = 64 << 20;
/// Shorter messages take what their protocol takes.
constexpr std::int64_t shortest_message = 16 * 1024;
/// Shorter transfers take what ranks need to meet, and where cold ones take less than so much longer, what is in
/// between cannot be told.
constexpr std::int64_t shortest_telling = 64 * 1024;
constexpr double least_difference = 1.2;

struct Ways {
  Path cold;
  Path warm;
  Path rested;
};
constexpr std::array<Ways, 3> all_ways{{
    {Path::shared, Path::shared_warm, Path::shared_rested},
    {Path::shared_gather, Path::shared_gather_warm, Path::shared_gather_rested},
    {Path::message_scatter, Path::message_scatter_warm, Path::message_scatter_rested},
}};

/// 0 where a run finds all that it left in the caches, 1 where it finds nothing; in between by the logarithm.
double coldness(double passing_bytes) {
  const double passing = std::max(1.0, passing_bytes);
  return std::clamp(std::log(passing / least_passing) / std::log(most_passing / least_passing), 0.0, 1.0);
}
/// The reverse.
double passing_of(double coldness) {
  return least_passing * std::pow(most_passing / least_passing, std::clamp(coldness, 0.0, 1.0));
}

/// The cell of that path in place of the other's.
const PathCell* same_of(const std::vector<PathCell>& cells, Path path, const PathCell& other) {
  const auto found = std::ranges::find_if(cells, [&](const PathCell& cell) {
    return cell.path == path && cell.layout == other.layout && cell.bytes == other.bytes && cell.time.seconds > 0;
  });
  return found == cells.end() ? nullptr : &*found;
}

/// What strangers pass in a second, from how cold a transfer is after ranks have waited.
double others_bytes_per_s(const PathCell& cold, const PathCell& warm, const PathCell& rested, int ranks) {
  const double is_cold = (rested.time.seconds - warm.time.seconds) / (cold.time.seconds - warm.time.seconds);
  const double own = static_cast<double>(images_of_small_run * cold.bytes) * ranks;
  return std::max(0.0, passing_of(is_cold) - std::max(own, least_passing)) / rest_s;
}

}  // namespace

std::optional<Path> path_of(Path cold, Warm warm) {
  for (const Ways& ways : all_ways) {
    if (ways.cold == cold) return warm == Warm::no ? cold : warm == Warm::yes ? ways.warm : ways.rested;
  }
  return std::nullopt;
}

WarmPath warm_path(Path path) {
  for (const Ways& ways : all_ways) {
    if (path == ways.warm) return {ways.cold, Warm::yes};
    if (path == ways.rested) return {ways.cold, Warm::rested};
  }
  return {path, Warm::no};
}

bool is_of_small_runs(Path path) {
  return path_of(warm_path(path).cold, Warm::no).has_value();
}

Warmth::Warmth(const std::vector<PathCell>& cells, int ranks) {
  std::map<std::pair<Path, Layout>, std::vector<double>> of_others;
  for (const PathCell& cold : cells) {
    const auto warm_path = path_of(cold.path, Warm::yes);
    if (!warm_path || cold.bytes == 0 || !(cold.time.seconds > 0)) continue;
    const PathCell* const warm = same_of(cells, *warm_path, cold);
    if (warm == nullptr) continue;
    const std::pair key(cold.path, cold.layout);
    const double ratio = std::max(1.0, cold.time.seconds / warm->time.seconds);
    const bool is_priced_cold = is_through_shared_memory(cold.path);
    rows_[key].of_sizes.push_back(
        {std::log(static_cast<double>(cold.bytes)), is_priced_cold ? 1 / ratio : 1, is_priced_cold ? 1 : ratio});
    const PathCell* const rested = same_of(cells, path_of(cold.path, Warm::rested).value(), cold);
    if (rested != nullptr && cold.bytes >= shortest_telling && ratio > least_difference)
      of_others[key].push_back(others_bytes_per_s(cold, *warm, *rested, ranks));
  }
  for (auto& [key, row] : rows_) {
    std::ranges::sort(row.of_sizes, {}, &OfSize::log_bytes);
    // Small runs scatter to where they have just gathered from, and pipelines to memory that has waited as long as that
    // of results. Columns are not measured rested.
    const Path telling = key.first == Path::shared ? Path::shared_gather : key.first;
    const auto rates = of_others.find({telling, Layout::cc});
    if (rates != of_others.end()) row.others_bytes_per_s = median(rates->second);
  }
}

const Warmth::Row* Warmth::row_of(const PathCell& cell) const {
  const bool is_message = is_of_two_ranks(cell.path);
  if (is_message && (cell.within_node || cell.bytes < shortest_message)) return nullptr;
  const auto found =
      rows_.find(is_message ? std::pair(Path::message_scatter, Layout::cc) : std::pair(cell.path, cell.layout));
  return found == rows_.end() ? nullptr : &found->second;
}

double Warmth::factor(const PathCell& cell, const RepeatedRun& run) const {
  const Row* const row = cell.bytes > 0 ? row_of(cell) : nullptr;
  if (row == nullptr) return 1;
  const double is_cold = coldness(static_cast<double>(run.touched_bytes) + row->others_bytes_per_s * run.seconds);
  const auto factor = [&](const OfSize& size) { return std::lerp(size.warm, size.cold, is_cold); };
  const double at = std::log(static_cast<double>(cell.bytes));
  const auto above = std::ranges::upper_bound(row->of_sizes, at, {}, &OfSize::log_bytes);
  if (above == row->of_sizes.begin()) return factor(row->of_sizes.front());
  if (above == row->of_sizes.end()) return factor(row->of_sizes.back());
  const OfSize& below = *(above - 1);
  return on_line(at, below.log_bytes, factor(below), above->log_bytes, factor(*above));
}

}  // namespace tilewright
