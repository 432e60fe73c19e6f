#include "graph_builder.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <span>
#include <utility>

#include "graph_growth.hpp"
#include "graph_state.hpp"
#include "halo_depths.hpp"
#include "placement.hpp"
#include "serving_all.hpp"

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
        algorithms_(offer.algorithms),
        in_parts_(offer.in_parts),
        out_parts_(offer.out_parts),
        offer_(offer),
        everywhere_(images_everywhere(pipeline, limits, offer)),
        depths_(pipeline, limits.generations),
        needs_(pipeline, depths_, outputs_on_tiles(pipeline, offer), everywhere_),
        limits_(limits),
        max_states_(max_states),
        growth_(pipeline.images.size(), limits.keeps_states) {}

  /// None if there are more states than allowed.
  std::optional<GraphDraft> build() && {
    for (task_ = 0; task_ < pipeline_.tasks.size(); ++task_) {
      growth_.begin_task();
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
  [[nodiscard]] const PipelineImage& image(int index) const {
    return pipeline_.images[static_cast<std::size_t>(index)];
  }
  /// Of all images that the current task makes.
  void set_made(GraphState& state, int places, int depth = 0) const {
    const int first = task().index;
    for (int i = first; i < first + pipeline_.results(first); ++i) {
      state.set_places(i, places);
      state.set_depth(i, depth);
    }
  }

  // --- edges ---

  /// A transfer for the current task: the next state is of the same task.
  void prepare(GraphState state, int new_places, TaskMode new_mode, const Transition& what,
               std::span<const Algorithm> choices = {}) {
    growth_.edge(prepared(std::move(state), new_places, new_mode, what), what, choices);
  }

  std::size_t prepared(GraphState state, int new_places, TaskMode new_mode, const Transition& what) {
    const auto held = static_cast<std::uint8_t>(new_places);
    const bool makes_tile = what.kind == Kind::scatter || what.kind == Kind::read_tiles || what.kind == Kind::extract;
    // Tiles are cut out when they are first used, and till then the whole image is there.
    const bool keeps_whole = limits_.forgets && what.kind == Kind::extract;
    state.set_places(what.subject,
                     keeps_whole ? held : needs_.useful(held, task_, static_cast<std::size_t>(what.subject)));
    if (makes_tile) state.set_depth(what.subject, what.depth);
    state.set_mode(new_mode);
    return growth_.before_task(std::move(state));
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
      touched.insert(pipeline_.outputs[static_cast<std::size_t>(task.index)].image);
    } else {
      for (int i = task.index; i < task.index + pipeline_.results(task.index); ++i) touched.insert(i);
      for (const int input : image(task.index).inputs) touched.insert(input);
    }
    return {touched.begin(), touched.end()};
  }

  // --- tasks ---

  void expand(const GraphState& state) {
    if (limits_.forgets) forget(state);
    if (task().kind == Task::Kind::output) {
      serve(state, pipeline_.outputs[static_cast<std::size_t>(task().index)]);
    } else if (is_in_parts(task().index)) {
      advance(state, {});  // to be read where it is needed
    } else if (image(task().index).source) {
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
      const bool is_in_file = is_in_parts(i) && !is_tiled_source(image(i));
      const bool needs_no_other = is_open && is_in_file;
      const bool is_being_cut = (held & place::replicated) != 0 && !is_open;
      if (is_whole && !is_for_program(i) && !is_being_cut &&
          (needs_no_other || (is_tiled && !works_on_whole(state.mode())))) {
        leave(state, i, place::on_root | place::replicated, place::left_whole);
      }
      if (is_tiled && (needs_no_other || (is_whole && (is_open || works_on_whole(state.mode()))))) {
        leave(state, i, place::tiled | place::haloed | place::cyclic | place::second, place::left_tiles);
      }
    }
  }

  [[nodiscard]] bool is_for_program(int image) const {
    return std::any_of(pipeline_.outputs.begin(), pipeline_.outputs.end(), [&](const PipelineOutput& output) {
      return output.image == image && (output.kind == OutputKind::fetch || output.kind == OutputKind::keep);
    });
  }

  void leave(GraphState state, int image, int left, int as_left) {
    state.set_places(image, (state.places(image) & ~left) | as_left);
    if ((state.places(image) & place::tiled) == 0) state.set_depth(image, 0);
    const Transition nothing_to_do;
    growth_.edge(growth_.before_task(std::move(state)), {&nothing_to_do, 1});
  }

  [[nodiscard]] bool is_in_parts(int index) const {
    return !in_parts_.empty() && in_parts_[static_cast<std::size_t>(index)];
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
      if (state.places(i) != 0 && !image(i).source) return true;
    }
    return false;
  }

  void compute_root(const GraphState& state) {
    for (const int input : image(task().index).inputs) {
      if (state.places(input) & place::on_root) continue;
      bring_to_root(state, input, TaskMode::root);
      return;  // one input at a time: the others follow from the state that this leads to
    }
    GraphState next = state;
    set_made(next, place::on_root);
    advance(std::move(next), {.kind = Kind::compute_root, .subject = task().index});
  }

  void compute_everywhere(const GraphState& state) {
    for (const int input : image(task().index).inputs) {
      if (state.places(input) & place::replicated) continue;
      replicate(state, input);
      return;
    }
    GraphState next = state;
    set_made(next, place::on_root | place::replicated);
    advance(std::move(next), {Kind::compute_everywhere, task().index});
  }

  void compute_tiles(const GraphState& state, int grid) {
    const Operator& op = *image(task().index).op;
    const bool halo = !op.halo().empty();
    const bool wrap = halo && op.border() == Border::wrap;
    for (const int input : image(task().index).inputs) {
      const int held = state.places(input);
      if (!(held & place::tiled)) {
        distribute(state, input, held, grid);
        return;
      }
      if (grid_of(held) != grid) {
        const int moved = held & ~(place::haloed | place::cyclic | place::second);
        prepare(state, moved | on_grid(grid), mode_on(grid),
                {.kind = Kind::redistribute, .subject = input, .depth = state.depth(input), .grid = grid});
        return;
      }
      if (halo && !(held & (wrap ? place::cyclic : place::haloed))) {
        exchange(state, input, held | place::haloed | (wrap ? place::cyclic : 0), grid);
        return;
      }
    }
    GraphState next = state;
    if (halo && !wrap) {  // filling the border overwrites what a cyclic exchange brought
      for (const int input : image(task().index).inputs) {
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

  /// It may pass while the task is computed, if that is the next thing to do.
  void exchange(const GraphState& state, int input, int then_held, int grid) {
    const bool is_cyclic = (then_held & place::cyclic) != 0;
    Transition wanted{
        .kind = Kind::exchange, .subject = input, .cyclic = is_cyclic, .depth = state.depth(input), .grid = grid};
    const std::size_t to = prepared(state, then_held, mode_on(grid), wanted);
    std::vector<Transition> choices;
    const bool may_overlap = offer_.overlaps && !is_cyclic && all_is_there_but(state, input, grid);
    if (offer_.waits || !may_overlap) choices.push_back(wanted);
    wanted.meanwhile = task().index;
    if (may_overlap) choices.push_back(wanted);
    growth_.edge(to, choices);
  }

  /// Whether every other input of the task, which reads a halo, has its tiles with their halos.
  [[nodiscard]] bool all_is_there_but(const GraphState& state, int exchanged, int grid) const {
    const std::vector<int>& inputs = image(task().index).inputs;
    return std::all_of(inputs.begin(), inputs.end(), [&](int input) {
      const int held = state.places(input);
      return input == exchanged || ((held & place::tiled) && (held & place::haloed) && grid_of(held) == grid);
    });
  }

  // --- halos ---

  /// How tiles come to exist: with room for a halo, which is filled or left to an exchange.
  struct TileDepth {
    int depth = 0;
    bool filled = false;
  };

  /// The plain one first, which is preferred; then, by depth, those that are filled.
  template <class CanBeFilled>
  [[nodiscard]] std::vector<TileDepth> depths_of(int subject, CanBeFilled&& can_be_filled) const {
    std::vector<TileDepth> all;
    const int end = static_cast<int>(depths_.of(subject).size());
    for (int depth = depths_.first_filled(subject).value_or(end); depth < end && can_be_filled(depth); ++depth) {
      all.push_back({depth, true});
    }
    if (limits_.deepest_only && !all.empty() && !is_tiled_source(image(subject))) return {all.back()};
    all.insert(all.begin(), TileDepth{});
    for (int depth = 1; depth < end && depths_.is_exchanged(subject); ++depth) all.push_back({depth, false});
    return all;
  }

  [[nodiscard]] std::vector<TileDepth> depths_of_scattered(int subject) const {
    return depths_of(subject, [](int) { return true; });
  }

  /// An operator computes beyond its tile as far as its inputs' halos let it.
  [[nodiscard]] std::vector<TileDepth> depths_of_result(const GraphState& state) const {
    const PipelineImage& result = image(task().index);
    const Halo halo = result.op->halo();
    return depths_of(task().index, [&](int margin) {
      const Halo beyond = depths_.of(task().index)[static_cast<std::size_t>(margin)];
      return std::all_of(result.inputs.begin(), result.inputs.end(), [&](int input) {
        const Halo& valid = depths_.of(input)[static_cast<std::size_t>(state.depth(input))];
        return (state.places(input) & place::haloed) && valid.covers({beyond.x + halo.x, beyond.y + halo.y});
      });
    });
  }

  // --- transfers ---

  /// To every rank: from the root, or from all tiles at once.
  void replicate(const GraphState& state, int input) {
    const int held = state.places(input);
    if (held & place::on_root) {
      prepare(state, held | place::replicated, TaskMode::everywhere, {Kind::broadcast, input}, algorithms_);
      return;
    }
    if (held & place::tiled) gather_everywhere(state, input, held, TaskMode::everywhere);
    bring_to_root(state, input, TaskMode::everywhere);
  }

  void bring_to_root(const GraphState& state, int input, TaskMode then) {
    const bool is_tiled = (state.places(input) & place::tiled) != 0;
    if (is_tiled_source(image(input)) && !is_tiled) {
      if ((state.places(input) & place::left_tiles) != 0) return;
      prepare(state, state.places(input) | place::tiled, then, {Kind::read_tiles, input});
      return;
    }
    if (is_in_parts(input) && !is_tiled_source(image(input))) read(state, input, then);
    if (!is_in_parts(input) || is_tiled) gather(state, input, then);
  }

  void read(const GraphState& state, int input, TaskMode then) {
    if ((state.places(input) & place::left_whole) != 0) return;
    prepare(state, state.places(input) | place::on_root, then, {.kind = Kind::read, .subject = input});
  }

  void gather(const GraphState& state, int input, TaskMode then) {
    if ((state.places(input) & place::left_whole) != 0) return;
    prepare(state, state.places(input) | place::on_root, then,
            {.kind = Kind::gather, .subject = input, .depth = state.depth(input), .grid = grid_of(state.places(input))},
            algorithms_);
  }

  /// What is kept of an image's other places once it is on tiles. Where paths are limited, a whole image that could be
  /// read again is forgotten, so that all ways to the tiles lead to one state.
  [[nodiscard]] int beside_tiles(int held, int input) const {
    const bool forgets = limits_.freedom == Freedom::uniform && is_in_parts(input);
    return forgets ? held & ~place::on_root : held;
  }

  void distribute(const GraphState& state, int input, int held, int grid) {
    if ((held & place::left_tiles) != 0) return;
    if (held & place::replicated) {
      // Where paths are limited, what a broadcast brings beyond a scatter is forgotten, so that both lead to one state.
      const bool uniform = limits_.freedom == Freedom::uniform;
      const bool as_scattered = limits_.deepest_only && depths_.first_filled(input);
      const int forgetful = as_scattered ? place::haloed : 0;
      const int halos = uniform ? forgetful : place::haloed | place::cyclic;
      const int kept = uniform ? beside_tiles(held, input) & ~place::replicated : held;
      const int end = static_cast<int>(depths_.of(input).size());
      for (int depth = limits_.deepest_only ? end - 1 : 0; depth < end; ++depth) {
        prepare(state, kept | place::tiled | on_grid(grid) | halos, mode_on(grid),
                {.kind = Kind::extract, .subject = input, .depth = depth, .grid = grid});
      }
      return;
    }
    if (is_in_parts(input)) {
      for (const TileDepth& tile : depths_of_scattered(input)) {
        if (tile.filled && is_tiled_source(image(input))) continue;
        prepare(state, held | place::tiled | on_grid(grid) | (tile.filled ? place::haloed : 0), mode_on(grid),
                {.kind = Kind::read_tiles, .subject = input, .depth = tile.depth, .filled = tile.filled, .grid = grid});
      }
      if (is_tiled_source(image(input))) return;
      if (!(held & place::on_root)) {
        read(state, input, mode_on(grid));
        return;
      }
    }
    for (const TileDepth& tile : depths_of_scattered(input)) {
      prepare(state, beside_tiles(held, input) | place::tiled | on_grid(grid) | (tile.filled ? place::haloed : 0),
              mode_on(grid),
              {.kind = Kind::scatter, .subject = input, .depth = tile.depth, .filled = tile.filled, .grid = grid},
              algorithms_);
    }
    prepare(state, held | place::replicated, mode_on(grid), {Kind::broadcast, input}, algorithms_);
  }

  void serve(const GraphState& state, const PipelineOutput& output) {
    const int held = state.places(output.image);
    if (output.kind == OutputKind::reduce && (held & place::tiled) && state.mode() == TaskMode::open) {
      advance(state, {.kind = Kind::reduce_tiles, .subject = task().index, .grid = grid_of(held)}, all_trees);
      if (limits_.freedom != Freedom::all) return;
    }
    const bool in_parts = !out_parts_.empty() && out_parts_[static_cast<std::size_t>(task().index)];
    if (in_parts && (held & place::tiled) && state.mode() == TaskMode::open) {
      advance(state, {.kind = Kind::write_tiles, .subject = task().index, .grid = grid_of(held)});
    }
    if (output.kind == OutputKind::keep && offer_.keeps_in_place && (held & place::tiled)) {
      advance(state, {});
      return;
    }
    const bool is_on_tiles_alone = (held & place::tiled) && !(held & (place::on_root | place::replicated));
    if (output.kind == OutputKind::fetch && is_on_tiles_alone && state.mode() == TaskMode::open)
      gather_everywhere(state, output.image, held, TaskMode::root);
    if (!(held & place::on_root)) {
      bring_to_root(state, output.image, TaskMode::root);
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
        deliver(state, output.image, held);
        break;
    }
  }

  void gather_everywhere(const GraphState& state, int subject, int held, TaskMode then) {
    if ((held & place::left_whole) != 0) return;
    prepare(state, held | place::on_root | place::replicated, then,
            {.kind = Kind::allgather, .subject = subject, .depth = state.depth(subject), .grid = grid_of(held)});
  }

  void deliver(const GraphState& state, int subject, int held) {
    if (held & place::replicated) {
      advance(state, {});
      return;
    }
    prepare(state, held | place::replicated, TaskMode::root, {Kind::deliver, subject}, algorithms_);
  }

  const Pipeline& pipeline_;
  std::span<const Algorithm> algorithms_;  // of transfers of images
  const std::vector<bool>& in_parts_;      // by image
  const std::vector<bool>& out_parts_;     // by output
  const Offer& offer_;
  std::vector<bool> everywhere_;  // by image: every rank may compute it for itself
  HaloDepths depths_;
  FutureNeeds needs_;
  GraphLimits limits_;
  std::size_t max_states_;
  GraphGrowth growth_;
  std::size_t task_ = 0;
  std::vector<int> touched_;  // by it
};

}  // namespace

std::optional<GraphDraft> build_graph(const Pipeline& pipeline, const GraphLimits& limits, std::size_t max_states,
                                      const Offer& offer) {
  return Builder(pipeline, limits, max_states, offer).build();
}

}  // namespace tilewright
