#include "machine_states.hpp"

#include <span>

#include "tilewright/calibrate/fit.hpp"
#include "tilewright/core/statistics.hpp"

namespace tilewright {
namespace {

/// Before a moment, and after it. One alone may be a tenth off by chance.
constexpr std::size_t nearby = 3;
/// States that are as near as this are one: within one a processor is a tenth quicker now and a tenth slower then, and
/// what is measured while the message is quick takes a tenth less itself. On a virtual machine of two processors the
/// message took 0.6 us and 1.5 to 1.9, in shared memory while they were near and far; and 310, 390 and 450 to 550 us
/// where eight ranks had a fifth of a core each.
constexpr double least_tolerance = 1.2;
/// The median change from one round trip to the next is as much as one of them may be off by chance. The median of six
/// is further off than 1.2 times that once in a hundred times, and what it is compared with may be off as well.
constexpr double share_of_change = 2;

}  // namespace

void MachineStates::add(double round_trip_s) {
  if (!round_trips_.empty() && round_trips_.back() > 0 && round_trip_s > 0) {
    const double ratio = round_trip_s / round_trips_.back();
    changes_.push_back(std::max(ratio, 1 / ratio));
  }
  round_trips_.push_back(round_trip_s);
}

/// Where two states have half of the time each, the median of all would be one of the few round trips in between.
MachineState MachineStates::prevailing() const {
  if (std::ssize(round_trips_) < fewest_round_trips) return {};
  std::vector<double> ascending = round_trips_;
  std::ranges::sort(ascending);
  const double tolerance = of(0).tolerance;
  const double width = tolerance * tolerance;  // that much shorter to that much longer than the middle
  std::span<const double> most;
  auto end = ascending.begin();
  for (auto begin = ascending.begin(); begin != ascending.end(); ++begin) {
    end = std::find_if(end, ascending.end(), [&](double longer) { return longer > width * *begin; });
    if (end - begin > std::ssize(most)) most = {begin, end};
  }
  return of(fit(most).seconds);
}

/// The machine seldom changes between two round trips, so that those differ by chance.
MachineState MachineStates::of(double round_trip_s) const {
  const double change = changes_.empty() ? 0 : median(changes_) - 1;
  return {round_trip_s, std::max(1 + share_of_change * change, least_tolerance)};
}

bool MachineStates::was_in(const MachineState& state, std::size_t moment) const {
  if (!(state.round_trip_s > 0) || round_trips_.empty()) return true;
  const std::size_t end = std::min(moment + nearby, round_trips_.size());
  const std::size_t begin = std::min(moment - std::min(moment, nearby), end - 1);
  const double around_s = median(std::span(round_trips_).subspan(begin, end - begin));
  return around_s <= state.tolerance * state.round_trip_s && state.round_trip_s <= state.tolerance * around_s;
}

std::vector<double> MachineStates::round_trips_beside(const MachineState& state) const {
  std::vector<double> beside;
  for (std::size_t moment = 0; moment < round_trips_.size(); ++moment)
    if (!was_in(state, moment)) beside.push_back(round_trips_[moment]);
  return beside;
}

PathCell message_of_state(bool within_node) {
  return {Path::full, Layout::cc, 0, {}, Packing::datatype, 0, 0, within_node};
}

bool is_told_by_state(Path path) {
  switch (path) {
    case Path::send:
    case Path::recv:
    case Path::full:
    case Path::overhead:
    case Path::to_self:
    case Path::copy:
      return true;
    default:
      return false;
  }
}

}  // namespace tilewright
