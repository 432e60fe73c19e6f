#include "processor_places.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include "tilewright/core/statistics.hpp"
#include "tilewright/runtime/point_to_point.hpp"

namespace tilewright::regret {
namespace {

constexpr int round_trips = 301;
constexpr int tag = 12;
constexpr double largest_change = 1.3;

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

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
  return communicator.of_root(median(seconds));
}

bool have_stayed(double before_s, double after_s) {
  return std::max(before_s, after_s) <= largest_change * std::min(before_s, after_s);
}

}  // namespace tilewright::regret
