#include "transition_graph.hpp"

#include <algorithm>
#include <boost/graph/topological_sort.hpp>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

/// Where valid pixels of an image are; several may hold at a time.
enum Place : std::uint8_t {
  on_root = 1,
  tiled = 2,
  haloed = 4,       // the tile's halo inside the image is filled
  cyclic = 8,       // and the one across the image's edges
  replicated = 16,  // whole on every rank, the root included
};

/// How the current task is to be done; transfers for it have begun.
enum class Mode : char { open, root, tiles };

/// Placement of every image, and the mode as the last character: a string, for it is hashed and copied a lot.
using State = std::string;

using Kind = Transition::Kind;

class Builder {
 public:
  Builder(const Pipeline& pipeline, std::size_t max_states)
      : pipeline_(pipeline), max_states_(max_states), last_use_(pipeline.images.size(), -1) {
    for (std::size_t k = 0; k < pipeline.tasks.size(); ++k) note_uses(static_cast<int>(k));
  }

  TransitionGraph build() && {
    State state(pipeline_.images.size(), '\0');
    state.push_back(static_cast<char>(Mode::open));
    result_.start = vertex(next_, state);
    for (task_ = 0; task_ < static_cast<int>(pipeline_.tasks.size()); ++task_) {
      current_ = std::exchange(next_, {});
      for (std::size_t i = 0; i < current_.states.size(); ++i) {  // grows while it is walked
        const State here = current_.states[i];
        here_ = current_.vertices.at(here);
        expand(here);
      }
    }
    if (next_.states.size() != 1) throw InternalError("transition graph: the end is not one state");
    result_.goal = next_.vertices.begin()->second;
    boost::topological_sort(result_.graph, std::back_inserter(result_.order));
    std::reverse(result_.order.begin(), result_.order.end());
    return std::move(result_);
  }

 private:
  [[nodiscard]] const Task& task() const { return pipeline_.tasks[static_cast<std::size_t>(task_)]; }
  [[nodiscard]] const PipelineImage& image(int index) const {
    return pipeline_.images[static_cast<std::size_t>(index)];
  }
  static std::uint8_t places(const State& state, int image) {
    return static_cast<std::uint8_t>(state[static_cast<std::size_t>(image)]);
  }
  static void set_places(State& state, int image, int places) {
    state[static_cast<std::size_t>(image)] = static_cast<char>(places);
  }

  void note_uses(int k) {
    const Task& t = pipeline_.tasks[static_cast<std::size_t>(k)];
    if (t.kind == Task::Kind::output) {
      last_use_[static_cast<std::size_t>(pipeline_.outputs[static_cast<std::size_t>(t.index)].image)] = k;
    } else {
      for (const int input : image(t.index).inputs) last_use_[static_cast<std::size_t>(input)] = k;
      last_use_[static_cast<std::size_t>(t.index)] = k;
    }
  }

  // --- vertices and edges ---

  /// The states before one task, in the order in which they were found.
  struct Layer {
    std::unordered_map<State, TransitionGraph::Vertex> vertices;
    std::vector<State> states;
  };

  TransitionGraph::Vertex vertex(Layer& layer, const State& state) {
    const auto [position, is_new] = layer.vertices.try_emplace(state, 0);
    if (is_new) {
      position->second = boost::add_vertex(result_.graph);
      layer.states.push_back(state);
      if (boost::num_vertices(result_.graph) > max_states_) result_.cut = true;
    }
    return position->second;
  }

  int transition(const Transition& wanted) {
    const auto [position, is_new] = index_.try_emplace(wanted, static_cast<int>(result_.transitions.size()));
    if (is_new) result_.transitions.push_back(wanted);
    return position->second;
  }

  /// A transfer for the current task: the next state is of the same task.
  void prepare(State state, int subject, int new_places, Mode mode, Transition what) {
    set_places(state, subject, new_places);
    state.back() = static_cast<char>(mode);
    boost::add_edge(here_, vertex(current_, state), {transition(what)}, result_.graph);
  }

