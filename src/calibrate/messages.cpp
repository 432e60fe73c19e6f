#include "tilewright/calibrate/messages.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <sstream>

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
  return std::any_of(cells.begin(), cells.end(),
                     [&](const PathCell& cell) { return cell_name(cell) == cell_name(wanted); });
}

/// The root's, on every rank, without their times. How far messages reach tells each end what memory it needs.
std::vector<PathCell> common(const Communicator& communicator, const std::vector<PathCell>& cells) {
  std::vector<std::string> names;
  for (const PathCell& cell : cells) names.push_back(cell_name(cell));
  std::istringstream text(communicator.broadcast(fmt::format("{}", fmt::join(names, "\n"))));
  std::vector<PathCell> all;
  for (std::string name; std::getline(text, name);) all.push_back(path_cell_named(name).value());
  return all;
}

/// Where ranks can be put on cores the root and its partner change places at half of the time, as in a calibration.
int places_of(const Communicator& communicator) {
  return communicator.of_root(PinnedRank::is_possible(communicator) ? 2 : 1);
}

/// In the place's share of the time; on the root.
std::vector<PathCell> measure_in_place(const MessageTeam& team, const std::vector<PathCell>& cells,
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
  std::vector<PathCell> measured =
      measure_groups(team, {group}, {effort.passes, effort.seed + static_cast<std::uint64_t>(place)}, log, progress);
  std::erase_if(measured, [&](const PathCell& cell) { return !holds(cells, cell); });
  progress.finish();
  return measured;
}

/// Each cell's time is the mean of its places'.
std::vector<PathCell> of_all_places(const std::vector<std::vector<PathCell>>& by_place) {
  std::map<std::string, std::vector<Estimate>> times;
  for (const std::vector<PathCell>& cells : by_place) {
    for (const PathCell& cell : cells) times[cell_name(cell)].push_back(cell.time);
  }
  std::vector<PathCell> all = by_place.front();
  for (PathCell& cell : all) cell.time = *combined(times.at(cell_name(cell)), mean);
  return all;
}

}  // namespace

std::vector<PathCell> measure_messages(const Communicator& communicator, std::vector<PathCell> cells,
                                       const MessageEffort& effort) {
  if (communicator.ranks() < 2) throw ParameterError("measure_messages: start 2 ranks or more, with mpiexec");
  cells = common(communicator, cells);
  const MessageTeam team = team_between_nodes(communicator);
  std::vector<std::vector<PathCell>> by_place;
  const int places = places_of(communicator);
  for (int place = 0; place < places; ++place) {
    const PinnedRank pinned(communicator, place);
    by_place.push_back(measure_in_place(team, cells, effort, place, places));
    communicator.barrier();
  }
  return of_all_places(by_place);
}

}  // namespace tilewright
