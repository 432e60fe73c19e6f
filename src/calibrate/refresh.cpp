#include "tilewright/calibrate/refresh.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <numbers>
#include <set>
#include <thread>
#include <utility>

#include "stopwatch.hpp"
#include "tilewright/calibrate/calibrate.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/core/statistics.hpp"
#include "tilewright/imgops/benchmarks.hpp"

namespace tilewright {
namespace {

constexpr std::size_t most_operators = 20;
constexpr double fewest_pixels = 256.0 * 256;
constexpr double most_pixels = 1024.0 * 1024;
/// Of a template of 1089 pixels a run takes most of a second where a processor is rationed.
constexpr double most_taps = 100;
/// Strangers slow a core down for a second or two, which the median over all passes bears.
constexpr int passes = 6;

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
  return found;
}

}  // namespace tilewright
