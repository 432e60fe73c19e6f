#include "tilewright/calibrate/messages.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>

#include "common_cells.hpp"
#include "machine_states.hpp"
#include "message_team.hpp"
#include "path_calibration.hpp"
#include "tilewright/calibrate/fit.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/core/statistics.hpp"
#include "tilewright/model/cell_names.hpp"
#include "tilewright/runtime/pinned_rank.hpp"

namespace tilewright {
namespace {

/// The empty messages whose way back is taken from round trips.
std::vector<PathCell> empty_messages() {
  std::vector<PathCell> cells;
  for (const Layout layout : all_layouts) cells.push_back({Path::full, layout, 0, {}});
  return cells;
}

bool holds(const std::vector<PathCell>& cells, const PathCell& wanted) {
  return find_cell(cells, cell_name(wanted)) != nullptr;
}

/// Where ranks can be put on cores the root and its partner change places at half of the time, as in a calibration.
int places_of(const Communicator& communicator) {
  return communicator.of_root(PinnedRank::is_possible(communicator) ? 2 : 1);
}

/// In the place's share of the time; on the root.
std::vector<TimedMessage> measure_in_place(const MessageTeam& team, const std::vector<PathCell>& cells,
                                           const MessageEffort& effort, int place, int places) {
  if (!team.pairs_this_rank()) return {};
  CellGroup group{empty_messages(), effort.budget_s / places};
  std::copy_if(cells.begin(), cells.end(), std::back_inserter(group.cells),
               [&](const PathCell& cell) { return !holds(empty_messages(), cell); });
  SampleLog log;
  const auto on_progress = [&](double done, const std::string& what) {
    effort.on_progress((place + done) / places, what);
  };
  Progress progress(team.communicator.is_root() && effort.on_progress
                        ? on_progress
                        : std::function<void(double, const std::string&)>(),
                    group.budget_s);
  const SamplingEffort sampling{effort.passes, effort.seed + static_cast<std::uint64_t>(place), effort.state_s};
  std::vector<TimedMessage> measured = measure_groups(team, {group}, sampling, log, progress);
  std::erase_if(measured, [&](const TimedMessage& message) { return !holds(cells, message.cell); });
  progress.finish();
  return measured;
}

/// One message's, from all places: the mean of those that have samples of the state, or of all if none has.
TimedMessage of_places(const std::vector<const TimedMessage*>& places) {
  const bool is_any_in_state = std::ranges::any_of(places, [](const auto* place) { return place->in_state > 0; });
  TimedMessage message{places.front()->cell, {}, 0};
  std::vector<Estimate> times, of_any_state;
  for (const TimedMessage* place : places) {
    of_any_state.push_back(place->of_any_state);
    message.in_state += place->in_state;
    if (place->in_state > 0 || !is_any_in_state) times.push_back(place->cell.time);
  }
  message.cell.time = *combined(times, mean);
  message.of_any_state = *combined(of_any_state, mean);
  return message;
}

std::vector<TimedMessage> of_all_places(const std::vector<std::vector<TimedMessage>>& by_place) {
  std::map<std::string, std::vector<const TimedMessage*>> by_name;
  for (const std::vector<TimedMessage>& messages : by_place) {
    for (const TimedMessage& message : messages) by_name[cell_name(message.cell)].push_back(&message);
  }
  std::vector<TimedMessage> all;
  for (const TimedMessage& message : by_place.front()) all.push_back(of_places(by_name.at(cell_name(message.cell))));
  return all;
}

}  // namespace

std::vector<PathCell> cells_of(const std::vector<TimedMessage>& messages) {
  std::vector<PathCell> cells;
  for (const TimedMessage& message : messages) cells.push_back(message.cell);
  return cells;
}

std::vector<TimedMessage> measure_messages(const Communicator& communicator, std::vector<PathCell> cells,
                                           const MessageEffort& effort) {
  if (communicator.ranks() < 2) throw ParameterError("measure_messages: start 2 ranks or more, with mpiexec");
  cells = common_cells(communicator, cells);  // their reach tells each end what memory it needs
  const MessageTeam team = team_between_nodes(communicator);
  std::vector<std::vector<TimedMessage>> by_place;
  const int places = places_of(communicator);
  for (int place = 0; place < places; ++place) {
    const PinnedRank pinned(communicator, place);
    by_place.push_back(measure_in_place(team, cells, effort, place, places));
    communicator.barrier();
  }
  return of_all_places(by_place);
}

}  // namespace tilewright
