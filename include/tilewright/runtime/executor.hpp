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

class DiscardOfParts;

/// What of a run is timed.
enum class Timing {
  none,       ///< the trace has no times, and runs follow each other as closely as their messages allow
  whole,      ///< ranks begin together, by barriers, and their times are gathered at the end
  each_step,  ///< and steps are separated, too, so that each one is timed; none are done at the same time
};

struct ExecutionOptions {
  Timing timing = Timing::whole;
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

/// A plan that all ranks agree on and that can be executed on them, any number of times. What the plan predicts begins
/// after this: agreeing takes as long as a small image on a slow wire.
class ExecutablePlan {
 public:
  /// All three must outlive it. Collective. Throws ParameterError if the plan is for another pipeline (hash), needs
  /// more ranks than there are, has a grid that does not fit the images, or lays ranks out on nodes as these do not
  /// lie; the same on every rank.
  ExecutablePlan(const Plan& plan, const Pipeline& pipeline, const Communicator& started);
  /// Collective. Throws what sources, sinks and MPI throw, on the rank that meets it.
  [[nodiscard]] ExecutionResult execute(const ExecutionOptions& options = {}) const;

 private:
  const Plan& plan_;
  const Pipeline& pipeline_;
  const Communicator& communicator_;  ///< with the numbers of the plan's grid
  std::shared_ptr<const DiscardOfParts> discard_;
};

/// Once.
[[nodiscard]] ExecutionResult execute(const Plan& plan, const Pipeline& pipeline, const Communicator& started,
                                      const ExecutionOptions& options = {});

}  // namespace tilewright
