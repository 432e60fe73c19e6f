#include "graph_builder.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <span>
#include <utility>

#include "graph_growth.hpp"
#include "graph_state.hpp"
#include "graph_transfers.hpp"
#include "halo_depths.hpp"
#include "placement.hpp"
#include "serving_all.hpp"
#include "tile_depths.hpp"

namespace tilewright {
namespace {

using Kind = Transition::Kind;

/// By output, whether it can be served from the tiles without computing.
std::vector<bool> outputs_on_tiles(const Pipeline& pipeline, const Offer& offer) {
  std::vector<bool> all = offer.out_parts;
  all.resize(pipeline.outputs.size(), false);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (offer.keeps_in_place && pipeline.outputs[i].kind == OutputKind::keep) all[i] = true;
  }
  return all;
}

/// By image, whether every rank may compute it for itself.
std::vector<bool> images_everywhere(const Pipeline& pipeline, const GraphLimits& limits, const Offer& offer) {
  const bool any = limits.everywhere && offer.everywhere && limits.freedom == Freedom::all;
  return any ? images_serving_all(pipeline) : std::vector<bool>(pipeline.images.size(), false);
}

class Builder {
 public:
  Builder(const Pipeline& pipeline, const GraphLimits& limits, std::size_t max_states, const Offer& offer)
      : pipeline_(pipeline),
        offer_(offer),
        everywhere_(images_everywhere(pipeline, limits, offer)),
        depths_(pipeline, limits.generations),
        needs_(pipeline, depths_, outputs_on_tiles(pipeline, offer), everywhere_),
        limits_(limits),
        max_states_(max_states),
        growth_(pipeline.images.size(), limits.keeps_states),
        transfers_(pipeline, limits_, offer, depths_, needs_, growth_) {}
  Builder(const Builder&) = delete;  // the transfers refer to members
  Builder& operator=(const Builder&) = delete;

  /// None if there are more states than allowed.
  std::optional<GraphDraft> build() && {
    for (task_ = 0; task_ < pipeline_.tasks.size(); ++task_) {
      growth_.begin_task();
      transfers_.begin_task(task_);
      touched_ = touched_by(task());
      while (const std::optional<GraphState> state = growth_.next_state()) {
        expand(*state);
        if (growth_.vertices() > max_states_) return std::nullopt;
      }
    }
    return std::move(growth_).done();
  }

 private:
  [[nodiscard]] int images() const { return static_cast<int>(pipeline_.images.size()); }
  [[nodiscard]] const Task& task() const { return pipeline_.tasks[task_]; }
  /// Of all images that the current task makes.
  void set_made(GraphState& state, int places, int depth = 0) const {
    const int first = task().index;
    for (int i = first; i < first + pipeline_.results(first); ++i) {
      state.set_places(i, places);
      state.set_depth(i, depth);
    }
  }

  /// The current task is done: what nothing needs any more is forgotten.
  void advance(GraphState state, const Transition& what, std::span<const Algorithm> choices = {}) {
    state.set_mode(TaskMode::open);
    for (const int i : touched_) {
      state.set_places(i, needs_.useful(state.places(i), task_ + 1, static_cast<std::size_t>(i)));
      if ((state.places(i) & place::tiled) == 0) state.set_depth(i, 0);
    }
    growth_.edge(growth_.after_task(std::move(state)), what, choices);
  }

  /// Images that the task makes or needs: of others it changes neither where they are nor what is needed of them. Where
  /// images may be left, all.
  [[nodiscard]] std::vector<int> touched_by(const Task& task) const {
    std::set<int> touched;
    if (limits_.forgets) {
      for (int i = 0; i < images(); ++i) touched.insert(i);
    } else if (task.kind == Task::Kind::output) {
      touched.insert(pipeline_.output(task.index).image);
    } else {
      for (int i = task.index; i < task.index + pipeline_.results(task.index); ++i) touched.insert(i);
      for (const int input : pipeline_.image(task.index).inputs) touched.insert(input);
    }
    return {touched.begin(), touched.end()};
  }

  // --- tasks ---

