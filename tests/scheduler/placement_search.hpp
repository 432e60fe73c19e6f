// The oracle of the transition graph: tries every way to run a pipeline, task by task, and knows nothing of the graph.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../../scheduler/transition_graph.hpp"

namespace tilewright::test {

/// What a transition costs; infinity where it is not possible.
using TransitionPrice = std::function<double(const Transition&)>;

/// The halos that an image's tiles may have, told from what they are for. For operators of one result.
class DepthsOfHalo {
 public:
  DepthsOfHalo(const Pipeline& pipeline, int image) : pipeline_(pipeline) {
    all.push_back(pipeline.storage_halo(image));
    read_with_halo = !all.front().empty();
    worth_filling = feeds_a_neighbourhood(image);
    for (int generations = 1; generations <= static_cast<int>(pipeline.images.size()); ++generations) {
      const Halo depth = united(all.front(), serving(image, generations));
      if (generations == 1 && depth != all.front()) first_filled = 1;
      if (depth != all.back()) all.push_back(depth);
    }
  }

  std::vector<Halo> all;
  int first_filled = 0;  // the first that serves a generation of readers
  bool worth_filling = false;
  bool read_with_halo = false;

 private:
  [[nodiscard]] std::vector<int> readers(int image) const {
    std::vector<int> found;
    for (int i = 0; i < static_cast<int>(pipeline_.images.size()); ++i) {
      const std::vector<int>& inputs = pipeline_.images[static_cast<std::size_t>(i)].inputs;
      if (std::find(inputs.begin(), inputs.end(), image) != inputs.end()) found.push_back(i);
    }
    return found;
  }
  [[nodiscard]] const Operator& maker(int image) const { return *pipeline_.images[static_cast<std::size_t>(image)].op; }

  /// Whether pixels of a halo inside the image alone are of use to some operator further on.
  [[nodiscard]] bool feeds_a_neighbourhood(int image) const {
    const std::vector<int> all_readers = readers(image);
    return std::any_of(all_readers.begin(), all_readers.end(), [&](int reader) {
      const bool direct = !maker(reader).halo().empty();
      return direct ? maker(reader).border() != Border::wrap : feeds_a_neighbourhood(reader);
    });
  }

  /// What lets so many neighbourhoods follow each other without an exchange.
  [[nodiscard]] Halo serving(int image, int generations) const {
    if (generations == 0) return {};
    Halo depth = pipeline_.storage_halo(image);
    for (const int reader : readers(image)) {
      const Halo halo = maker(reader).halo();
      const Halo further =
          feeds_a_neighbourhood(reader) ? serving(reader, halo.empty() ? generations : generations - 1) : Halo{};
      depth = united(depth, {halo.x + further.x, halo.y + further.y});
    }
    return depth;
  }

  const Pipeline& pipeline_;
};

/// Depth-first over all choices, with a copy of the placements at every step.
class PlacementSearch {
 public:
  /// With two grids, of which each operator may use either, halos are shallow. Images that ranks can read in parts are
  /// told by index, and outputs that they can write so.
  PlacementSearch(const Pipeline& pipeline, TransitionPrice price, int grids = 1, std::vector<bool> in_parts = {},
                  std::vector<bool> out_parts = {}, bool keeps_in_place = false)
      : pipeline_(pipeline),
        price_(std::move(price)),
        grids_(grids),
        in_parts_(std::move(in_parts)),
        out_parts_(std::move(out_parts)),
        keeps_in_place_(keeps_in_place) {
    for (int i = 0; i < static_cast<int>(pipeline.images.size()); ++i) depths_.emplace_back(pipeline, i);
  }

  /// The least cost of any way; infinity if there is none.
  double cheapest() { return cheapest_with(0, 0); }
  /// The same of those ways in which at least one operator works on tiles, or on whole images on every rank.
  double cheapest_on_all_ranks() { return cheapest_with(1, 0); }
  /// The same of those ways in which at least one image changes from one grid to the other.
  double cheapest_that_regrids() { return cheapest_with(1, 1); }

 private:
  using Kind = Transition::Kind;

  struct Placement {
    bool root = false;
    bool tile = false;
    bool halo = false;  // filled inside the image
    bool wrapped = false;
    bool everywhere = false;
    int depth = 0;  // of the tile's halo, among those that are worth trying
    int grid = 0;   // of the tile

    void append_to(std::string& text) const {
      text += static_cast<char>(1 * root + 2 * tile + 4 * halo + 8 * wrapped + 16 * everywhere);
      text += static_cast<char>(depth);
      text += static_cast<char>(grid);
    }
  };
  using Placements = std::vector<Placement>;

