// What a single transfer would cost on every process grid, without any pipeline.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tilewright/scheduler/cost_model.hpp"

namespace tilewright {

struct PredictionRequest {
  TransferKind operation = TransferKind::scatter;
  ImageShape image;
  int ranks = 1;
  Halo border;  ///< of an exchange: how much is filled, and how the tiles are stored
};

struct PredictionRow {
  TransferKind operation = TransferKind::scatter;
  ProcessGrid grid;
  std::optional<Algorithm> tree;  ///< none for an exchange
  double seconds = 0;             ///< the formula's, also where the grid is infeasible
  std::string infeasible;         ///< empty, or the reason
};

/// A row for every grid and tree, grids by x ascending, OFT before SBT. Tiles of a scatter or gather are stored without
/// halo, as the paper has them. Throws ParameterError for less than one rank.
[[nodiscard]] std::vector<PredictionRow> predict(const CostModel& model, const PredictionRequest& request);

}  // namespace tilewright