  /// The current task is done: images that nothing needs any more are forgotten.
  void advance(State state, const Transition& what) {
    state.back() = static_cast<char>(Mode::open);
    for (std::size_t i = 0; i + 1 < state.size(); ++i) {
      if (last_use_[i] <= task_) state[i] = 0;
      else set_places(state, static_cast<int>(i), useful(static_cast<int>(i), places(state, static_cast<int>(i))));
    }
    boost::add_edge(here_, vertex(next_, state), {transition(what)}, result_.graph);
  }

  /// Drops what makes no difference from here on, so that equivalent states are one: halos that no later operator
  /// reads, and tiles beside a root's copy that only a write will read.
  [[nodiscard]] int useful(int index, int held) const {
    bool halo = false, wrap = false, compute = false;
    for (std::size_t k = static_cast<std::size_t>(task_) + 1; k < pipeline_.tasks.size(); ++k) {
      if (static_cast<int>(k) > last_use_[static_cast<std::size_t>(index)]) break;
      const Task& later = pipeline_.tasks[k];
      if (later.kind == Task::Kind::output) {
        const PipelineOutput& output = pipeline_.outputs[static_cast<std::size_t>(later.index)];
        if (output.image == index && output.kind == OutputKind::fetch) return held;
        compute = compute || (output.image == index && output.kind == OutputKind::reduce);
        continue;
      }
      const PipelineImage& reader = image(later.index);
      if (std::find(reader.inputs.begin(), reader.inputs.end(), index) == reader.inputs.end()) continue;
      compute = true;
      halo = halo || !reader.op->halo().empty();
      wrap = wrap || (!reader.op->halo().empty() && reader.op->border() == Border::wrap);
    }
    if (!compute && (held & on_root)) return on_root;
    if (!halo) held &= ~haloed;
    if (!wrap) held &= ~cyclic;
    return held;
  }

  // --- tasks ---

  void expand(const State& state) {
    if (task().kind == Task::Kind::output) {
      serve(state, pipeline_.outputs[static_cast<std::size_t>(task().index)]);
    } else if (image(task().index).source) {
      State next = state;
      set_places(next, task().index, on_root);
      advance(next, {Kind::read, task().index, {}, false});
    } else {
      const Mode mode = static_cast<Mode>(state.back());
      const bool stay_tiled = result_.cut && mode == Mode::open && any_tiled(state);
      if (mode != Mode::root) compute_tiles(state);
      if (mode != Mode::tiles && !stay_tiled) compute_root(state);
    }
  }

  [[nodiscard]] static bool any_tiled(const State& state) {
    return std::any_of(state.begin(), state.end() - 1, [](char places) { return (places & tiled) != 0; });
  }

  void compute_root(const State& state) {
    for (const int input : image(task().index).inputs) {
      if (places(state, input) & on_root) continue;
      gather(state, input);
      return;  // one input at a time: the others follow from the state that this leads to
    }
    State next = state;
    set_places(next, task().index, on_root);
    advance(next, {Kind::compute_root, task().index, {}, false});
  }

  void compute_tiles(const State& state) {
    const Operator& op = *image(task().index).op;
    const bool halo = !op.halo().empty();
    const bool wrap = halo && op.border() == Border::wrap;
    for (const int input : image(task().index).inputs) {
      const int held = places(state, input);
      if (!(held & tiled)) {
        distribute(state, input, held);
        return;
      }
      if (halo && !(held & (wrap ? cyclic : haloed))) {
        prepare(state, input, held | haloed | (wrap ? cyclic : 0), Mode::tiles, {Kind::exchange, input, {}, wrap});
        return;
      }
    }
    State next = state;
    if (halo && !wrap) {  // filling the border overwrites what a cyclic exchange brought
      for (const int input : image(task().index).inputs) set_places(next, input, places(next, input) & ~cyclic);
    }
    set_places(next, task().index, tiled);
    advance(next, {Kind::compute_tiles, task().index, {}, false});
  }

