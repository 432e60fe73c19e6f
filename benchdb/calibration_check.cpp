#include "calibration_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "tilewright/core/error.hpp"
#include "tilewright/model/cell_names.hpp"

namespace tilewright {
namespace {

void require_finite(double value, const std::string& what) {
  if (!std::isfinite(value)) {
    throw ParameterError(fmt::format("{} is {}: only finite numbers can be stored, measure again", what, value));
  }
}

bool is_utf8(const std::string& text) {
  try {
    (void)nlohmann::json(text).dump();
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

void add_sample_problems(const Calibration& calibration, std::vector<std::string>& problems) {
  std::set<std::string> cells;
  for (const PathCell& cell : calibration.profile.paths()) cells.insert(cell_name(cell));
  for (const OperatorCell& cell : calibration.profile.operators()) cells.insert(cell_name(cell));
  std::set<std::string> strangers;
  for (const RawSample& sample : calibration.samples) {
    if (!cells.contains(sample.cell)) strangers.insert(sample.cell);
    if (!std::isfinite(sample.seconds) || sample.seconds < 0) {
      problems.push_back(
          fmt::format("sample {} of {} took {} s, which cannot be", sample.order, sample.cell, sample.seconds));
    }
  }
  for (const std::string& cell : strangers) problems.push_back(fmt::format("samples of {}, which is no cell", cell));
}

void add_path_problems(const MachineProfile& profile, std::vector<std::string>& problems) {
  if (!profile.has_paths()) return;
  std::set<std::pair<Path, Layout>> rows;
  for (const PathCell& cell : profile.paths()) {
    if (!cell.within_node) rows.emplace(cell.path, cell.layout);
  }
  for (const Path path : all_paths) {
    for (const Layout layout : all_layouts) {
      if (rows.contains({path, layout})) continue;
      problems.push_back(fmt::format("no measurement of path {} with layout {}", to_string(path), to_string(layout)));
    }
  }
}

}  // namespace

void require_storable(const Calibration& calibration) {
  const MachineProfile& profile = calibration.profile;
  if (profile.name().empty()) throw ParameterError("a machine needs a name to be kept: give one with --machine");
  const std::string& machine = profile.name();
  if (std::any_of(machine.begin(), machine.end(), [](unsigned char c) { return c < ' '; })) {
    throw ParameterError("a machine's name may hold no control characters");
  }
  if (!is_utf8(machine)) {
    throw ParameterError(
        fmt::format("the machine's name '{}' is not UTF-8, as JSON needs it: give another with --machine", machine));
  }
  for (const PathCell& cell : profile.paths()) {
    require_finite(cell.time.seconds, "the time of " + cell_name(cell));
    require_finite(cell.time.spread_s, "the spread of " + cell_name(cell));
  }
  for (const OperatorCell& cell : profile.operators()) {
    require_finite(cell.parameter, "the parameter of " + cell_name(cell));
    require_finite(cell.tile_pixels, "the tile size of " + cell_name(cell));
    require_finite(cell.time_per_unit.seconds, "the time of " + cell_name(cell));
    require_finite(cell.time_per_unit.spread_s, "the spread of " + cell_name(cell));
  }
  for (const RawSample& sample : calibration.samples) require_finite(sample.seconds, "a sample of " + sample.cell);
}

std::vector<std::string> problems_of(const Calibration& calibration) {
  std::vector<std::string> problems;
  add_path_problems(calibration.profile, problems);
  add_sample_problems(calibration, problems);
  return problems;
}

}  // namespace tilewright
