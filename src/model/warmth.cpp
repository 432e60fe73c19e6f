#include "tilewright/model/warmth.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <map>

#include "by_size.hpp"

namespace tilewright {
namespace {

/// Of what may pass between two uses until half of the memory is found no more: where less passes all is found again,
/// and nothing of as much as the other (docs/design.md).
constexpr double least_passing = 5.0 / 12;
constexpr double most_passing = 19.0 / 12;
/// So much it is where nobody has measured it, and no less is taken: that of a last cache of 32 MiB, for which the
/// shares above were found. Bytes.
constexpr double least_capacity = 48 << 20;
/// Of the own cache of a core, where nobody has measured it. Bytes.
constexpr double usual_own_capacity = 1 << 20;
/// Where what passes by the caches takes less than so much longer, they hold nothing that could be told.
constexpr double least_step = 1.15;
/// Where cold transfers take less than so much longer, what is in between cannot be told.
constexpr double least_difference = 1.2;
/// Where a rest has cost more than that, a longer one cannot be told from it.
constexpr double most_lost = 0.95;

/// Of what a scatter takes, however dear the copies are that the root makes in it.
constexpr double least_share_of_messages = 0.2;

/// Paths of one transfer, by Warm.
struct Ways {
  std::array<Path, 4> paths;
  [[nodiscard]] Path cold() const { return paths.front(); }
  [[nodiscard]] Path of(Warm warm) const { return paths[static_cast<std::size_t>(warm)]; }
};
constexpr std::array<Ways, 3> all_ways{{
    {{Path::shared, Path::shared_warm, Path::shared_rested, Path::shared_spilled}},
    {{Path::shared_gather, Path::shared_gather_warm, Path::shared_gather_rested, Path::shared_gather_spilled}},
    {{Path::message_scatter, Path::message_scatter_warm, Path::message_scatter_rested, Path::message_scatter_spilled}},
}};

/// 0 where a run finds all that it left in the caches, 1 where it finds nothing.
double part_lost(double touched_bytes, double capacity) {
  return std::clamp((touched_bytes / capacity - least_passing) / (most_passing - least_passing), 0.0, 1.0);
}

using Rates = std::map<std::int64_t, double>;  // seconds a byte, by how many pass

/// Of Path::passing, from so many bytes on up to so many.
Rates rates_of(const std::vector<PathCell>& cells, std::int64_t from, std::int64_t to) {
  Rates rates;
  for (const PathCell& cell : cells) {
    if (cell.path == Path::passing && cell.bytes >= from && cell.bytes <= to)
      rates[cell.bytes] = cell.time.seconds / static_cast<double>(cell.bytes);
  }
  return rates;
}

/// Where bytes begin to take more than the mean of what they take of the least and of the most, by the logarithm of how
/// many pass; none if that cannot be told.
std::optional<double> capacity_of(const Rates& rates) {
  if (rates.empty() || rates.rbegin()->second < least_step * rates.begin()->second) return std::nullopt;
  const double middle = (rates.begin()->second + rates.rbegin()->second) / 2;
  auto above = std::prev(rates.end());
  while (std::prev(above)->second > middle) --above;
  const auto& [less, less_rate] = *std::prev(above);
  const auto& [more, more_rate] = *above;
  const double part = (middle - less_rate) / (more_rate - less_rate);
  return std::exp(std::lerp(std::log(static_cast<double>(less)), std::log(static_cast<double>(more)), part));
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

/// Of a transfer that was measured after a rest, too.
struct Rested {
  Path cold = Path::shared;
  Packing packing = Packing::datatype;
  std::int64_t bytes = 0;
  double lost_per_s = 0;
};

/// What a line of strangers pushes out may be any other, so that what is left falls off exponentially.
double lost_per_s(double warm_s, double rested_s, double cold_s) {
  const double difference_s = cold_s - warm_s;
  if (difference_s < (least_difference - 1) * warm_s) return 0;
  return -std::log1p(-std::clamp((rested_s - warm_s) / difference_s, 0.0, most_lost)) / (rested_run_s - lossless_run_s);
}

std::vector<Rested> rested_of(const std::vector<PathCell>& cells) {
  std::vector<Rested> all;
  for (const PathCell& cold : cells) {
    const PathCell* const warm = same_of(cells, cold, Warm::yes);
    const PathCell* const rested = same_of(cells, cold, Warm::rested);
    if (warm == nullptr || rested == nullptr || cold.bytes < shortest_rested) continue;
    all.push_back(
        {cold.path, cold.packing, cold.bytes, lost_per_s(warm->time.seconds, rested->time.seconds, cold.time.seconds)});
  }
  return all;
}

/// As of the same transfer of nearly that size, however the image is cut. Tiles that caches of single cores hold lose
/// nothing.
double lost_per_s(const std::vector<Rested>& all, const PathCell& cold) {
  if (cold.bytes < shortest_rested) return 0;
  const Rested* nearest = nullptr;
  const auto distance = [&](const Rested& one) {
    return std::abs(std::log(static_cast<double>(one.bytes) / static_cast<double>(cold.bytes)));
  };
  for (const Rested& one : all) {
    if (one.cold != cold.path || one.packing != cold.packing) continue;
    if (nearest == nullptr || distance(one) < distance(*nearest)) nearest = &one;
  }
  return nearest == nullptr ? 0 : nearest->lost_per_s;
}

/// How long a warm run of tiles of that size takes: it scatters, and makes a tile in about as long as it gathers it. 0
/// where nobody has measured both.
double warm_run_s(const std::vector<PathCell>& cells, std::int64_t bytes) {
  const PathCell* const scatter = same_of(cells, {Path::message_scatter, Layout::cc, bytes, {}}, Warm::yes);
  const PathCell* const gather = same_of(cells, {Path::shared_gather, Layout::cc, bytes, {}}, Warm::yes);
  return scatter != nullptr && gather != nullptr ? scatter->time.seconds + 2 * gather->time.seconds : 0;
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
    if (ways.cold() == cold) return ways.of(warm);
  }
  return std::nullopt;
}

WarmPath warm_path(Path path) {
  for (const Ways& ways : all_ways) {
    for (const Warm warm : {Warm::yes, Warm::rested, Warm::spilled}) {
      if (path == ways.of(warm)) return {ways.cold(), warm};
    }
  }
  return {path, Warm::no};
}

bool is_of_small_runs(Path path) {
  return path_of(warm_path(path).cold, Warm::no).has_value();
}

Warmth::Warmth(const std::vector<PathCell>& cells, int ranks) {
  const std::vector<Rested> rested = rested_of(cells);
  for (const PathCell& cold : cells) {
    const PathCell* const warm = same_of(cells, cold, Warm::yes);
    if (warm == nullptr || cold.bytes == 0 || !(cold.time.seconds > 0)) continue;
    const double cold_s = cold.time.seconds, warm_s = std::min(cold_s, warm->time.seconds);
    const PathCell* const spilled = same_of(cells, cold, Warm::spilled);
    const double spilled_s = spilled == nullptr ? warm_s : std::clamp(spilled->time.seconds, warm_s, cold_s);
    rows_[cell_row(cold)].push_back({cold.bytes, warm_s, spilled_s, cold_s, lost_per_s(rested, cold),
                                     std::max(lossless_run_s, warm_run_s(cells, cold.bytes))});
  }
  for (auto& [key, row] : rows_) std::ranges::sort(row, {}, &OfSize::bytes);
  if (rows_.empty()) return;
  ranks_ = std::max(1, ranks);
  const std::int64_t between = ranks_ * spilling_bytes;
  constexpr auto no_bound = std::numeric_limits<std::int64_t>::max();
  capacity_ = std::max(least_capacity, capacity_of(rates_of(cells, between, no_bound)).value_or(0));
  own_capacity_ = capacity_of(rates_of(cells, 1, between)).value_or(ranks_ * usual_own_capacity) / ranks_;
}

/// What has passed since a rank made its tile, or since it last used its part of the image, of what its core's own
/// cache holds; beyond what passes in a small run.
double Warmth::spilled(Path path, std::int64_t bytes, const RepeatedRun& run) const {
  const std::int64_t passed = path == Path::shared_gather ? run.rank_bytes - own_tiles_of_small_run * bytes
                                                          : run.touched_bytes / run.ranks - tiles_of_small_run * bytes;
  return std::clamp(static_cast<double>(passed) / own_capacity_, 0.0, 1.0);
}

/// Of what small runs of such tiles still find in the last cache.
double Warmth::coldness(double touched_bytes, std::int64_t tile_bytes) const {
  const double lost = part_lost(static_cast<double>(ranks_ * tiles_of_small_run * tile_bytes), capacity_);
  return lost < 1 ? std::max(0.0, part_lost(touched_bytes, capacity_) - lost) / (1 - lost) : 1;
}

double Warmth::seconds(Path path, const OfSize& size, const RepeatedRun& run) const {
  const double found_again = 1 - coldness(static_cast<double>(run.touched_bytes), size.bytes);
  const double left = found_again * std::exp(-size.lost_per_s * std::max(0.0, run.seconds - size.run_s));
  return std::lerp(size.cold_s, std::lerp(size.warm_s, size.spilled_s, spilled(path, size.bytes, run)), left);
}

RunWarmth Warmth::in(const RepeatedRun& run) const {
  RunWarmth found;
  for (const auto& [row, sizes] : rows_) {
    for (const OfSize& size : sizes) {
      const double takes_s = seconds(row.path, size, run);
      if (is_through_shared_memory(row.path)) {
        found.rows_[row].add(size.bytes, takes_s / size.cold_s);
        continue;
      }
      const auto factor = factor_of_messages(run, size.bytes, row.packing, takes_s);
      if (factor) found.scatters_[row.packing].add(size.bytes, *factor);
      if (row.packing == Packing::datatype) found.other_messages_.add(size.bytes, takes_s / size.warm_s);
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
