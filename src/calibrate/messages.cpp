#include "tilewright/calibrate/messages.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <sstream>

#include "message_team.hpp"
#include "path_calibration.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/model/cell_names.hpp"

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

}  // namespace

std::vector<PathCell> measure_messages(const Communicator& communicator, std::vector<PathCell> cells,
                                       const MessageEffort& effort) {
  if (communicator.ranks() < 2) throw ParameterError("measure_messages: start 2 ranks or more, with mpiexec");
  cells = common(communicator, cells);
  const MessageTeam team = team_between_nodes(communicator);
  std::vector<PathCell> measured;
  if (team.pairs_this_rank()) {
    CellGroup group{empty_messages(), effort.budget_s, false};
    std::copy_if(cells.begin(), cells.end(), std::back_inserter(group.cells),
                 [&](const PathCell& cell) { return !holds(empty_messages(), cell); });
    SampleLog log;
    Progress progress(communicator.is_root() ? effort.on_progress : nullptr, effort.budget_s);
    measured = measure_groups(team, {group}, {effort.passes, effort.seed}, log, progress);
    std::erase_if(measured, [&](const PathCell& cell) { return !holds(cells, cell); });
    progress.finish();
  }
  communicator.barrier();
  return measured;
}

}  // namespace tilewright