  double cheapest_with(int operators_on_all_ranks, int changes_of_grid) {
    asked_on_all_ranks_ = operators_on_all_ranks;
    asked_changes_ = changes_of_grid;
    best_ = std::numeric_limits<double>::infinity();
    reached_.clear();
    search(0, Placements(pipeline_.images.size()), 0);
    return best_;
  }

  [[nodiscard]] double price(Kind kind, int subject) const { return price_({kind, subject}); }
  /// The cheaper tree; or shared memory, but for reductions.
  [[nodiscard]] double cheapest_algorithm(Kind kind, int subject, int depth = 0, bool filled = false,
                                          int grid = 0) const {
    double least = std::numeric_limits<double>::infinity();
    for (const Algorithm algorithm : all_algorithms) {
      const Transition transition{kind, subject, algorithm, false, depth, filled, grid};
      if (algorithm != Algorithm::shared || moves_pixels(transition)) least = std::min(least, price_(transition));
    }
    return least;
  }
  [[nodiscard]] bool is_in_parts(int image) const {
    return !in_parts_.empty() && in_parts_[static_cast<std::size_t>(image)];
  }
  /// On the tiles of the one grid that there is then.
  [[nodiscard]] bool is_tiled(int image) const {
    const Source* source = pipeline_.images[static_cast<std::size_t>(image)].source.get();
    return source != nullptr && source->tiled_on();
  }
  [[nodiscard]] const DepthsOfHalo& depths(int image) const { return depths_[static_cast<std::size_t>(image)]; }

  /// Whether another way has come here at no greater cost. `next` as in on_tiles; -1 before it is known where to work.
  bool reached_before(std::size_t k, int next, int grid, const Placements& placements, double spent) {
    const int missing = std::max(0, asked_on_all_ranks_ - now_on_all_ranks_);
    const int changes = std::max(0, asked_changes_ - now_changes_);
    std::string here;
    for (const int value : {static_cast<int>(k), next, grid, missing, changes}) here += static_cast<char>(value);
    for (const Placement& placement : placements) placement.append_to(here);
    const auto [position, is_new] = reached_.try_emplace(std::move(here), spent);
    if (!is_new && position->second <= spent) return true;
    position->second = spent;
    return false;
  }

  [[nodiscard]] int depths_worth_trying(int image) const {
    return grids_ > 1 ? 1 : static_cast<int>(depths(image).all.size());
  }
  /// Calls way(depth, filled) for every way in which a tile of `image` may come to exist.
  template <class Way>
  void for_each_tile(int image, const std::function<bool(const Halo&)>& can_be_filled, Way&& way) {
    const DepthsOfHalo& choice = depths(image);
    for (int depth = 0; depth < depths_worth_trying(image); ++depth) {
      if (depth == 0 || choice.read_with_halo) way(depth, false);
      const bool fills = grids_ == 1 && choice.worth_filling && depth >= choice.first_filled;
      if (fills && can_be_filled(choice.all[static_cast<std::size_t>(depth)])) way(depth, true);
    }
  }
  static Placement& of(Placements& placements, int image) { return placements[static_cast<std::size_t>(image)]; }

  void search(std::size_t k, Placements placements, double spent) {
    if (spent >= best_ || reached_before(k, -1, 0, placements, spent)) return;
    if (k == pipeline_.tasks.size()) {
      if (now_on_all_ranks_ >= asked_on_all_ranks_ && now_changes_ >= asked_changes_) best_ = spent;
      return;
    }
    const Task& task = pipeline_.tasks[k];
    if (task.kind == Task::Kind::output) {
      serve(k, std::move(placements), spent);
    } else if (is_in_parts(task.index) || is_tiled(task.index)) {
      search(k + 1, std::move(placements), spent);  // it stays in its file
    } else if (pipeline_.images[static_cast<std::size_t>(task.index)].source) {
      of(placements, task.index).root = true;
      search(k + 1, std::move(placements), spent + price(Kind::read, task.index));
    } else {
      on_root(k, placements, spent);
      for (int grid = 0; grid < grids_; ++grid) on_tiles(k, 0, grid, placements, spent);
      if (is_wanted_by_all(task.index)) everywhere(k, 0, placements, spent);
    }
  }

  double bring_to_root(Placements& placements, int image) const {
    Placement& placement = of(placements, image);
    if (placement.root) return 0;
    placement.root = true;
    if (is_tiled(image) && !placement.tile) {
      placement.tile = true;
      return price(Kind::read_tiles, image) + cheapest_algorithm(Kind::gather, image);
    }
    const double read = is_in_parts(image) ? price(Kind::read, image) : std::numeric_limits<double>::infinity();
    if (!placement.tile) return read;
    return std::min(read, cheapest_algorithm(Kind::gather, image, placement.depth, false, placement.grid));
  }

