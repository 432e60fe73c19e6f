#include "launch_states.hpp"

namespace tilewright {
namespace {

bool is_told(const CellSamples& cell) {
  return cell.path && is_told_by_state(cell.path->path);
}

}  // namespace

LaunchStates::LaunchStates(const LaunchSamples& samples, double state_s)
    : samples_(samples), is_asked_for_(state_s > 0) {
  for (const auto& [place, states] : samples_.states)
    counting_[place] = is_asked_for_ && !place.second ? states.of(state_s) : states.prevailing();
  double told = 0, known = 0;
  for (const auto& [name, cell] : samples_.cells) {
    if (!is_told(cell)) continue;
    ++told;
    if (compare(cell)) ++known;
  }
  if (told > 0) share_of_cells_ = known / told;
}

std::vector<double> LaunchStates::seconds_of(const CellSamples& cell, int launch, bool in_state) const {
  const LaunchSamples::Place place{launch, cell.path->within_node};
  std::vector<double> seconds;
  for (const PlacedSample& sample : cell.launches.at(launch)) {
    if (samples_.states.at(place).was_in(counting_.at(place), sample.moment) == in_state)
      seconds.push_back(sample.seconds);
  }
  return seconds;
}

/// Whether the cell has samples of the state.
bool LaunchStates::compare(const CellSamples& cell) {
  bool is_known = false;
  for (const auto& [launch, own] : cell.launches) {
    const std::vector<double> of_it = seconds_of(cell, launch, true), of_others = seconds_of(cell, launch, false);
    if (of_it.empty()) continue;
    is_known = true;
    launches_.insert(launch);
    if (!of_others.empty()) ratios_.add(*cell.path, launch, of_it, of_others);
  }
  return is_known;
}

std::vector<PlacedSample> LaunchStates::that_count(const CellSamples& cell, int launch) const {
  const std::vector<PlacedSample>& all = cell.launches.at(launch);
  if (!is_told(cell)) return all;
  if (is_asked_for_ && !launches_.empty() && !launches_.contains(launch)) return {};
  const LaunchSamples::Place place{launch, cell.path->within_node};
  std::vector<PlacedSample> own = in_state(all, samples_.states.at(place), counting_.at(place));
  if (!seconds_of(cell, launch, true).empty()) return own;
  const double ratio = ratios_.of(*cell.path, launch).value_or(1);
  for (PlacedSample& sample : own) sample.seconds *= ratio;
  return own;
}

std::vector<double> LaunchStates::other_round_trips() const {
  std::vector<double> all;
  for (const auto& [place, states] : samples_.states) {
    if (place.second) continue;
    const std::vector<double> others = states.round_trips_beside(counting_.at(place));
    all.insert(all.end(), others.begin(), others.end());
  }
  return all;
}

}  // namespace tilewright
