#include "graph_builder.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "halo_depths.hpp"
#include "placement.hpp"
#include "serving_all.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

/// How the current task is to be done; transfers for it have begun.
enum class Mode : char { open, root, tiles, second_tiles, everywhere };

/// Whether the inputs are needed as whole images, on one rank or on all.
bool works_on_whole(Mode mode) {
  return mode == Mode::root || mode == Mode::everywhere;
}

Mode mode_on(int grid) {
  return grid == 0 ? Mode::tiles : Mode::second_tiles;
}

/// The bit of a tile on that grid.
int on_grid(int grid) {
  return grid == 0 ? 0 : place::second;
}

/// The grid of an image's tiles.
int grid_of(int held) {
  return (held & place::second) != 0 ? 1 : 0;
}

/// Places of every image, the depth of the halo of its tiles, and the mode as the last character: a string, for it is
/// hashed and copied a lot.
using State = std::string;

using Kind = Transition::Kind;

struct TransitionHash {
  std::size_t operator()(const Transition& transition) const {
    std::size_t hash = 0;
    const auto add = [&](int member) { hash = hash * 31 + static_cast<std::size_t>(member); };
    add(static_cast<int>(transition.kind));
    add(transition.subject);
    add(transition.algorithm ? static_cast<int>(*transition.algorithm) : -1);
    add(transition.depth);
    add(transition.meanwhile);
    add((transition.cyclic ? 1 : 0) + (transition.filled ? 2 : 0) + 4 * transition.grid);
    return hash;
  }
};

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
        max_states_(max_states) {}

  /// None if there are more states than allowed.
  std::optional<GraphDraft> build() && {
    State state(2 * images(), '\0');
    state.push_back(static_cast<char>(Mode::open));
    draft_.start = vertex(next_, std::move(state));
    for (task_ = 0; task_ < pipeline_.tasks.size(); ++task_) {
      current_ = std::exchange(next_, {});
      touched_ = touched_by(task());
      for (std::size_t i = 0; i < current_.states.size(); ++i) {  // grows while it is walked
        here_ = current_.states[i]->second;
        expand(current_.states[i]->first);
        if (draft_.vertices > max_states_) return std::nullopt;
      }
      keep_states(current_);
    }
    keep_states(next_);
    if (next_.states.size() != 1) throw InternalError("transition graph: the end is not one state");
    draft_.goal = next_.states.front()->second;
    return std::move(draft_);
  }

 private:
  [[nodiscard]] std::size_t images() const { return pipeline_.images.size(); }
  [[nodiscard]] const Task& task() const { return pipeline_.tasks[task_]; }
  [[nodiscard]] const PipelineImage& image(int index) const {
    return pipeline_.images[static_cast<std::size_t>(index)];
  }
  static std::uint8_t places(const State& state, int image) {
    return static_cast<std::uint8_t>(state[static_cast<std::size_t>(image)]);
  }
  static void set_places(State& state, int image, int places) {
    state[static_cast<std::size_t>(image)] = static_cast<char>(places);
  }
  [[nodiscard]] int depth(const State& state, int image) const {
    return state[images() + static_cast<std::size_t>(image)];
  }
  void set_depth(State& state, int image, int depth) const {
    state[images() + static_cast<std::size_t>(image)] = static_cast<char>(depth);
  }
  /// Of all images that the current task makes.
  void set_made(State& state, int places, int depth = 0) const {
    const int first = task().index;
    for (int i = first; i < first + pipeline_.results(first); ++i) {
      set_places(state, i, places);
      set_depth(state, i, depth);
    }
  }
  static Mode mode(const State& state) { return static_cast<Mode>(state.back()); }

  // --- vertices and edges ---

  /// The states before one task with their vertices, and where these are in the order in which they were found.
  struct Layer {
    std::unordered_map<State, std::size_t> vertices;
    std::vector<const std::pair<const State, std::size_t>*> states;
  };

  std::size_t vertex(Layer& layer, State state) {
    const auto [position, is_new] = layer.vertices.try_emplace(std::move(state), draft_.vertices);
    if (is_new) layer.states.push_back(&*position);
    if (is_new) ++draft_.vertices;
    return position->second;
  }

  /// Of all vertices of the layer, if that is wanted.
  void keep_states(const Layer& layer) {
    if (!limits_.keeps_states) return;
    draft_.states.resize(draft_.vertices);
    draft_.tasks.resize(draft_.vertices);
    for (const auto& [state, vertex] : layer.vertices) {
      draft_.states[vertex] = state;
      draft_.tasks[vertex] = task_;
    }
  }

  /// One edge, with as many transitions as there are algorithms to choose from, for all lead to the same state.
  void edge(std::size_t to, Transition wanted, std::span<const Algorithm> algorithms) {
    if (algorithms.empty()) {
      edge(to, {&wanted, 1});
      return;
    }
    std::array<Transition, std::size(all_algorithms)> choices;
    for (std::size_t i = 0; i < algorithms.size(); ++i) {
      choices[i] = wanted;
      choices[i].algorithm = algorithms[i];
    }
    edge(to, std::span(choices).first(algorithms.size()));
  }

  /// The last choice tells lists apart.
  void edge(std::size_t to, std::span<const Transition> choices) {
    const auto [position, is_new] = index_.try_emplace(choices.back(), static_cast<int>(draft_.transitions.size()));
    draft_.edges.push_back({here_, to, position->second});
    if (!is_new) return;
    draft_.transitions.insert(draft_.transitions.end(), choices.begin(), choices.end());
    draft_.choices.push_back(static_cast<int>(choices.size()));
    draft_.choices.resize(draft_.transitions.size(), 0);
  }

  /// A transfer for the current task: the next state is of the same task.
  void prepare(State state, int new_places, Mode new_mode, const Transition& what,
               std::span<const Algorithm> choices = {}) {
    edge(prepared(std::move(state), new_places, new_mode, what), what, choices);
  }

  std::size_t prepared(State state, int new_places, Mode new_mode, const Transition& what) {
    const auto held = static_cast<std::uint8_t>(new_places);
    const bool makes_tile = what.kind == Kind::scatter || what.kind == Kind::read_tiles || what.kind == Kind::extract;
    // Tiles are cut out when they are first used, and till then the whole image is there.
    const bool keeps_whole = limits_.forgets && what.kind == Kind::extract;
    set_places(state, what.subject,
               keeps_whole ? held : needs_.useful(held, task_, static_cast<std::size_t>(what.subject)));
    if (makes_tile) set_depth(state, what.subject, what.depth);
    state.back() = static_cast<char>(new_mode);
    return vertex(current_, std::move(state));
  }

  /// The current task is done: what nothing needs any more is forgotten.
  void advance(State state, const Transition& what, std::span<const Algorithm> choices = {}) {
    state.back() = static_cast<char>(Mode::open);
    for (const std::size_t i : touched_) {
      state[i] = static_cast<char>(needs_.useful(static_cast<std::uint8_t>(state[i]), task_ + 1, i));
      if ((state[i] & place::tiled) == 0) state[images() + i] = 0;
    }
    edge(vertex(next_, std::move(state)), what, choices);
  }

  /// Images that the task makes or needs: of others it changes neither where they are nor what is needed of them. Where
  /// images may be left, all.
  [[nodiscard]] std::vector<std::size_t> touched_by(const Task& task) const {
    std::set<std::size_t> touched;
    const auto add = [&](int image) { touched.insert(static_cast<std::size_t>(image)); };
    if (limits_.forgets) {
      for (int i = 0; i < static_cast<int>(images()); ++i) add(i);
    } else if (task.kind == Task::Kind::output) {
      add(pipeline_.outputs[static_cast<std::size_t>(task.index)].image);
    } else {
      for (int i = task.index; i < task.index + pipeline_.results(task.index); ++i) add(i);
      for (const int input : image(task.index).inputs) add(input);
    }
    return {touched.begin(), touched.end()};
  }

  // --- tasks ---

  void expand(const State& state) {
    if (limits_.forgets) forget(state);
    if (task().kind == Task::Kind::output) {
      serve(state, pipeline_.outputs[static_cast<std::size_t>(task().index)]);
    } else if (is_in_parts(task().index)) {
      advance(state, {});  // to be read where it is needed
    } else if (image(task().index).source) {
      State next = state;
      set_places(next, task().index, place::on_root);
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
  void forget(const State& state) {
    const bool is_open = mode(state) == Mode::open;
    for (int i = 0; i < static_cast<int>(images()); ++i) {
      const int held = places(state, i);
      const bool is_whole = (held & (place::on_root | place::replicated)) != 0;
      const bool is_tiled = (held & place::tiled) != 0;
      const bool is_in_file = is_in_parts(i) && !is_tiled_source(image(i));
      const bool needs_no_other = is_open && is_in_file;
      const bool is_being_cut = (held & place::replicated) != 0 && !is_open;
      if (is_whole && !is_for_program(i) && !is_being_cut &&
          (needs_no_other || (is_tiled && !works_on_whole(mode(state))))) {
        leave(state, i, place::on_root | place::replicated, place::left_whole);
      }
      if (is_tiled && (needs_no_other || (is_whole && (is_open || works_on_whole(mode(state)))))) {
        leave(state, i, place::tiled | place::haloed | place::cyclic | place::second, place::left_tiles);
      }
    }
  }

  [[nodiscard]] bool is_for_program(int image) const {
    return std::any_of(pipeline_.outputs.begin(), pipeline_.outputs.end(), [&](const PipelineOutput& output) {
      return output.image == image && (output.kind == OutputKind::fetch || output.kind == OutputKind::keep);
    });
  }

  void leave(State state, int image, int left, int as_left) {
    set_places(state, image, (places(state, image) & ~left) | as_left);
    if ((places(state, image) & place::tiled) == 0) set_depth(state, image, 0);
    const Transition nothing_to_do;
    edge(vertex(current_, std::move(state)), {&nothing_to_do, 1});
  }

  [[nodiscard]] bool is_in_parts(int index) const {
    return !in_parts_.empty() && in_parts_[static_cast<std::size_t>(index)];
  }

  [[nodiscard]] bool may_use_tiles(const State& state, int grid) const {
    if (mode(state) != Mode::open) return mode(state) == mode_on(grid);
    return limits_.freedom != Freedom::uniform || any_tiled(state) || !any_computed(state);
  }

  [[nodiscard]] bool may_use_root(const State& state) const {
    if (mode(state) != Mode::open) return mode(state) == Mode::root;
    return limits_.freedom == Freedom::all || !any_tiled(state);
  }

  [[nodiscard]] bool may_be_everywhere(const State& state) const {
    const bool may_be = everywhere_[static_cast<std::size_t>(task().index)];
    return may_be && (mode(state) == Mode::open || mode(state) == Mode::everywhere);
  }

  [[nodiscard]] bool any_tiled(const State& state) const {
    return std::any_of(state.begin(), state.begin() + static_cast<std::ptrdiff_t>(images()),
                       [](char held) { return (held & place::tiled) != 0; });
  }

  [[nodiscard]] bool any_computed(const State& state) const {
    for (std::size_t i = 0; i < images(); ++i) {
      if (state[i] != 0 && !pipeline_.images[i].source) return true;
    }
    return false;
  }

  void compute_root(const State& state) {
    for (const int input : image(task().index).inputs) {
      if (places(state, input) & place::on_root) continue;
      bring_to_root(state, input, Mode::root);
      return;  // one input at a time: the others follow from the state that this leads to
    }
    State next = state;
    set_made(next, place::on_root);
    advance(std::move(next), {.kind = Kind::compute_root, .subject = task().index});
  }

  void compute_everywhere(const State& state) {
    for (const int input : image(task().index).inputs) {
      if (places(state, input) & place::replicated) continue;
      replicate(state, input);
      return;
    }
    State next = state;
    set_made(next, place::on_root | place::replicated);
    advance(std::move(next), {Kind::compute_everywhere, task().index});
  }

  void compute_tiles(const State& state, int grid) {
    const Operator& op = *image(task().index).op;
    const bool halo = !op.halo().empty();
    const bool wrap = halo && op.border() == Border::wrap;
    for (const int input : image(task().index).inputs) {
      const int held = places(state, input);
      if (!(held & place::tiled)) {
        distribute(state, input, held, grid);
        return;
      }
      if (grid_of(held) != grid) {
        const int moved = held & ~(place::haloed | place::cyclic | place::second);
        prepare(state, moved | on_grid(grid), mode_on(grid),
                {.kind = Kind::redistribute, .subject = input, .depth = depth(state, input), .grid = grid});
        return;
      }
      if (halo && !(held & (wrap ? place::cyclic : place::haloed))) {
        exchange(state, input, held | place::haloed | (wrap ? place::cyclic : 0), grid);
        return;
      }
    }
    State next = state;
    if (halo && !wrap) {  // filling the border overwrites what a cyclic exchange brought
      for (const int input : image(task().index).inputs) {
        set_places(next, input, places(next, input) & ~place::cyclic);
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
  void exchange(const State& state, int input, int then_held, int grid) {
    const bool is_cyclic = (then_held & place::cyclic) != 0;
    Transition wanted{
        .kind = Kind::exchange, .subject = input, .cyclic = is_cyclic, .depth = depth(state, input), .grid = grid};
    const std::size_t to = prepared(state, then_held, mode_on(grid), wanted);
    std::vector<Transition> choices;
    const bool may_overlap = offer_.overlaps && !is_cyclic && all_is_there_but(state, input, grid);
    if (offer_.waits || !may_overlap) choices.push_back(wanted);
    wanted.meanwhile = task().index;
    if (may_overlap) choices.push_back(wanted);
    edge(to, choices);
  }

  /// Whether every other input of the task, which reads a halo, has its tiles with their halos.
  [[nodiscard]] bool all_is_there_but(const State& state, int exchanged, int grid) const {
    const std::vector<int>& inputs = image(task().index).inputs;
    return std::all_of(inputs.begin(), inputs.end(), [&](int input) {
      const int held = places(state, input);
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
  [[nodiscard]] std::vector<TileDepth> depths_of_result(const State& state) const {
    const PipelineImage& result = image(task().index);
    const Halo halo = result.op->halo();
    return depths_of(task().index, [&](int margin) {
      const Halo beyond = depths_.of(task().index)[static_cast<std::size_t>(margin)];
      return std::all_of(result.inputs.begin(), result.inputs.end(), [&](int input) {
        const Halo& valid = depths_.of(input)[static_cast<std::size_t>(depth(state, input))];
        return (places(state, input) & place::haloed) && valid.covers({beyond.x + halo.x, beyond.y + halo.y});
      });
    });
  }

  // --- transfers ---

  /// To every rank: from the root, or from all tiles at once.
  void replicate(const State& state, int input) {
    const int held = places(state, input);
    if (held & place::on_root) {
      prepare(state, held | place::replicated, Mode::everywhere, {Kind::broadcast, input}, algorithms_);
      return;
    }
    if (held & place::tiled) gather_everywhere(state, input, held, Mode::everywhere);
    bring_to_root(state, input, Mode::everywhere);
  }

  void bring_to_root(const State& state, int input, Mode then) {
    const bool is_tiled = (places(state, input) & place::tiled) != 0;
    if (is_tiled_source(image(input)) && !is_tiled) {
      if ((places(state, input) & place::left_tiles) != 0) return;
      prepare(state, places(state, input) | place::tiled, then, {Kind::read_tiles, input});
      return;
    }
    if (is_in_parts(input) && !is_tiled_source(image(input))) read(state, input, then);
    if (!is_in_parts(input) || is_tiled) gather(state, input, then);
  }

  void read(const State& state, int input, Mode then) {
    if ((places(state, input) & place::left_whole) != 0) return;
    prepare(state, places(state, input) | place::on_root, then, {.kind = Kind::read, .subject = input});
  }

  void gather(const State& state, int input, Mode then) {
    if ((places(state, input) & place::left_whole) != 0) return;
    prepare(
        state, places(state, input) | place::on_root, then,
        {.kind = Kind::gather, .subject = input, .depth = depth(state, input), .grid = grid_of(places(state, input))},
        algorithms_);
  }

  /// What is kept of an image's other places once it is on tiles. Where paths are limited, a whole image that could be
  /// read again is forgotten, so that all ways to the tiles lead to one state.
  [[nodiscard]] int beside_tiles(int held, int input) const {
    const bool forgets = limits_.freedom == Freedom::uniform && is_in_parts(input);
    return forgets ? held & ~place::on_root : held;
  }

  void distribute(const State& state, int input, int held, int grid) {
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

  void serve(const State& state, const PipelineOutput& output) {
    const int held = places(state, output.image);
    if (output.kind == OutputKind::reduce && (held & place::tiled) && mode(state) == Mode::open) {
      advance(state, {.kind = Kind::reduce_tiles, .subject = task().index, .grid = grid_of(held)}, all_trees);
      if (limits_.freedom != Freedom::all) return;
    }
    const bool in_parts = !out_parts_.empty() && out_parts_[static_cast<std::size_t>(task().index)];
    if (in_parts && (held & place::tiled) && mode(state) == Mode::open) {
      advance(state, {.kind = Kind::write_tiles, .subject = task().index, .grid = grid_of(held)});
    }
    if (output.kind == OutputKind::keep && offer_.keeps_in_place && (held & place::tiled)) {
      advance(state, {});
      return;
    }
    const bool is_on_tiles_alone = (held & place::tiled) && !(held & (place::on_root | place::replicated));
    if (output.kind == OutputKind::fetch && is_on_tiles_alone && mode(state) == Mode::open)
      gather_everywhere(state, output.image, held, Mode::root);
    if (!(held & place::on_root)) {
      bring_to_root(state, output.image, Mode::root);
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

  void gather_everywhere(const State& state, int subject, int held, Mode then) {
    if ((held & place::left_whole) != 0) return;
    prepare(state, held | place::on_root | place::replicated, then,
            {.kind = Kind::allgather, .subject = subject, .depth = depth(state, subject), .grid = grid_of(held)});
  }

  void deliver(const State& state, int subject, int held) {
    if (held & place::replicated) {
      advance(state, {});
      return;
    }
    prepare(state, held | place::replicated, Mode::root, {Kind::deliver, subject}, algorithms_);
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
  GraphDraft draft_;
  std::unordered_map<Transition, int, TransitionHash> index_;
  std::size_t task_ = 0;
  std::vector<std::size_t> touched_;  // by it
  std::size_t here_ = 0;              // the vertex that is being expanded
  Layer current_;                     // the states before task_, and those reached by transfers for it
  Layer next_;
};

}  // namespace

std::optional<GraphDraft> build_graph(const Pipeline& pipeline, const GraphLimits& limits, std::size_t max_states,
                                      const Offer& offer) {
  return Builder(pipeline, limits, max_states, offer).build();
}

}  // namespace tilewright
