// The oracle of the transition graph: tries every way to run a pipeline, task by task, and knows nothing of the graph.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

#include "../../scheduler/transition_graph.hpp"

namespace tilewright::test {

/// What a transition costs; infinity where it is not possible.
using TransitionPrice = std::function<double(const Transition&)>;

/// Depth-first over all choices, with a copy of the placements at every step.
class PlacementSearch {
 public:
  PlacementSearch(const Pipeline& pipeline, TransitionPrice price) : pipeline_(pipeline), price_(std::move(price)) {}

  /// The least cost of any way; infinity if there is none.
  double cheapest() { return cheapest_with(0); }
  /// The same of those ways in which at least one operator works on tiles.
  double cheapest_on_tiles() { return cheapest_with(1); }

 private:
  using Kind = Transition::Kind;

  struct Placement {
    bool root = false;
    bool tile = false;
    bool halo = false;  // filled inside the image
    bool wrapped = false;
    bool everywhere = false;
  };
  using Placements = std::vector<Placement>;

  double cheapest_with(int operators_on_tiles) {
    asked_on_tiles_ = operators_on_tiles;
    best_ = std::numeric_limits<double>::infinity();
    search(0, Placements(pipeline_.images.size()), 0);
    return best_;
  }

  [[nodiscard]] double price(Kind kind, int subject, bool cyclic = false) const {
    return price_({kind, subject, {}, cyclic});
  }
  [[nodiscard]] double cheaper_tree(Kind kind, int subject) const {
    return std::min(price_({kind, subject, Algorithm::oft, false}), price_({kind, subject, Algorithm::sbt, false}));
  }
  static Placement& of(Placements& placements, int image) { return placements[static_cast<std::size_t>(image)]; }

  void search(std::size_t k, Placements placements, double spent) {
    if (spent >= best_) return;
    if (k == pipeline_.tasks.size()) {
      if (now_on_tiles_ >= asked_on_tiles_) best_ = spent;
      return;
    }
    const Task& task = pipeline_.tasks[k];
    if (task.kind == Task::Kind::output) {
      serve(k, std::move(placements), spent);
    } else if (pipeline_.images[static_cast<std::size_t>(task.index)].source) {
      of(placements, task.index).root = true;
      search(k + 1, std::move(placements), spent + price(Kind::read, task.index));
    } else {
      on_root(k, placements, spent);
      on_tiles(k, 0, std::move(placements), spent);
    }
  }

  double bring_to_root(Placements& placements, int image) const {
    if (of(placements, image).root) return 0;
    of(placements, image).root = true;
    return cheaper_tree(Kind::gather, image);
  }

  void on_root(std::size_t k, Placements placements, double spent) {
    const int result = pipeline_.tasks[k].index;
    for (const int input : pipeline_.images[static_cast<std::size_t>(result)].inputs) {
      spent += bring_to_root(placements, input);
    }
    of(placements, result).root = true;
    search(k + 1, std::move(placements), spent + price(Kind::compute_root, result));
  }

  /// From input number `next` on, the inputs still have to be brought to the tiles.
  void on_tiles(std::size_t k, std::size_t next, Placements placements, double spent) {
    const int result = pipeline_.tasks[k].index;
    const PipelineImage& image = pipeline_.images[static_cast<std::size_t>(result)];
    const bool halo = !image.op->halo().empty();
    const bool wrap = halo && image.op->border() == Border::wrap;
    if (next == image.inputs.size()) {
      for (const int input : image.inputs) {
        if (halo && !wrap) of(placements, input).wrapped = false;
      }
      of(placements, result).tile = true;
      ++now_on_tiles_;
      search(k + 1, std::move(placements), spent + price(Kind::compute_tiles, result));
      --now_on_tiles_;
      return;
    }
    const int input = image.inputs[next];
    const auto proceed = [&](Placements there, double cost) {
      Placement& placement = of(there, input);
      if (halo && !(wrap ? placement.wrapped : placement.halo)) {
        cost += price(Kind::exchange, input, wrap);
        placement.halo = true;
        placement.wrapped = placement.wrapped || wrap;
      }
      on_tiles(k, next + 1, std::move(there), spent + cost);
    };
    const Placement here = of(placements, input);
    if (here.tile) {
      proceed(std::move(placements), 0);
      return;
    }
    if (!here.everywhere) {
      Placements scattered = placements;
      of(scattered, input).tile = true;
      proceed(std::move(scattered), cheaper_tree(Kind::scatter, input));
    }
    const double replication = here.everywhere ? 0 : cheaper_tree(Kind::broadcast, input);
    of(placements, input) = {here.root, true, true, true, true};
    proceed(std::move(placements), replication + price(Kind::extract, input));
  }

  void serve(std::size_t k, Placements placements, double spent) {
    const int output = pipeline_.tasks[k].index;
    const auto [kind, image, sink, reduction] = pipeline_.outputs[static_cast<std::size_t>(output)];
    if (kind == OutputKind::reduce && of(placements, image).tile) {
      search(k + 1, placements, spent + cheaper_tree(Kind::reduce_tiles, output));
    }
    spent += bring_to_root(placements, image);
    if (kind == OutputKind::write) spent += price(Kind::write, output);
    if (kind == OutputKind::reduce) spent += cheaper_tree(Kind::reduce_root, output);
    if (kind == OutputKind::fetch && !of(placements, image).everywhere) {
      of(placements, image).everywhere = true;
      spent += cheaper_tree(Kind::deliver, image);
    }
    search(k + 1, std::move(placements), spent);
  }

  const Pipeline& pipeline_;
  TransitionPrice price_;
  double best_ = 0;
  int asked_on_tiles_ = 0;  // operators
  int now_on_tiles_ = 0;    // on the way that is being tried
};

}  // namespace tilewright::test
