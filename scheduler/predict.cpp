#include "tilewright/scheduler/predict.hpp"

#include <fmt/format.h>

#include "tilewright/core/error.hpp"

namespace tilewright {

std::vector<PredictionRow> predict(const CostModel& model, const PredictionRequest& request) {
  if (request.ranks < 1) throw ParameterError(fmt::format("{} ranks: at least 1 is needed", request.ranks));
  if (request.ranks > most_planned_ranks) {
    throw ParameterError(
        fmt::format("{} ranks: transfers are laid out for {} at most", request.ranks, most_planned_ranks));
  }
  if (request.operation == TransferKind::redistribute) {
    throw ParameterError("a redistribution leads from one grid to another: a plan prices it, not a table over grids");
  }
  const bool exchange = request.operation == TransferKind::exchange;
  std::vector<std::optional<Algorithm>> trees{Algorithm::oft, Algorithm::sbt};
  if (!goes_along_tree(request.operation)) trees = {std::nullopt};
  const Halo halo = exchange ? request.border : Halo{};

  std::vector<PredictionRow> rows;
  for (const ProcessGrid& grid : grids_of(request.ranks)) {
    // A broadcast cuts nothing, so no grid is too fine for it.
    const std::string infeasible =
        request.operation == TransferKind::broadcast ? std::string() : why_infeasible(request.image.extent, grid, halo);
    for (const auto& tree : trees) {
      const Schedule schedule = make_schedule({request.operation, tree, grid, request.image, halo, halo});
      rows.push_back({request.operation, grid, tree, model.transfer_seconds(schedule), infeasible});
    }
  }
  return rows;
}

}  // namespace tilewright
