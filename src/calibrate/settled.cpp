#include "settled.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "marked_samples.hpp"
#include "tilewright/core/statistics.hpp"
#include "tilewright/model/cell_names.hpp"
#include "tilewright/model/message_overheads.hpp"

namespace tilewright {
namespace {

constexpr std::size_t fewest_samples = 6;
constexpr double tolerance = 0.02;
constexpr double tolerance_where_decided = 0.1;

using SamplesByCell = std::map<std::string, std::vector<double>>;

SamplesByCell by_cell(const std::vector<RawSample>& samples, int launch) {
  std::map<std::string, std::vector<MarkedSample>> marked;
  for (const RawSample& sample : samples) {
    if (sample.launch == launch) marked[sample.cell].push_back({sample.seconds, sample.disturbed});
  }
  SamplesByCell times;
  for (const auto& [cell, own] : marked) times[cell] = counted(own);
  return times;
}

std::vector<std::span<const double>> rivals_of(PathCell cell, const SamplesByCell& all) {
  std::vector<std::span<const double>> rivals;
  const Packing own = cell.packing;
  for (const Packing packing : all_packings) {
    cell.packing = packing;
    const auto found = all.find(cell_name(cell));
    if (packing != own && found != all.end()) rivals.emplace_back(found->second);
  }
  return rivals;
}

/// What is left of a message that passes meanwhile may be next to nothing, which no number of samples tells to within a
/// share of it; of what caches hold, the place of a step tells.
bool is_told_in_any_case(Path path) {
  return is_left_of_exchange(path) || path == Path::collected || path == Path::passing;
}

}  // namespace

bool is_settled(std::span<const double> samples, const std::vector<std::span<const double>>& rivals) {
  if (samples.size() < fewest_samples) return false;
  const double middle = median(samples);
  const Interval own = median_interval_95(samples);
  const double reach = std::max(own.high - middle, middle - own.low);
  if (reach <= tolerance * middle) return true;
  if (reach > tolerance_where_decided * middle || rivals.empty()) return false;
  return std::none_of(rivals.begin(), rivals.end(), [&](std::span<const double> rival) {
    if (rival.size() < fewest_samples) return true;
    const Interval other = median_interval_95(rival);
    return own.low <= other.high && other.low <= own.high;
  });
}

std::set<std::string> unsettled_cells(const std::vector<RawSample>& samples, int launch) {
  const SamplesByCell all = by_cell(samples, launch);
  std::set<std::string> unsettled;
  for (const auto& [name, seconds] : all) {
    const std::optional<PathCell> cell = path_cell_named(name);
    if (cell && is_told_in_any_case(cell->path)) continue;
    const std::optional<OperatorCell> computing = operator_cell_named(name);
    if (computing && is_message_overhead(*computing)) continue;
    if (!is_settled(seconds, cell ? rivals_of(*cell, all) : std::vector<std::span<const double>>())) {
      unsettled.insert(name);
    }
  }
  return unsettled;
}

}  // namespace tilewright
