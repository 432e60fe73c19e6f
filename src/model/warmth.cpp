#include "tilewright/model/warmth.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "by_size.hpp"

namespace tilewright {
namespace {

/// Where less passes between two uses all is found again, and nothing of as much as the other. Measured where the last
/// cache holds 32 MiB (docs/design.md).
constexpr double least_passing = 20 << 20;
constexpr double most_passing = 76 << 20;
/// Where cold transfers take less than so much longer, what is in between cannot be told.
constexpr double least_difference = 1.2;
/// In bytes a second, of which the best is looked for: from what no transfer notices to more than memory yields.
constexpr double slowest_strangers = 1e8;
constexpr double fastest_strangers = 1e12;
constexpr double step_of_strangers = 1.02;

/// Of what a scatter takes, however dear the copies are that the root makes in it.
constexpr double least_share_of_messages = 0.2;

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

/// 0 where a run finds all that it left in the caches, 1 where it finds nothing.
double coldness(double passing_bytes) {
  return std::clamp((passing_bytes - least_passing) / (most_passing - least_passing), 0.0, 1.0);
}

/// The cell that has the transfer so; null where it was not measured.
const PathCell* same_of(const std::vector<PathCell>& cells, const PathCell& cold, Warm warm) {
  const auto path = path_of(cold.path, warm);
  if (!path) return nullptr;
  const auto found = std::ranges::find_if(cells, [&](const PathCell& cell) {
    return cell_row(cell) == CellRow{*path, cold.layout, cold.packing} && cell.bytes == cold.bytes &&
           cell.time.seconds > 0;
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
      sum += std::pow(coldness(rested.own_bytes + bytes_per_s * rest_s) - rested.coldness, 2);
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

/// What of a scatter that takes so long is no copy is its messages. None of a scatter that has no price.
std::optional<double> factor_of_messages(const RepeatedRun& run, std::int64_t bytes, Packing packing,
                                         double scatter_s) {
  const auto priced = std::ranges::find_if(
      run.scatters, [&](const PricedScatter& scatter) { return scatter.bytes == bytes && scatter.packing == packing; });
  if (priced == run.scatters.end() || !(priced->messages_s > 0)) return std::nullopt;
  return std::max(least_share_of_messages * scatter_s, scatter_s - priced->copies_s) / priced->messages_s;
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
    if (cold.path == Path::shared || cold.bytes < shortest_rested) continue;
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
    const double cold_s = cold.time.seconds;
    rows_[cell_row(cold)].push_back({cold.bytes, std::min(cold_s, warm->time.seconds), cold_s});
  }
  for (auto& [key, row] : rows_) std::ranges::sort(row, {}, &OfSize::bytes);
}

RunWarmth Warmth::in(const RepeatedRun& run) const {
  const double passed = (strangers_bytes_per_s_ + passed_by_computing) * run.seconds;
  const double is_cold = coldness(static_cast<double>(run.touched_bytes) + passed);
  RunWarmth found;
  for (const auto& [row, sizes] : rows_) {
    for (const OfSize& size : sizes) {
      const double seconds = std::lerp(size.warm_s, size.cold_s, is_cold);
      if (is_through_shared_memory(row.path)) {
        found.rows_[row].add(size.bytes, seconds / size.cold_s);
        continue;
      }
      const auto factor = factor_of_messages(run, size.bytes, row.packing, seconds);
      if (factor) found.scatters_[row.packing].add(size.bytes, *factor);
      if (row.packing == Packing::datatype) found.other_messages_.add(size.bytes, seconds / size.warm_s);
    }
  }
  return found;
}

void RunWarmth::Row::add(std::int64_t bytes, double factor) {
  sizes.push_back(bytes);
  factors.push_back(factor);
}

double RunWarmth::Row::of(std::int64_t bytes) const {
  return sizes.empty() ? 1 : factor_of_size(sizes, factors, bytes);
}

double RunWarmth::factor(const PathCell& cell) const {
  const auto row = rows_.find(cell_row(cell));
  return row == rows_.end() || cell.bytes == 0 ? 1 : row->second.of(cell.bytes);
}

double RunWarmth::factor(const MessageForm& form) const {
  if (form.bytes < shortest_warm_message) return 1;
  const auto row = scatters_.find(form.packing);
  const bool is_other = form.layout == Layout::cc || row == scatters_.end();
  return (is_other ? other_messages_ : row->second).of(form.bytes);
}

}  // namespace tilewright
