#include "tilewright/calibrate/refresh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <span>
#include <thread>
#include <utility>

#include "pattern_calibration.hpp"
#include "shared_calibration.hpp"
#include "stopwatch.hpp"
#include "tilewright/calibrate/calibrate.hpp"
#include "tilewright/calibrate/messages.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/core/statistics.hpp"
#include "tilewright/imgops/benchmarks.hpp"
#include "tilewright/model/cell_names.hpp"

namespace tilewright {
namespace {

constexpr std::size_t most_operators = 20;
constexpr double fewest_pixels = 256.0 * 256;
constexpr double most_pixels = 1024.0 * 1024;
/// Of a template of 1089 pixels a run takes most of a second where a processor is rationed.
constexpr double most_taps = 100;
/// Strangers slow a core down for a second or two, which the median over all passes bears.
constexpr int passes = 6;
constexpr int message_passes = 31;
/// Of the time for messages.
constexpr double share_of_sharing = 0.5;
constexpr double share_of_exchanges = 0.1;
/// Of the measured messages, those whose sizes are nearest tell what others take: of fewer, one that was disturbed
/// would.
constexpr std::size_t neighbours = 5;

/// Those that compute on tiles by themselves, and nothing else.
std::set<std::string> refreshable_keys() {
  std::set<std::string> keys;
  for (const OperatorBenchmark& benchmark : operator_benchmarks()) {
    if (!benchmark.waits_for_files && !benchmark.of_all_ranks) keys.insert(benchmark.key);
  }
  return keys;
}

/// Each begins at its part of the time.
std::vector<Sentinel> measure_in_passes(const MachineProfile& profile, const std::vector<OperatorCell>& cells,
                                        double budget_s) {
  std::vector<Sentinel> all;
  for (int pass = 0; pass < passes; ++pass) {
    const Deadline share(budget_s / passes);
    for (Sentinel& again : measure_again(profile, cells, budget_s / passes)) all.push_back(std::move(again));
    const double left_s = share.remaining_s();
    if (left_s > 0) std::this_thread::sleep_for(std::chrono::duration<double>(left_s));
  }
  return all;
}

/// The profile's cell of that row and nearly that size.
const PathCell* nearest(const MachineProfile& profile, const CellRow& row, std::int64_t bytes) {
  const PathCell* found = nullptr;
  const auto distance = [&](const PathCell& cell) {
    return std::abs(std::log(static_cast<double>(cell.bytes) / static_cast<double>(bytes)));
  };
  for (const PathCell& cell : profile.paths()) {
    const bool tells = cell.bytes > 0 && cell.time.seconds > 0 && cell.time.samples > 0;  // not imported
    if (cell_row(cell) != row || !tells || !cell.has_paper_blocks() || cell.within_node) continue;
    if (found == nullptr || distance(cell) < distance(*found)) found = &cell;
  }
  return found != nullptr && distance(*found) < std::numbers::ln2 ? found : nullptr;
}

bool has_same_ranks(const Fingerprint& calibrated, const Fingerprint& here) {
  return calibrated.ranks == here.ranks && calibrated.nodes == here.nodes && here.ranks > 1;
}

void nearest_of_sizes(const MachineProfile& profile, Path path, std::span<const std::int64_t> sizes,
                      std::vector<PathCell>& cells, Packing packing = Packing::datatype) {
  for (const Layout layout : {Layout::cc, Layout::nn}) {
    for (const std::int64_t bytes : sizes) {
      if (const PathCell* cell = nearest(profile, {path, layout, packing}, bytes)) cells.push_back(*cell);
    }
  }
}

/// On the root; empty elsewhere, and where there are none.
std::vector<PathCell> measure_messages_again(const Communicator& communicator, const MachineProfile& profile,
                                             const Fingerprint& here, double budget_s) {
  std::vector<PathCell> messages, scatters, exchanges, now;
  if (communicator.is_root() && has_same_ranks(profile.fingerprint(), here)) {
    messages = messages_to_refresh(profile);
    scatters = scatters_to_refresh(profile);
    exchanges = exchanges_to_refresh(profile);
  }
  const auto add = [&](const std::vector<PathCell>& measured) {
    now.insert(now.end(), measured.begin(), measured.end());
  };
  const double sharing_s = communicator.of_root(scatters.empty() ? 0 : share_of_sharing * budget_s);
  add(measure_sharing(communicator, scatters, message_passes, sharing_s));
  const double exchanges_s = communicator.of_root(exchanges.empty() ? 0 : share_of_exchanges * budget_s);
  add(measure_exchanges(communicator, exchanges, message_passes, exchanges_s));
  if (!communicator.of_root(!messages.empty())) return now;
  const MessageEffort effort{.passes = message_passes, .budget_s = budget_s - sharing_s - exchanges_s};
  add(cells_of(measure_messages(communicator, messages, effort)));
  return now;
}

/// Why the profile cannot be refreshed here; empty if it can.
std::string why_not(const MachineProfile& profile, const Fingerprint& here) {
  const std::string& processor = profile.fingerprint().processor;
  if (processor != here.processor) {
    return fmt::format(
        "machine '{}' was calibrated on the processor '{}', and this is '{}': calibrate it here, or refresh it there",
        profile.name(), processor, here.processor);
  }
  if (!operators_to_refresh(profile).empty()) return {};
  return fmt::format("machine '{}' has no operators that could be measured again: run tilewright calibrate",
                     profile.name());
}

}  // namespace

std::vector<OperatorCell> operators_to_refresh(const MachineProfile& profile) {
  const std::set<std::string> keys = refreshable_keys();
  std::vector<OperatorCell> all;
  for (const OperatorCell& cell : profile.operators()) {
    const bool is_of_some_size = cell.tile_pixels >= fewest_pixels && cell.tile_pixels <= most_pixels;
    const bool tells = is_of_root_alone(cell) && cell.time_per_unit.seconds > 0;
    if (tells && is_of_some_size && cell.parameter <= most_taps && keys.contains(cell.key)) {
      all.push_back(cell);
    }
  }
  if (all.size() <= most_operators) return all;
  // The cells are in order, so some from everywhere among them are of all kinds. Every third, say, might be of one
  // size.
  const double share = static_cast<double>(most_operators) / static_cast<double>(all.size());
  std::vector<OperatorCell> some;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double place = static_cast<double>(i) * std::numbers::phi;
    if (place - std::floor(place) < share) some.push_back(all[i]);
  }
  return some;
}

