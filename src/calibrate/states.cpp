#include "tilewright/calibrate/states.hpp"

#include <algorithm>
#include <cmath>

#include "launch_states.hpp"
#include "refit.hpp"
#include "tilewright/calibrate/fit.hpp"
#include "tilewright/calibrate/messages.hpp"
#include "tilewright/model/cell_names.hpp"

namespace tilewright {
namespace {

/// Processors that are far from each other take three times as long for the empty message as ones that are near.
constexpr double least_difference = 1.5;
/// Of the messages; others are told by these.
constexpr double least_share_of_cells = 0.8;
constexpr int passes = 11;
constexpr double look_s = 0.2;

double distance(double a_s, double b_s) {
  return a_s > 0 && b_s > 0 ? std::abs(std::log(a_s / b_s)) : 0;
}

bool may_have_another(const MachineProfile& profile) {
  const bool is_refreshed = !profile.refresh().date.empty();
  return profile.fingerprint().nodes == 1 && !is_refreshed && state_of(profile) > 0;
}

/// 0 if there is none.
double other_state(const MachineProfile& profile, const LaunchSamples& samples) {
  const double own_s = state_of(profile);
  const std::vector<double> others = LaunchStates(samples, own_s).other_round_trips();
  if (std::ssize(others) < fewest_round_trips) return 0;
  const double other_s = fit(others).seconds;
  if (distance(own_s, other_s) < std::log(least_difference)) return 0;
  return LaunchStates(samples, other_s).share_of_cells() < least_share_of_cells ? 0 : other_s;
}

}  // namespace

double state_of(const MachineProfile& profile) {
  const PathCell* found = find_cell(profile.paths(), cell_name(message_of_state(false)));
  if (found == nullptr || found->time.samples < fewest_round_trips) return 0;
  return 2 * profile.message_time(*found).seconds;  // a way there and one back
}

std::vector<MachineProfile> profiles_of_states(const MachineProfile& profile, const std::vector<RawSample>& samples) {
  std::vector<MachineProfile> states{profile};
  if (!may_have_another(profile)) return states;
  const LaunchSamples by_launch(samples);
  const double other_s = other_state(profile, by_launch);
  if (other_s > 0) states.push_back(fitted_profile(profile.name(), profile.fingerprint(), by_launch, other_s));
  return states;
}

const MachineProfile& nearest_state(const std::vector<MachineProfile>& states, double state_s) {
  return *std::ranges::min_element(states, {},
                                   [&](const MachineProfile& profile) { return distance(state_of(profile), state_s); });
}

double present_state(const Communicator& communicator) {
  const std::vector<PathCell> empty{message_of_state(false)};
  const std::vector<PathCell> now = cells_of(measure_messages(communicator, empty, {passes, look_s}));
  return now.empty() ? 0 : 2 * now.front().time.seconds;
}

}  // namespace tilewright
