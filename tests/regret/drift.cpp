#include "drift.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tilewright/calibrate/sentinels.hpp"
#include "tilewright/core/grid.hpp"
#include "tilewright/model/cell_names.hpp"

namespace tilewright::regret {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// A part of a step's time, and the cell that it is priced by, more or less.
struct Share {
  double seconds = 0;
  OperatorCell cell;
};

/// How far a cell is from what is priced: in the number of taps, or the like, before the size.
std::pair<double, double> distance(const OperatorCell& cell, const Work& work, double pixels) {
  return {std::abs(cell.parameter - work.parameter), std::abs(std::log(cell.tile_pixels / pixels))};
}

/// Of one rank and one thread.
std::optional<OperatorCell> nearest_cell(const MachineProfile& profile, const Work& work, double pixels) {
  std::optional<OperatorCell> nearest;
  for (const OperatorCell& cell : profile.operators()) {
    if (cell.key != work.key || cell.type != work.type || cell.ranks != 1 || cell.threads != 1) continue;
    if (!nearest || distance(cell, work, pixels) < distance(*nearest, work, pixels)) nearest = cell;
  }
  return nearest;
}

void add_shares(const MachineProfile& profile, const std::vector<Work>& works, double pixels,
                std::vector<Share>& shares) {
  for (const Work& work : works) {
    const double at_once = work.piece > 0 ? work.piece : pixels;
    const auto unit_s = profile.operator_seconds(work.key, work.type, work.parameter, at_once);
    const auto cell = nearest_cell(profile, work, at_once);
    if (unit_s && cell) {
      shares.push_back({*unit_s * work.units, *cell});
    } else {
      add_shares(profile, work.otherwise, pixels, shares);
    }
  }
}

/// Empty for steps that neither compute nor reduce.
std::vector<Share> shares_of(const PlanStep& step, const Plan& plan, const Pipeline& pipeline,
                             const MachineProfile& profile) {
  const bool computes = step.kind == StepKind::compute;
  if (!computes && step.kind != StepKind::reduce) return {};
  const PipelineImage& image = pipeline.images[static_cast<std::size_t>(step.image)];
  const bool on_tiles = step.site == Site::tiles;
  const Extent tile = on_tiles ? largest_tile(image.shape.extent, step.grid.value_or(plan.grid)) : image.shape.extent;
  const std::vector<Work> works =
      computes ? image.op->work(pipeline.input_shapes(step.image), tile)
               : pipeline.outputs[static_cast<std::size_t>(step.output)].reduction->work(image.shape, tile);
  std::vector<Share> shares;
  add_shares(profile, works, static_cast<double>(tile.pixels()), shares);
  return shares;
}

/// By the name of a cell: what it takes now, for what it took then.
std::map<std::string, double> ratios_now(const MachineProfile& profile, const std::vector<std::vector<Share>>& steps,
                                         double budget_s) {
  std::map<std::string, OperatorCell> cells;
  for (const std::vector<Share>& shares : steps) {
    for (const Share& share : shares) cells.try_emplace(cell_name(share.cell), share.cell);
  }
  std::vector<OperatorCell> list;
  for (const auto& [name, cell] : cells) list.push_back(cell);
  std::map<std::string, double> ratios;
  for (const Sentinel& again : measure_again(profile, list, budget_s)) ratios[again.cell] = 1 + again.drift();
  return ratios;
}

/// Of a step: the mean of its cells', by what they take of it.
double ratio_of(const std::vector<Share>& shares, const std::map<std::string, double>& ratios) {
  double then_s = 0, now_s = 0;
  for (const Share& share : shares) {
    const auto ratio = ratios.find(cell_name(share.cell));
    if (ratio == ratios.end()) continue;
    then_s += share.seconds;
    now_s += share.seconds * ratio->second;
  }
  return then_s > 0 ? now_s / then_s : 1;
}

}  // namespace

double predicted_now_s(const Plan& plan, const Pipeline& pipeline, const MachineProfile& profile, double budget_s) {
  std::vector<std::vector<Share>> steps;
  for (const PlanStep& step : plan.steps) steps.push_back(shares_of(step, plan, pipeline, profile));
  const std::map<std::string, double> ratios = ratios_now(profile, steps, budget_s);
  if (ratios.empty()) return nan;
  double sum = 0;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const PlanStep& step = plan.steps[i];
    sum += step.predicted_seconds.value_or(nan) * ratio_of(steps[i], ratios) - step.hidden_seconds;
  }
  return sum;
}

}  // namespace tilewright::regret
