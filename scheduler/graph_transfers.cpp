#include "graph_transfers.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace tilewright {
namespace {

using Kind = Transition::Kind;

bool has_left_whole(const GraphState& state, int image) {
  return (state.places(image) & place::left_whole) != 0;
}

bool has_left_tiles(const GraphState& state, int image) {
  return (state.places(image) & place::left_tiles) != 0;
}

/// The places of tiles that have just come to exist.
int on_tiles(const TileDepth& tile, int grid) {
  return place::tiled | on_grid(grid) | (tile.filled ? place::haloed : 0);
}

}  // namespace

/// With one transition for each of the algorithms to choose from.
void GraphTransfers::add(GraphState state, int new_places, TaskMode new_mode, const Transition& what,
                         std::span<const Algorithm> choices) {
  growth_.edge(prepared(std::move(state), new_places, new_mode, what), what, choices);
}

/// The vertex that the transfer leads to: its image is in these places, as far as they matter.
std::size_t GraphTransfers::prepared(GraphState state, int new_places, TaskMode new_mode, const Transition& what) {
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

// --- whole images ---

void GraphTransfers::bring_to_root(const GraphState& state, int image, TaskMode then) {
  const bool is_tiled = (state.places(image) & place::tiled) != 0;
  if (is_tiled_source(image) && !is_tiled) {
    if (has_left_tiles(state, image)) return;
    add(state, state.places(image) | place::tiled, then, {Kind::read_tiles, image});
    return;
  }
  if (offer_.reads_in_parts(image) && !is_tiled_source(image)) read(state, image, then);
  if (!offer_.reads_in_parts(image) || is_tiled) gather(state, image, then);
}

void GraphTransfers::read(const GraphState& state, int image, TaskMode then) {
  if (has_left_whole(state, image)) return;
  add(state, state.places(image) | place::on_root, then, {.kind = Kind::read, .subject = image});
}

void GraphTransfers::gather(const GraphState& state, int image, TaskMode then) {
  if (has_left_whole(state, image)) return;
  const int held = state.places(image);
  add(state, held | place::on_root, then,
      {.kind = Kind::gather, .subject = image, .depth = state.depth(image), .grid = grid_of(held)}, offer_.algorithms);
}

void GraphTransfers::replicate(const GraphState& state, int image) {
  const int held = state.places(image);
  if (held & place::on_root) {
    add(state, held | place::replicated, TaskMode::everywhere, {Kind::broadcast, image}, offer_.algorithms);
    return;
  }
  if (held & place::tiled) gather_everywhere(state, image, TaskMode::everywhere);
  bring_to_root(state, image, TaskMode::everywhere);
}

void GraphTransfers::gather_everywhere(const GraphState& state, int image, TaskMode then) {
  if (has_left_whole(state, image)) return;
  const int held = state.places(image);
  add(state, held | place::on_root | place::replicated, then,
      {.kind = Kind::allgather, .subject = image, .depth = state.depth(image), .grid = grid_of(held)});
}

void GraphTransfers::deliver(const GraphState& state, int image) {
  add(state, state.places(image) | place::replicated, TaskMode::root, {Kind::deliver, image}, offer_.algorithms);
}

void GraphTransfers::leave(GraphState state, int image, int left, int as_left) {
  state.set_places(image, (state.places(image) & ~left) | as_left);
  if ((state.places(image) & place::tiled) == 0) state.set_depth(image, 0);
  const Transition nothing_to_do;
  growth_.edge(growth_.before_task(std::move(state)), {&nothing_to_do, 1});
}

// --- tiles ---

void GraphTransfers::distribute(const GraphState& state, int image, int grid) {
  if (has_left_tiles(state, image)) return;
  const int held = state.places(image);
  if (held & place::replicated) {
    extract(state, image, grid);
    return;
  }
  if (offer_.reads_in_parts(image)) {
    read_tiles(state, image, grid);
    if (is_tiled_source(image)) return;
    if (!(held & place::on_root)) {
      read(state, image, mode_on(grid));
      return;
    }
  }
  scatter(state, image, grid);
  add(state, held | place::replicated, mode_on(grid), {Kind::broadcast, image}, offer_.algorithms);
}

void GraphTransfers::read_tiles(const GraphState& state, int image, int grid) {
  for (const TileDepth& tile : depths_of(image)) {
    if (tile.filled && is_tiled_source(image)) continue;
    add(state, state.places(image) | on_tiles(tile, grid), mode_on(grid),
        {.kind = Kind::read_tiles, .subject = image, .depth = tile.depth, .filled = tile.filled, .grid = grid});
  }
}

void GraphTransfers::scatter(const GraphState& state, int image, int grid) {
  const int kept = beside_tiles(state.places(image), image);
  for (const TileDepth& tile : depths_of(image)) {
    add(state, kept | on_tiles(tile, grid), mode_on(grid),
        {.kind = Kind::scatter, .subject = image, .depth = tile.depth, .filled = tile.filled, .grid = grid},
        offer_.algorithms);
  }
}

/// Out of the whole image, which every rank has. Where paths are limited, what a broadcast brings beyond a scatter is
/// forgotten, so that both lead to one state.
void GraphTransfers::extract(const GraphState& state, int image, int grid) {
  const int held = state.places(image);
  const bool uniform = limits_.freedom == Freedom::uniform;
  const bool as_scattered = limits_.deepest_only && depths_.first_filled(image);
  const int forgetful = as_scattered ? place::haloed : 0;
  const int halos = uniform ? forgetful : place::haloed | place::cyclic;
  const int kept = uniform ? beside_tiles(held, image) & ~place::replicated : held;
  const int end = static_cast<int>(depths_.of(image).size());
  for (int depth = limits_.deepest_only ? end - 1 : 0; depth < end; ++depth) {
    add(state, kept | place::tiled | on_grid(grid) | halos, mode_on(grid),
        {.kind = Kind::extract, .subject = image, .depth = depth, .grid = grid});
  }
}

void GraphTransfers::redistribute(const GraphState& state, int image, int grid) {
  const int moved = state.places(image) & ~(place::haloed | place::cyclic | place::second);
  add(state, moved | on_grid(grid), mode_on(grid),
      {.kind = Kind::redistribute, .subject = image, .depth = state.depth(image), .grid = grid});
}

void GraphTransfers::exchange(const GraphState& state, int image, int grid, Border border) {
  const bool is_cyclic = border == Border::wrap;
  Transition wanted{
      .kind = Kind::exchange, .subject = image, .cyclic = is_cyclic, .depth = state.depth(image), .grid = grid};
  const int then_held = state.places(image) | place::haloed | (is_cyclic ? place::cyclic : 0);
  const std::size_t to = prepared(state, then_held, mode_on(grid), wanted);
  std::vector<Transition> choices;
  const bool may_overlap = offer_.overlaps && !is_cyclic && all_is_there_but(state, image, grid);
  if (offer_.waits || !may_overlap) choices.push_back(wanted);
  wanted.meanwhile = pipeline_.tasks[task_].index;
  if (may_overlap) choices.push_back(wanted);
  growth_.edge(to, choices);
}

/// Whether every other input of the task, which reads a halo, has its tiles with their halos.
bool GraphTransfers::all_is_there_but(const GraphState& state, int exchanged, int grid) const {
  const std::vector<int>& inputs = pipeline_.image(pipeline_.tasks[task_].index).inputs;
  return std::all_of(inputs.begin(), inputs.end(), [&](int input) {
    const int held = state.places(input);
    return input == exchanged || ((held & place::tiled) && (held & place::haloed) && grid_of(held) == grid);
  });
}

/// Of tiles whose pixels are all there already.
std::vector<TileDepth> GraphTransfers::depths_of(int image) const {
  return tile_depths(depths_, image, limits_.deepest_only && !is_tiled_source(image), [](int) { return true; });
}

/// What is kept of an image's other places once it is on tiles. Where paths are limited, a whole image that could be
/// read again is forgotten, so that all ways to the tiles lead to one state.
int GraphTransfers::beside_tiles(int held, int image) const {
  const bool forgets = limits_.freedom == Freedom::uniform && offer_.reads_in_parts(image);
  return forgets ? held & ~place::on_root : held;
}

bool GraphTransfers::is_tiled_source(int image) const {
  return tilewright::is_tiled_source(pipeline_.image(image));
}

}  // namespace tilewright