  void expand(const GraphState& state) {
    if (limits_.forgets) forget(state);
    if (task().kind == Task::Kind::output) {
      serve(state, pipeline_.output(task().index));
    } else if (offer_.reads_in_parts(task().index)) {
      advance(state, {});  // to be read where it is needed
    } else if (pipeline_.image(task().index).source) {
      GraphState next = state;
      next.set_places(task().index, place::on_root);
      advance(std::move(next), {.kind = Kind::read, .subject = task().index});
    } else {
      for (int grid = 0; grid < limits_.grids; ++grid) {
        if (may_use_tiles(state, grid)) compute_tiles(state, grid);
      }
      if (may_use_root(state)) compute_root(state);
      if (may_be_everywhere(state)) compute_everywhere(state);
    }
  }

  /// Of an image in two places, one may be left: that in which the current task does not work. What can be read again
  /// may be left altogether, before the task begins. A whole image that the program gets or keeps stays.
  void forget(const GraphState& state) {
    const bool is_open = state.mode() == TaskMode::open;
    for (int i = 0; i < images(); ++i) {
      const int held = state.places(i);
      const bool is_whole = (held & (place::on_root | place::replicated)) != 0;
      const bool is_tiled = (held & place::tiled) != 0;
      const bool is_in_file = offer_.reads_in_parts(i) && !is_tiled_source(pipeline_.image(i));
      const bool needs_no_other = is_open && is_in_file;
      const bool is_being_cut = (held & place::replicated) != 0 && !is_open;
      if (is_whole && !is_for_program(i) && !is_being_cut &&
          (needs_no_other || (is_tiled && !works_on_whole(state.mode())))) {
        transfers_.leave(state, i, place::on_root | place::replicated, place::left_whole);
      }
      if (is_tiled && (needs_no_other || (is_whole && (is_open || works_on_whole(state.mode()))))) {
        transfers_.leave(state, i, place::tiled | place::haloed | place::cyclic | place::second, place::left_tiles);
      }
    }
  }

  [[nodiscard]] bool is_for_program(int image) const {
    return std::any_of(pipeline_.outputs.begin(), pipeline_.outputs.end(), [&](const PipelineOutput& output) {
      return output.image == image && (output.kind == OutputKind::fetch || output.kind == OutputKind::keep);
    });
  }

  [[nodiscard]] bool may_use_tiles(const GraphState& state, int grid) const {
    if (state.mode() != TaskMode::open) return state.mode() == mode_on(grid);
    return limits_.freedom != Freedom::uniform || state.any_tiled() || !any_computed(state);
  }

  [[nodiscard]] bool may_use_root(const GraphState& state) const {
    if (state.mode() != TaskMode::open) return state.mode() == TaskMode::root;
    return limits_.freedom == Freedom::all || !state.any_tiled();
  }

  [[nodiscard]] bool may_be_everywhere(const GraphState& state) const {
    const bool may_be = everywhere_[static_cast<std::size_t>(task().index)];
    return may_be && (state.mode() == TaskMode::open || state.mode() == TaskMode::everywhere);
  }

  [[nodiscard]] bool any_computed(const GraphState& state) const {
    for (int i = 0; i < images(); ++i) {
      if (state.places(i) != 0 && !pipeline_.image(i).source) return true;
    }
    return false;
  }

  void compute_root(const GraphState& state) {
    for (const int input : pipeline_.image(task().index).inputs) {
      if (state.places(input) & place::on_root) continue;
      transfers_.bring_to_root(state, input, TaskMode::root);
      return;  // one input at a time: the others follow from the state that this leads to
    }
    GraphState next = state;
    set_made(next, place::on_root);
    advance(std::move(next), {.kind = Kind::compute_root, .subject = task().index});
  }

  void compute_everywhere(const GraphState& state) {
    for (const int input : pipeline_.image(task().index).inputs) {
      if (state.places(input) & place::replicated) continue;
      transfers_.replicate(state, input);
      return;
    }
    GraphState next = state;
    set_made(next, place::on_root | place::replicated);
    advance(std::move(next), {Kind::compute_everywhere, task().index});
  }

