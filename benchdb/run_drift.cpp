#include "tilewright/benchdb/run_drift.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/core/statistics.hpp"

namespace tilewright {
namespace {

constexpr double shortest_s = 0.01;
constexpr std::size_t most_runs = 20;
constexpr std::size_t fewest_runs = 5;
constexpr double tolerated_factor = 1.25;
constexpr double share_that_is_off = 0.75;

}  // namespace

std::optional<RunDrift> drift_of_runs(const std::vector<StoredRun>& newest_first) {
  std::vector<double> factors;
  for (const StoredRun& run : newest_first) {
    if (factors.size() == most_runs) break;
    const double predicted_s = run.predicted_s.value_or(0);
    if (predicted_s <= 0 || std::max(predicted_s, run.measured_s) < shortest_s) continue;
    factors.push_back(run.measured_s / predicted_s);
  }
  if (factors.size() < fewest_runs) return std::nullopt;
  const auto slower = std::count_if(factors.begin(), factors.end(), [](double f) { return f > tolerated_factor; });
  const auto faster = std::count_if(factors.begin(), factors.end(), [](double f) { return f * tolerated_factor < 1; });
  const double needed = share_that_is_off * static_cast<double>(factors.size());
  if (static_cast<double>(std::max(slower, faster)) < needed) return std::nullopt;
  return RunDrift{median(factors), static_cast<int>(factors.size())};
}

std::string to_string(const RunDrift& drift) {
  return fmt::format("the last {} runs took {:.2f} times as long as predicted", drift.runs, drift.factor);
}

std::string warning_of(const RunDrift& drift, const std::string& machine) {
  return fmt::format("{}: the profile of '{}' may no longer hold (tilewright db check; tilewright calibrate --refresh)",
                     to_string(drift), machine);
}

}  // namespace tilewright
