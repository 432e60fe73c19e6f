// In which state the machine was when samples were taken.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "tilewright/model/cells.hpp"

namespace tilewright {

/// Fewer round trips of the empty message are of a calibration that is too short for the machine to change meanwhile,
/// or that did not look.
inline constexpr std::int64_t fewest_round_trips = 8;

/// What the empty message takes there and back again in a state, from that to `tolerance` times as long or as short; 0:
/// any state.
struct MachineState {
  double round_trip_s = 0;
  double tolerance = 1;
};

/// A host moves the processors of a virtual machine nearer to each other or farther apart, and lends the other halves
/// of their cores to strangers, for seconds or minutes at a time, and the kernel is told of neither. An empty message,
/// there and back again and again among all others, tells: it is a sign from outside of what they take themselves.
class MachineStates {
 public:
  /// The next round trip of the empty message.
  void add(double round_trip_s);

  /// That of a sample which is taken now.
  [[nodiscard]] std::size_t moment() const { return round_trips_.size(); }

  /// The state that the machine was in for most of the time; any, if round trips are too few to tell.
  [[nodiscard]] MachineState prevailing() const;
  /// That state, as well as these round trips can tell; any, if it is 0.
  [[nodiscard]] MachineState of(double round_trip_s) const;

  /// Whether the machine was in that state: by the median of the round trips around that moment.
  [[nodiscard]] bool was_in(const MachineState& state, std::size_t moment) const;
  /// Those that were not taken in it.
  [[nodiscard]] std::vector<double> round_trips_beside(const MachineState& state) const;

 private:
  std::vector<double> round_trips_;
  std::vector<double> changes_;  ///< from each to the next, by which factor the longer one is longer
};

/// The message that tells.
[[nodiscard]] PathCell message_of_state(bool within_node);

/// Whether the state tells of such messages: those that are measured one after another with that one among them.
[[nodiscard]] bool is_told_by_state(Path path);

/// The samples that were taken in that state; all of them if none was, or if they are so few that the median of all
/// tells more: it bears those of other states as long as they are no more than half. `Sample` has a `moment`.
template <class Sample>
[[nodiscard]] std::vector<Sample> in_state(const std::vector<Sample>& samples, const MachineStates& states,
                                           const MachineState& state) {
  std::vector<Sample> found;
  std::copy_if(samples.begin(), samples.end(), std::back_inserter(found),
               [&](const Sample& sample) { return states.was_in(state, sample.moment); });
  const bool are_few = std::ssize(found) < samples_enough && 2 * found.size() >= samples.size();
  return found.empty() || are_few ? samples : found;
}

}  // namespace tilewright
