// The transfers that bring an image to where the current task needs it.
//
// A new transfer is a new function here, and a call where it is of use: in another transfer, or in the builder, for a
// task. What a transfer leads to is a state of the same task, whose mode says what it is for.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "graph_growth.hpp"
#include "graph_limits.hpp"
#include "graph_state.hpp"
#include "halo_depths.hpp"
#include "offer.hpp"
#include "placement.hpp"
#include "tile_depths.hpp"
#include "tilewright/pipeline/pipeline.hpp"

namespace tilewright {

/// Each function adds the edges of all ways from one state, and none where the image has left that place. Images that
/// are in the place already are the caller's to see.
class GraphTransfers {
 public:
  /// Refers to all that it is given.
  GraphTransfers(const Pipeline& pipeline, const GraphLimits& limits, const Offer& offer, const HaloDepths& depths,
                 const FutureNeeds& needs, GraphGrowth& growth)
      : pipeline_(pipeline), limits_(limits), offer_(offer), depths_(depths), needs_(needs), growth_(growth) {}

  /// As the growth does.
  void begin_task(std::size_t task) { task_ = task; }

  /// To the root, for a task that is then done in that mode.
  void bring_to_root(const GraphState& state, int image, TaskMode then);
  /// To every rank, whole, to be computed on by each: from the root, or from all tiles at once.
  void replicate(const GraphState& state, int image);
  /// From all tiles to every rank at once.
  void gather_everywhere(const GraphState& state, int image, TaskMode then);
  /// From the root to every rank, for the program.
  void deliver(const GraphState& state, int image);
  /// To the tiles of a grid, with a halo or without.
  void distribute(const GraphState& state, int image, int grid);
  /// From the tiles of the other grid.
  void redistribute(const GraphState& state, int image, int grid);
  /// The halos of its tiles. It may pass while the task is computed, if that is the next thing to do.
  void exchange(const GraphState& state, int image, int grid, Border border);
  /// Forgets pixels of the image: places `left`, which are then marked `as_left`.
  void leave(GraphState state, int image, int left, int as_left);

 private:
  void add(GraphState state, int new_places, TaskMode new_mode, const Transition& what,
           std::span<const Algorithm> choices = {});
  [[nodiscard]] std::size_t prepared(GraphState state, int new_places, TaskMode new_mode, const Transition& what);

  void read(const GraphState& state, int image, TaskMode then);
  void read_tiles(const GraphState& state, int image, int grid);
  void gather(const GraphState& state, int image, TaskMode then);
  void scatter(const GraphState& state, int image, int grid);
  void extract(const GraphState& state, int image, int grid);

  [[nodiscard]] std::vector<TileDepth> depths_of(int image) const;
  [[nodiscard]] int beside_tiles(int held, int image) const;
  [[nodiscard]] bool is_tiled_source(int image) const;
  [[nodiscard]] bool all_is_there_but(const GraphState& state, int exchanged, int grid) const;

  const Pipeline& pipeline_;
  const GraphLimits& limits_;
  const Offer& offer_;
  const HaloDepths& depths_;
  const FutureNeeds& needs_;
  GraphGrowth& growth_;
  std::size_t task_ = 0;
};

}  // namespace tilewright
