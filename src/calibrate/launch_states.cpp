#include "launch_states.hpp"

#include "tilewright/model/cell_names.hpp"

namespace tilewright {

MachineState LaunchStates::state_in(const Place& place) const {
  const auto known = counting_.find(place);
  if (known != counting_.end()) return known->second;
  const MachineStates& states = states_.at(place);
  return state_s_ > 0 && !place.second ? states.of(state_s_) : states.prevailing();
}

std::size_t LaunchStates::read(const RawSample& sample, const std::optional<PathCell>& cell) {
  if (!cell || !is_told_by_state(cell->path)) return 0;
  MachineStates& states = states_[{sample.launch, cell->within_node}];
  const std::size_t moment = states.moment();
  if (*cell == message_of_state(cell->within_node)) states.add(sample.seconds);
  return moment;
}

void LaunchStates::compare(const std::vector<PlacedSample>& samples, const std::optional<PathCell>& cell, int launch) {
  if (!cell || !is_told_by_state(cell->path)) return;
  const Place place{launch, cell->within_node};
  const MachineState state = state_in(place);
  counting_.emplace(place, state);
  std::vector<double> of_it, of_others;
  for (const PlacedSample& sample : samples)
    (states_.at(place).was_in(state, sample.moment) ? of_it : of_others).push_back(sample.seconds);
  (of_it.empty() ? without_ : with_).insert({launch, cell_name(*cell)});
  if (of_it.empty()) return;
  launches_.insert(launch);
  if (!of_others.empty()) ratios_.add(*cell, launch, of_it, of_others);
}

std::vector<PlacedSample> LaunchStates::that_count(const std::vector<PlacedSample>& samples,
                                                   const std::optional<PathCell>& cell, int launch) const {
  if (!cell || !is_told_by_state(cell->path)) return samples;
  if (state_s_ > 0 && !launches_.empty() && !launches_.contains(launch)) return {};
  const Place place{launch, cell->within_node};
  std::vector<PlacedSample> own = in_state(samples, states_.at(place), state_in(place));
  if (!without_.contains({launch, cell_name(*cell)})) return own;
  const double ratio = ratios_.of(*cell, launch).value_or(1);
  for (PlacedSample& sample : own) sample.seconds *= ratio;
  return own;
}

std::vector<double> LaunchStates::other_round_trips() const {
  std::vector<double> all;
  for (const auto& [place, states] : states_) {
    if (place.second) continue;
    const std::vector<double> others = states.round_trips_beside(state_in(place));
    all.insert(all.end(), others.begin(), others.end());
  }
  return all;
}

double LaunchStates::share_of_cells() const {
  std::set<std::string> all, known;
  for (const auto& [launch, cell] : with_) known.insert(cell);
  for (const auto& [launch, cell] : without_) all.insert(cell);
  all.insert(known.begin(), known.end());
  return all.empty() ? 0 : static_cast<double>(known.size()) / static_cast<double>(all.size());
}

}  // namespace tilewright