std::vector<PathCell> messages_to_refresh(const MachineProfile& profile) {
  std::vector<PathCell> cells;
  for (const Path path : all_paths) nearest_of_sizes(profile, path, MessageFactors::sizes, cells);
  return cells;
}

std::vector<PathCell> exchanges_to_refresh(const MachineProfile& profile) {
  std::vector<PathCell> cells;
  if (profile.fingerprint().nodes == 1) nearest_of_sizes(profile, Path::swap, MessageFactors::sizes, cells);
  return cells;
}

/// What short ones take cold matters to no run.
std::vector<PathCell> scatters_to_refresh(const MachineProfile& profile) {
  constexpr std::span<const std::int64_t> sizes = SharingFactors::sizes;
  const auto is_short = [](std::int64_t bytes) { return bytes < shortest_rested; };
  const std::span<const std::int64_t> long_ones(std::ranges::find_if_not(sizes, is_short), sizes.end());
  std::vector<PathCell> cells;
  for (const Warm warm : {Warm::no, Warm::yes, Warm::rested}) {
    const auto of_kind = warm == Warm::yes ? sizes : long_ones;
    nearest_of_sizes(profile, path_of(Path::shared, warm).value(), of_kind, cells);
    for (const Packing packing : {Packing::datatype, Packing::manual})
      nearest_of_sizes(profile, path_of(Path::message_scatter, warm).value(), of_kind, cells, packing);
  }
  return cells;
}

