#include "machine_signs.hpp"

#include <algorithm>
#include <cstdint>

#include "../../src/calibrate/shared_calibration.hpp"
#include "../../src/calibrate/stopwatch.hpp"
#include "tilewright/core/statistics.hpp"
#include "tilewright/runtime/point_to_point.hpp"

namespace tilewright::regret {
namespace {

constexpr int round_trips = 301;
constexpr int tag = 12;
constexpr double largest_change_of_round_trips = 1.3;
constexpr double largest_change_of_gathers = 1.2;
constexpr int passes = 15;
constexpr double gathers_budget_s = 0.2;
constexpr std::int64_t in_last_cache = std::int64_t{1} << 20;
constexpr std::int64_t beyond_it = std::int64_t{8} << 20;

double round_trip_s(const Communicator& communicator) {
  if (communicator.ranks() == 1) return 0;
  communicator.barrier();
  std::vector<double> seconds;
  for (int i = 0; i < round_trips; ++i) {
    const double start_s = now_s();
    if (communicator.rank() == 1) receive_block(communicator, {}, 0, tag);
    if (communicator.rank() == 1) send_block(communicator, {}, 0, tag);
    if (communicator.is_root()) send_block(communicator, {}, 1, tag);
    if (communicator.is_root()) receive_block(communicator, {}, 1, tag);
    seconds.push_back(now_s() - start_s);
  }
  return median(seconds);
}

std::vector<double> gathers_s(const Communicator& communicator) {
  std::vector<PathCell> scatters;
  for (const std::int64_t bytes : {in_last_cache, beyond_it})
    scatters.push_back({Path::shared_warm, Layout::cc, bytes, {}});
  std::vector<double> seconds;
  for (const PathCell& cell : measure_sharing(communicator, scatters, passes, gathers_budget_s)) {
    if (cell.path == Path::shared_gather_warm) seconds.push_back(cell.time.seconds);
  }
  return seconds;
}

bool is_about(double a, double b, double largest_change) {
  return std::max(a, b) <= largest_change * std::min(a, b);
}

}  // namespace

MachineSigns machine_signs(const Communicator& communicator) {
  const double seconds = round_trip_s(communicator);
  return {seconds, gathers_s(communicator)};
}

bool tell_the_same(const MachineSigns& before, const MachineSigns& after) {
  if (!is_about(before.round_trip_s, after.round_trip_s, largest_change_of_round_trips)) return false;
  return std::ranges::equal(before.gathers_s, after.gathers_s,
                            [](double a, double b) { return is_about(a, b, largest_change_of_gathers); });
}

}  // namespace tilewright::regret