  void compute_tiles(const GraphState& state, int grid) {
    const Operator& op = *pipeline_.image(task().index).op;
    const bool halo = !op.halo().empty();
    const bool wrap = halo && op.border() == Border::wrap;
    for (const int input : pipeline_.image(task().index).inputs) {
      const int held = state.places(input);
      if (!(held & place::tiled)) {
        transfers_.distribute(state, input, grid);
        return;
      }
      if (grid_of(held) != grid) {
        transfers_.redistribute(state, input, grid);
        return;
      }
      if (halo && !(held & (wrap ? place::cyclic : place::haloed))) {
        transfers_.exchange(state, input, grid, op.border());
        return;
      }
    }
    GraphState next = state;
    if (halo && !wrap) {  // filling the border overwrites what a cyclic exchange brought
      for (const int input : pipeline_.image(task().index).inputs) {
        next.set_places(input, next.places(input) & ~place::cyclic);
      }
    }
    for (const TileDepth& made : depths_of_result(state)) {
      set_made(next, place::tiled | on_grid(grid) | (made.filled ? place::haloed : 0), made.depth);
      advance(next, {.kind = Kind::compute_tiles,
                     .subject = task().index,
                     .depth = made.depth,
                     .filled = made.filled,
                     .grid = grid});
    }
  }

  /// An operator computes beyond its tile as far as its inputs' halos let it.
  [[nodiscard]] std::vector<TileDepth> depths_of_result(const GraphState& state) const {
    const PipelineImage& result = pipeline_.image(task().index);
    const Halo halo = result.op->halo();
    return tile_depths(depths_, task().index, limits_.deepest_only, [&](int margin) {
      const Halo beyond = depths_.of(task().index)[static_cast<std::size_t>(margin)];
      return std::all_of(result.inputs.begin(), result.inputs.end(), [&](int input) {
        const Halo& valid = depths_.of(input)[static_cast<std::size_t>(state.depth(input))];
        return (state.places(input) & place::haloed) && valid.covers({beyond.x + halo.x, beyond.y + halo.y});
      });
    });
  }

  void serve(const GraphState& state, const PipelineOutput& output) {
    const int held = state.places(output.image);
    if (output.kind == OutputKind::reduce && (held & place::tiled) && state.mode() == TaskMode::open) {
      advance(state, {.kind = Kind::reduce_tiles, .subject = task().index, .grid = grid_of(held)}, all_trees);
      if (limits_.freedom != Freedom::all) return;
    }
    if (offer_.writes_in_parts(task().index) && (held & place::tiled) && state.mode() == TaskMode::open) {
      advance(state, {.kind = Kind::write_tiles, .subject = task().index, .grid = grid_of(held)});
    }
    if (output.kind == OutputKind::keep && offer_.keeps_in_place && (held & place::tiled)) {
      advance(state, {});
      return;
    }
    const bool is_on_tiles_alone = (held & place::tiled) && !(held & (place::on_root | place::replicated));
    if (output.kind == OutputKind::fetch && is_on_tiles_alone && state.mode() == TaskMode::open)
      transfers_.gather_everywhere(state, output.image, TaskMode::root);
    if (!(held & place::on_root)) {
      transfers_.bring_to_root(state, output.image, TaskMode::root);
      return;
    }
    switch (output.kind) {
      case OutputKind::write:
        advance(state, {.kind = Kind::write, .subject = task().index});
        break;
      case OutputKind::keep:
        advance(state, {});
        break;
      case OutputKind::reduce:
        advance(state, {Kind::reduce_root, task().index}, all_trees);
        break;
      case OutputKind::fetch:
        if (held & place::replicated) {
          advance(state, {});
        } else {
          transfers_.deliver(state, output.image);
        }
        break;
    }
  }

  const Pipeline& pipeline_;
  const Offer& offer_;
  std::vector<bool> everywhere_;  // by image: every rank may compute it for itself
  HaloDepths depths_;
  FutureNeeds needs_;
  GraphLimits limits_;
  std::size_t max_states_;
  GraphGrowth growth_;
  GraphTransfers transfers_;
  std::size_t task_ = 0;
  std::vector<int> touched_;  // by it
};

}  // namespace

std::optional<GraphDraft> build_graph(const Pipeline& pipeline, const GraphLimits& limits, std::size_t max_states,
                                      const Offer& offer) {
  return Builder(pipeline, limits, max_states, offer).build();
}

}  // namespace tilewright