namespace {

/// How many times as long as then: by the logarithm of the size.
PointOnLine factor_of(const PathCell& now, const PathCell& then) {
  return {std::log(static_cast<double>(now.bytes)), now.time.seconds / then.time.seconds};
}

/// The profile's cell; null where it has none that takes any time.
const PathCell* then(const MachineProfile& profile, const PathCell& now) {
  const PathCell* const cell = find_cell(profile.paths(), cell_name(now));
  return cell != nullptr && cell->time.seconds > 0 ? cell : nullptr;
}

double at_size(std::int64_t bytes) {
  return std::log(static_cast<double>(bytes));
}

using FactorsOfSizes = std::vector<PointOnLine>;

MessageFactors message_factors(const FactorsOfSizes& whole, const FactorsOfSizes& by_library, std::size_t nearest) {
  MessageFactors factors;
  for (std::size_t i = 0; i < MessageFactors::sizes.size(); ++i) {
    const double at = at_size(MessageFactors::sizes[i]);
    if (!whole.empty()) factors.whole[i] = median_of_nearest(whole, at, nearest);
    factors.by_library[i] = by_library.empty() ? factors.whole[i] : median_of_nearest(by_library, at, nearest);
  }
  return factors;
}

/// Of the cells on some paths.
std::optional<MessageFactors> message_factors(const MachineProfile& profile, const std::vector<PathCell>& now,
                                              bool (*is_on_path)(Path), std::size_t nearest) {
  FactorsOfSizes whole, by_library;
  for (const PathCell& cell : now) {
    const PathCell* const before = then(profile, cell);
    if (before == nullptr || !is_on_path(cell.path)) continue;
    (is_packed_by_library(cell) ? by_library : whole).push_back(factor_of(cell, *before));
  }
  if (whole.empty() && by_library.empty()) return std::nullopt;
  return message_factors(whole, by_library, nearest);
}

}  // namespace

MessageFactors message_factors(const MachineProfile& profile, const std::vector<PathCell>& now) {
  return message_factors(profile, now, is_of_two_ranks, neighbours).value_or(MessageFactors());
}

std::optional<MessageFactors> exchange_factors(const MachineProfile& profile, const std::vector<PathCell>& now) {
  return message_factors(profile, now, is_of_exchange, 1);
}

SharingFactors sharing_factors(const MachineProfile& profile, const std::vector<PathCell>& now) {
  std::map<CellRow, std::vector<PointOnLine>> rows;
  for (const PathCell& cell : now) {
    const PathCell* const before = then(profile, cell);
    if (before != nullptr && is_of_small_runs(cell.path)) rows[cell_row(cell)].push_back(factor_of(cell, *before));
  }
  SharingFactors factors;
  for (const auto& [row, points] : rows) {
    for (std::size_t i = 0; i < SharingFactors::sizes.size(); ++i)
      factors.rows[row][i] = median_of_nearest(points, at_size(SharingFactors::sizes[i]), 1);
  }
  return factors;
}

MeasuredRefresh measure_refresh(const Communicator& communicator, const MachineProfile& profile, double budget_s) {
  const Fingerprint here = fingerprint_of(communicator);
  const std::string reason = communicator.broadcast(communicator.is_root() ? why_not(profile, here) : "");
  if (!reason.empty()) throw ParameterError(reason);
  MeasuredRefresh found;
  if (communicator.is_root()) {
    found.operators = measure_in_passes(profile.with_refresh({}), operators_to_refresh(profile), budget_s);
    std::vector<double> factors;
    for (const Sentinel& sentinel : found.operators) factors.push_back(1 + sentinel.drift());
    found.refresh = {median(factors), here.date};
  }
  communicator.barrier();
  const std::vector<PathCell> now = measure_messages_again(communicator, profile, here, budget_s);
  if (communicator.is_root() && !now.empty()) {
    found.refresh.messages = message_factors(profile, now);
    found.refresh.sharing = sharing_factors(profile, now);
    found.refresh.exchanges = exchange_factors(profile, now);
    found.messages = now.size();
  }
  return found;
}

}  // namespace tilewright
