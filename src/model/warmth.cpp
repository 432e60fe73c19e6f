#include "tilewright/model/warmth.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "line.hpp"

namespace tilewright {
namespace {

/// Half of what the last cache of a few cores holds: where less passes between two uses all is found again, and nothing
/// of four times as much.
constexpr double least_passing = 16 << 20;
constexpr double most_passing = 64 << 20;
/// Shorter transfers take what ranks need to meet, and where cold ones take less than so much longer, what is in
/// between cannot be told.
constexpr std::int64_t shortest_telling = 64 * 1024;
constexpr double least_difference = 1.2;
/// In bytes a second, of which the best is looked for: from what no transfer notices to more than memory yields.
constexpr double slowest_strangers = 1e8;
constexpr double fastest_strangers = 1e12;
constexpr double step_of_strangers = 1.02;

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

/// The cell that has the transfer so; null where it was not measured.
const PathCell* same_of(const std::vector<PathCell>& cells, const PathCell& cold, Warm warm) {
  const auto path = path_of(cold.path, warm);
  if (!path) return nullptr;
  const auto found = std::ranges::find_if(cells, [&](const PathCell& cell) {
    return cell.path == *path && cell.layout == cold.layout && cell.bytes == cold.bytes && cell.time.seconds > 0;
  });
  return found == cells.end() ? nullptr : &*found;
}

/// A transfer after ranks have waited: how much of its memory has left the caches, and what small runs touch by
/// themselves.
struct Rested {
  double coldness = 0;
  double own_bytes = 0;
};

/// Where runs are small and nothing has left the caches, strangers may have passed much, and where everything has,
/// more than that. So no single transfer tells.
double best_told(const std::vector<Rested>& all) {
  const auto misfit = [&](double bytes_per_s) {
    double sum = 0;
    for (const Rested& rested : all)
      sum += std::abs(coldness(rested.own_bytes + bytes_per_s * rest_s) - rested.coldness);
    return sum;
  };
  double best = 0;
  double least = misfit(best);
  for (double one = slowest_strangers; least > 0 && one < fastest_strangers; one *= step_of_strangers) {
    const double of_one = misfit(one);
    if (of_one < least) {
      best = one;
      least = of_one;
    }
  }
  return best;
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

double strangers_bytes_per_s(const std::vector<PathCell>& cells, int ranks) {
  std::vector<Rested> all;
  for (const PathCell& cold : cells) {
    // Small runs copy to where they have just gathered from, which tells of no strangers; pipelines to memory that has
    // waited as long as that of results.
    if (cold.path == Path::shared || cold.bytes < shortest_telling) continue;
    const PathCell* const warm = same_of(cells, cold, Warm::yes);
    const PathCell* const rested = same_of(cells, cold, Warm::rested);
    if (warm == nullptr || rested == nullptr) continue;
    const double difference_s = cold.time.seconds - warm->time.seconds;
    if (difference_s < (least_difference - 1) * warm->time.seconds) continue;
    const double lost = (rested->time.seconds - warm->time.seconds) / difference_s;
    all.push_back({std::clamp(lost, 0.0, 1.0), static_cast<double>(images_of_small_run * cold.bytes * ranks)});
  }
  return best_told(all);
}

Warmth::Warmth(const std::vector<PathCell>& cells, double strangers_bytes_per_s)
    : strangers_bytes_per_s_(strangers_bytes_per_s) {
  for (const PathCell& cold : cells) {
    const PathCell* const warm = same_of(cells, cold, Warm::yes);
    if (warm == nullptr || cold.bytes == 0 || !(cold.time.seconds > 0)) continue;
    const double ratio = std::max(1.0, cold.time.seconds / warm->time.seconds);
    const bool is_priced_cold = is_through_shared_memory(cold.path);
    rows_[{cold.path, cold.layout}].push_back(
        {std::log(static_cast<double>(cold.bytes)), is_priced_cold ? 1 / ratio : 1, is_priced_cold ? 1 : ratio});
  }
  for (auto& [key, row] : rows_) std::ranges::sort(row, {}, &OfSize::log_bytes);
}

const Warmth::Row* Warmth::row_of(const PathCell& cell) const {
  const bool is_message = is_of_two_ranks(cell.path);
  if (is_message && (cell.within_node || cell.bytes < shortest_warm_message)) return nullptr;
  const auto found =
      rows_.find(is_message ? std::pair(Path::message_scatter, Layout::cc) : std::pair(cell.path, cell.layout));
  return found == rows_.end() ? nullptr : &found->second;
}

double Warmth::factor(const PathCell& cell, const RepeatedRun& run) const {
  const Row* const row = cell.bytes > 0 ? row_of(cell) : nullptr;
  if (row == nullptr) return 1;
  const double is_cold = coldness(static_cast<double>(run.touched_bytes) + strangers_bytes_per_s_ * run.seconds);
  const auto factor = [&](const OfSize& size) { return std::lerp(size.warm, size.cold, is_cold); };
  const double at = std::log(static_cast<double>(cell.bytes));
  const auto above = std::ranges::upper_bound(*row, at, {}, &OfSize::log_bytes);
  if (above == row->begin()) return factor(row->front());
  if (above == row->end()) return factor(row->back());
  const OfSize& below = *(above - 1);
  return on_line(at, below.log_bytes, factor(below), above->log_bytes, factor(*above));
}

}  // namespace tilewright