  void gather(const State& state, int input) {
    for (const Algorithm algorithm : all_algorithms) {
      prepare(state, input, places(state, input) | on_root, Mode::root, {Kind::gather, input, algorithm, false});
    }
  }

  void distribute(const State& state, int input, int held) {
    if (held & replicated) {
      prepare(state, input, held | tiled | haloed | cyclic, Mode::tiles, {Kind::extract, input, {}, false});
      return;
    }
    for (const Algorithm algorithm : all_algorithms) {
      prepare(state, input, held | tiled, Mode::tiles, {Kind::scatter, input, algorithm, false});
    }
    for (const Algorithm algorithm : all_algorithms) {
      prepare(state, input, held | replicated, Mode::tiles, {Kind::broadcast, input, algorithm, false});
    }
  }

  void serve(const State& state, const PipelineOutput& output) {
    const int held = places(state, output.image);
    if (output.kind == OutputKind::reduce && (held & tiled) && static_cast<Mode>(state.back()) == Mode::open) {
      for (const Algorithm algorithm : all_algorithms) {
        advance(state, {Kind::reduce_tiles, task().index, algorithm, false});
      }
    }
    if (!(held & on_root)) {
      gather(state, output.image);
      return;
    }
    switch (output.kind) {
      case OutputKind::write: advance(state, {Kind::write, task().index, {}, false}); break;
      case OutputKind::keep: advance(state, {}); break;
      case OutputKind::reduce:
        for (const Algorithm algorithm : all_algorithms) {
          advance(state, {Kind::reduce_root, task().index, algorithm, false});
        }
        break;
      case OutputKind::fetch:
        if (held & replicated) {
          advance(state, {});
          break;
        }
        for (const Algorithm algorithm : all_algorithms) {
          prepare(state, output.image, held | replicated, Mode::root,
                  {Kind::broadcast, output.image, algorithm, false});
        }
        break;
    }
  }

  const Pipeline& pipeline_;
  std::size_t max_states_;
  std::vector<int> last_use_;  // by image: the last task that touches it
  TransitionGraph result_;
  std::map<Transition, int> index_;
  int task_ = 0;
  TransitionGraph::Vertex here_ = 0;
  Layer current_;  // the states before task_, and those reached by transfers for it
  Layer next_;
};

}  // namespace

TransitionGraph make_transition_graph(const Pipeline& pipeline, std::size_t max_states) {
  return Builder(pipeline, max_states).build();
}

std::optional<ShortestPath> shortest_path(const TransitionGraph& graph, const std::vector<double>& seconds) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  struct Arrival {
    double seconds = infinity;
    TransitionGraph::Vertex from = 0;
    int transition = -1;
  };
  std::vector<Arrival> arrivals(boost::num_vertices(graph.graph));
  arrivals[graph.start].seconds = 0;
  for (const auto vertex : graph.order) {
    const double reached = arrivals[vertex].seconds;
    if (reached == infinity) continue;
    const auto [first, last] = boost::out_edges(vertex, graph.graph);
    for (auto edge = first; edge != last; ++edge) {
      const int transition = graph.graph[*edge].transition;
      Arrival& arrival = arrivals[boost::target(*edge, graph.graph)];
      const double total = reached + seconds[static_cast<std::size_t>(transition)];
      if (total < arrival.seconds) arrival = {total, vertex, transition};
    }
  }
  if (arrivals[graph.goal].seconds == infinity) return std::nullopt;
  ShortestPath path{arrivals[graph.goal].seconds, {}};
  for (auto vertex = graph.goal; vertex != graph.start; vertex = arrivals[vertex].from) {
    path.transitions.push_back(arrivals[vertex].transition);
  }
  std::reverse(path.transitions.begin(), path.transitions.end());
  return path;
}

}  // namespace tilewright
