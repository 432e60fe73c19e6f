// Executes a plan, whoever made it. Knows no cost model.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "tilewright/model/plan.hpp"
#include "tilewright/pipeline/pipeline.hpp"
#include "tilewright/runtime/communicator.hpp"

namespace tilewright {

struct ExecutionOptions {
  /// Begin together, by barriers, and gather the times at the end. Otherwise the trace has no times, and runs follow
  /// each other as closely as their messages allow.
  bool timed = true;
  bool analyze = false;  ///< if timed: separate the steps by barriers and time each one; none are done at the same time
  /// Called on the root before each step, for progress: the step's index. For steps that are done at the same time,
  /// before the first of them.
  std::function<void(std::size_t)> on_step = {};
};

/// What an output of the pipeline yielded, on this rank.
struct OutputResult {
  /// fetch: on every rank; keep: on the root, or of each rank the tile that stays there.
  std::shared_ptr<const Raster> pixels;
  std::optional<ProcessGrid> tiled_on;  ///< keep, if it stays on tiles: on every rank
  std::vector<double> values;           ///< reduce: on every rank
};

struct ExecutionResult {
  Trace trace;                        ///< complete on the root; elsewhere, and if not timed, without measured times
  std::vector<OutputResult> outputs;  ///< by output of the pipeline
};

/// Collective. Throws ParameterError if the plan is for another pipeline (hash), needs more ranks than there are, has
/// a grid that does not fit the images, or lays ranks out on nodes as these do not lie; the same on every rank.
[[nodiscard]] ExecutionResult execute(const Plan& plan, const Pipeline& pipeline, const Communicator& started,
                                      const ExecutionOptions& options = {});

}  // namespace tilewright