  void on_root(std::size_t k, Placements placements, double spent) {
    const int result = pipeline_.tasks[k].index;
    for (const int input : pipeline_.images[static_cast<std::size_t>(result)].inputs) {
      spent += bring_to_root(placements, input);
    }
    of(placements, result).root = true;
    search(k + 1, std::move(placements), spent + price(Kind::compute_root, result));
  }

  /// Whether the program gets the image, or one that is made of it, on all ranks.
  [[nodiscard]] bool is_wanted_by_all(int image) const {
    if (pipeline_.is_fetched(image)) return true;
    for (int i = image + 1; i < static_cast<int>(pipeline_.images.size()); ++i) {
      const std::vector<int>& inputs = pipeline_.images[static_cast<std::size_t>(i)].inputs;
      if (std::find(inputs.begin(), inputs.end(), image) != inputs.end() && is_wanted_by_all(i)) return true;
    }
    return false;
  }

  /// From input number `next` on, the inputs still have to be brought to every rank.
  void everywhere(std::size_t k, std::size_t next, Placements placements, double spent) {
    const int result = pipeline_.tasks[k].index;
    const std::vector<int>& inputs = pipeline_.images[static_cast<std::size_t>(result)].inputs;
    if (next == inputs.size()) {
      of(placements, result) = {.root = true, .everywhere = true};
      ++now_on_all_ranks_;
      search(k + 1, std::move(placements), spent + price(Kind::compute_everywhere, result));
      --now_on_all_ranks_;
      return;
    }
    const int input = inputs[next];
    if (of(placements, input).everywhere) return everywhere(k, next + 1, std::move(placements), spent);
    if (!of(placements, input).root && (of(placements, input).tile || is_tiled(input))) {
      Placements gathered = placements;
      Placement& placement = of(gathered, input);
      const double reading = placement.tile ? 0 : price(Kind::read_tiles, input);
      placement.root = placement.tile = placement.everywhere = true;
      const Transition allgather{Kind::allgather, input, {}, false, placement.depth, false, placement.grid};
      everywhere(k, next + 1, std::move(gathered), spent + reading + price_(allgather));
    }
    spent += bring_to_root(placements, input);
    of(placements, input).everywhere = true;
    everywhere(k, next + 1, std::move(placements), spent + cheapest_algorithm(Kind::broadcast, input));
  }

  /// An exchange while `result` is computed, which has to be the next thing to do; no cyclic one can be.
  [[nodiscard]] double overlapped(Transition exchange, int result, const Placements& placements) const {
    for (const int input : pipeline_.images[static_cast<std::size_t>(result)].inputs) {
      const Placement& placement = placements[static_cast<std::size_t>(input)];
      const bool is_there = placement.tile && placement.halo && placement.grid == exchange.grid;
      if (exchange.cyclic || (input != exchange.subject && !is_there)) return std::numeric_limits<double>::infinity();
    }
    exchange.meanwhile = result;
    return price_(exchange);
  }

  /// From input number `next` on, the inputs still have to be brought to the tiles.
  void on_tiles(std::size_t k, std::size_t next, int grid, Placements placements, double spent) {
    const int result = pipeline_.tasks[k].index;
    const PipelineImage& image = pipeline_.images[static_cast<std::size_t>(result)];
    const bool halo = !image.op->halo().empty();
    const bool wrap = halo && image.op->border() == Border::wrap;
    if (spent >= best_ || reached_before(k, static_cast<int>(next), grid, placements, spent)) return;
    if (next == image.inputs.size()) {
      const auto can_be_filled = [&, before = placements](const Halo& margin) {
        return std::all_of(image.inputs.begin(), image.inputs.end(), [&](int input) {
          const Placement& placement = before[static_cast<std::size_t>(input)];
          const Halo needed{margin.x + image.op->halo().x, margin.y + image.op->halo().y};
          return placement.halo && depths(input).all[static_cast<std::size_t>(placement.depth)].covers(needed);
        });
      };
      for (const int input : image.inputs) {
        if (halo && !wrap) of(placements, input).wrapped = false;
      }
      ++now_on_all_ranks_;
      for_each_tile(result, can_be_filled, [&](int depth, bool filled) {
        of(placements, result) = {.tile = true, .halo = filled, .depth = depth, .grid = grid};
        search(k + 1, placements, spent + price_({Kind::compute_tiles, result, {}, false, depth, filled, grid}));
      });
      --now_on_all_ranks_;
      return;
    }
    const int input = image.inputs[next];
    const auto proceed = [&](Placements there, double cost) {
      Placement& placement = of(there, input);
      if (halo && !(wrap ? placement.wrapped : placement.halo)) {
        const Transition exchange{Kind::exchange, input, {}, wrap, placement.depth, false, grid};
        cost += std::min(price_(exchange), overlapped(exchange, result, there));
        placement.halo = true;
        placement.wrapped = placement.wrapped || wrap;
      }
      on_tiles(k, next + 1, grid, std::move(there), spent + cost);
    };
    const Placement here = of(placements, input);
    if (here.tile && here.grid != grid) {
      of(placements, input) = {.root = here.root, .tile = true, .everywhere = here.everywhere, .grid = grid};
      ++now_changes_;
      proceed(std::move(placements), price_({Kind::redistribute, input, {}, false, 0, false, grid}));
      --now_changes_;
      return;
    }
    if (here.tile) {
      proceed(std::move(placements), 0);
      return;
    }
    if (is_tiled(input)) {
      for (int depth = 0; depth < depths_worth_trying(input); ++depth) {
        if (depth > 0 && !depths(input).read_with_halo) continue;
        Placements with_tile = placements;
        of(with_tile, input) = {.root = here.root, .tile = true, .depth = depth, .grid = grid};
        proceed(std::move(with_tile), price_({Kind::read_tiles, input, {}, false, depth, false, grid}));
      }
      return;
    }
    const auto for_each_new_tile = [&](bool root, const std::function<double(int, bool)>& cost) {
      for_each_tile(
          input, [](const Halo&) { return true; },
          [&](int depth, bool filled) {
            Placements with_tile = placements;
            of(with_tile, input) = {.root = root, .tile = true, .halo = filled, .depth = depth, .grid = grid};
            proceed(std::move(with_tile), cost(depth, filled));
          });
    };
    const bool is_read = !here.root && is_in_parts(input);
    const double reading = is_read && !here.everywhere ? price(Kind::read, input) : 0;
    if (!here.everywhere) {
      if (is_in_parts(input)) {
        for_each_new_tile(here.root, [&](int depth, bool filled) {
          return price_({Kind::read_tiles, input, {}, false, depth, filled, grid});
        });
      }
      for_each_new_tile(true, [&](int depth, bool filled) {
        return reading + cheapest_algorithm(Kind::scatter, input, depth, filled, grid);
      });
    }
    const double replication = here.everywhere ? 0 : reading + cheapest_algorithm(Kind::broadcast, input);
    for (int depth = 0; depth < depths_worth_trying(input); ++depth) {
      of(placements, input) = {true, true, true, true, true, depth, grid};
      proceed(placements, replication + price_({Kind::extract, input, {}, false, depth, false, grid}));
    }
  }

  void serve(std::size_t k, Placements placements, double spent) {
    const int output = pipeline_.tasks[k].index;
    const auto [kind, image, sink, reduction] = pipeline_.outputs[static_cast<std::size_t>(output)];
    if (kind == OutputKind::reduce && of(placements, image).tile) {
      search(k + 1, placements,
             spent + cheapest_algorithm(Kind::reduce_tiles, output, 0, false, of(placements, image).grid));
    }
    const bool in_parts = !out_parts_.empty() && out_parts_[static_cast<std::size_t>(output)];
    if (in_parts && of(placements, image).tile) {
      search(k + 1, placements,
             spent + price_({Kind::write_tiles, output, {}, false, 0, false, of(placements, image).grid}));
    }
    if (kind == OutputKind::keep && keeps_in_place_ && (of(placements, image).tile || is_tiled(image))) {
      if (!of(placements, image).tile) spent += price(Kind::read_tiles, image);
      search(k + 1, std::move(placements), spent);
      return;
    }
    const Placement& here = of(placements, image);
    if (kind == OutputKind::fetch && here.tile && !here.root && !here.everywhere) {
      Placements gathered = placements;
      of(gathered, image).root = of(gathered, image).everywhere = true;
      search(k + 1, std::move(gathered),
             spent + price_({Kind::allgather, image, {}, false, here.depth, false, here.grid}));
    }
    spent += bring_to_root(placements, image);
    if (kind == OutputKind::write) spent += price(Kind::write, output);
    if (kind == OutputKind::reduce) spent += cheapest_algorithm(Kind::reduce_root, output);
    if (kind == OutputKind::fetch && !of(placements, image).everywhere) {
      of(placements, image).everywhere = true;
      spent += cheapest_algorithm(Kind::deliver, image);
    }
    search(k + 1, std::move(placements), spent);
  }

  const Pipeline& pipeline_;
  TransitionPrice price_;
  std::vector<DepthsOfHalo> depths_;
  int grids_;
  std::vector<bool> in_parts_;
  std::vector<bool> out_parts_;
  bool keeps_in_place_;
  std::unordered_map<std::string, double> reached_;  // where, at which cost
  double best_ = 0;
  int asked_on_all_ranks_ = 0;  // operators
  int now_on_all_ranks_ = 0;    // on the way that is being tried
  int asked_changes_ = 0;       // of the grid
  int now_changes_ = 0;         // on that way
};

}  // namespace tilewright::test
