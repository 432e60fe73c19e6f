#include "path_memory.hpp"

#include <algorithm>
#include <limits>

#include "placement.hpp"
#include "plan_memory.hpp"
#include "tilewright/core/raster.hpp"
#include "tilewright/transfers/schedule.hpp"

namespace tilewright {
namespace {

using Kind = Transition::Kind;
using Vertex = TransitionGraph::Vertex;

constexpr std::size_t most_grids = 2;

RankBytes most_of(const RankBytes& a, const RankBytes& b) {
  return {std::max(a.root, b.root), std::max(a.rank, b.rank)};
}

/// Of those but the root, the first with the largest tile of the largest image.
int fullest_rank(const Pipeline& pipeline, const ProcessGrid& grid) {
  const auto largest = std::max_element(
      pipeline.images.begin(), pipeline.images.end(),
      [](const PipelineImage& a, const PipelineImage& b) { return a.shape.extent.pixels() < b.shape.extent.pixels(); });
  int fullest = 1;
  for (int rank = 2; rank < grid.ranks(); ++rank) {
    const auto pixels = [&](int of) { return tile_of(largest->shape.extent, grid, of).pixels(); };
    if (pixels(rank) > pixels(fullest)) fullest = rank;
  }
  return fullest;
}

/// Those but the root that have tiles as large as that one's of all images.
std::vector<int> ranks_alike(int one, const Pipeline& pipeline, const Configuration& configuration) {
  std::vector<int> ranks;
  for (int rank = 1; rank < configuration.ranks; ++rank) {
    const bool is_alike = std::all_of(pipeline.images.begin(), pipeline.images.end(), [&](const PipelineImage& image) {
      const auto is_alike_on = [&](const ProcessGrid& grid) {
        const Rect own = tile_of(image.shape.extent, grid, rank);
        const Rect others = tile_of(image.shape.extent, grid, one);
        return own.width() == others.width() && own.height() == others.height();
      };
      return is_alike_on(configuration.grid) && (!configuration.second || is_alike_on(*configuration.second));
    });
    if (is_alike) ranks.push_back(rank);
  }
  return ranks;
}

/// As the account of a plan counts them: those of other transfers go where they are wanted.
bool has_counted_messages(const Transition& transition) {
  return transition.kind == Kind::scatter || transition.kind == Kind::gather || transition.kind == Kind::exchange ||
         transition.kind == Kind::redistribute || transition.kind == Kind::allgather;
}

}  // namespace

RankBytes& RankBytes::operator+=(const RankBytes& more) {
  root += more.root;
  rank += more.rank;
  return *this;
}

RankBytes operator+(RankBytes a, const RankBytes& b) {
  return a += b;
}

RankBytes& RankBytes::operator-=(const RankBytes& less) {
  root -= less.root;
  rank -= less.rank;
  return *this;
}

PathMemory::PathMemory(const Pipeline& pipeline, const TransitionGraph& graph, TransitionPricer& pricer,
                       const Offer& offer)
    : pipeline_(pipeline),
      graph_(graph),
      pricer_(pricer),
      other_(fullest_rank(pipeline, pricer.configuration().grid)),
      alike_(ranks_alike(other_, pipeline, pricer.configuration())),
      is_counted_(graph.transitions.size(), false) {
  measure_images(offer);
  find_staying(offer);
  for (const Transition& transition : graph.transitions) {
    is_possible_.push_back(pricer.least_seconds(transition) < std::numeric_limits<double>::infinity());
    scratch_.push_back(is_possible_.back() ? scratch_of(transition) : RankBytes{});
  }
  for (Vertex vertex = 0; vertex < graph.states.size(); ++vertex) {
    RankBytes& all = waiting_.emplace_back();
    for (int i = 0; i < static_cast<int>(pipeline.images.size()); ++i) all += waiting(vertex, i);
  }
}

/// What is fetched is whole on every rank then. What is kept is whole on the root, unless it may stay on the tiles.
void PathMemory::find_staying(const Offer& offer) {
  stays_.resize(pipeline_.images.size());
  for (std::size_t task = pipeline_.tasks.size(); task-- > 0;) {
    if (pipeline_.tasks[task].kind != Task::Kind::output) continue;
    const PipelineOutput& output = pipeline_.output(pipeline_.tasks[task].index);
    std::optional<Stay>& stay = stays_[static_cast<std::size_t>(output.image)];
    if (output.kind == OutputKind::fetch) stay = Stay{task, everywhere(output.image)};
    if (output.kind == OutputKind::keep && !offer.keeps_in_place && !stay) stay = Stay{task, whole(output.image)};
  }
}

void PathMemory::measure_images(const Offer& offer) {
  const Configuration& configuration = pricer_.configuration();
  for (int i = 0; i < static_cast<int>(pipeline_.images.size()); ++i) {
    const auto& [extent, format] = pipeline_.image(i).shape;
    whole_bytes_.push_back(raster_bytes(rect_of(extent), {}, format));
    may_be_read_again_.push_back(offer.reads_in_parts(i) && !is_tiled_source(pipeline_.image(i)));
    std::vector<RankBytes>& tiles = tiles_.emplace_back();
    for (int depth = 0; depth < pricer_.depths(i); ++depth) {
      const Halo halo = pricer_.storage_halo(i, depth);
      for (const ProcessGrid& grid : {configuration.grid, configuration.second.value_or(configuration.grid)}) {
        tiles.push_back({raster_bytes(tile_of(extent, grid, 0), halo, format),
                         raster_bytes(tile_of(extent, grid, other_), halo, format)});
      }
    }
  }
}

RankBytes PathMemory::tile(int image, int depth, int grid) const {
  return tiles_[static_cast<std::size_t>(image)]
               [static_cast<std::size_t>(depth) * most_grids + static_cast<std::size_t>(grid)];
}

RankBytes PathMemory::tile_in(Vertex vertex, int image, int grid) const {
  return tile(image, graph_.states[vertex].depth(image), grid);
}

/// On the root, in its own memory.
RankBytes PathMemory::whole(int index) const {
  return {is_lent(pipeline_.image(index), {}) ? 0 : whole_bytes_[static_cast<std::size_t>(index)], 0};
}

RankBytes PathMemory::everywhere(int image) const {
  return {whole(image).root, whole_bytes_[static_cast<std::size_t>(image)]};
}

PathMemory::Places PathMemory::places(Vertex vertex, int image) const {
  const auto held = graph_.states[vertex].places(image);
  Places places;
  if ((held & place::on_root) != 0) places.whole = whole(image);
  if ((held & place::replicated) != 0) places.whole = everywhere(image);
  if ((held & place::tiled) != 0) places.on_tiles = tile_in(vertex, image, grid_of(held));
  return places;
}

/// Of an image that is needed later: where states tell, in all of its places, else in the cheapest one; in a file it
/// takes nothing.
RankBytes PathMemory::needed_later(Vertex vertex, int image) const {
  if (!graph_.forgets && may_be_read_again_[static_cast<std::size_t>(image)]) return {};
  const auto [whole_bytes, tile_bytes] = places(vertex, image);
  if (graph_.forgets) return whole_bytes.value_or(RankBytes{}) + tile_bytes.value_or(RankBytes{});
  if (!whole_bytes) return tile_bytes.value_or(RankBytes{});
  const RankBytes of_root{whole(image).root, 0};  // on the others it may be of no more use
  return tile_bytes ? RankBytes{std::min(of_root.root, tile_bytes->root), 0} : of_root;
}

/// Of an image that the program gets or keeps, once it is as it stays.
RankBytes PathMemory::staying(Vertex vertex, int image) const {
  const std::optional<Stay>& stay = stays_[static_cast<std::size_t>(image)];
  return stay && graph_.tasks[vertex] > stay->task ? stay->bytes : RankBytes{};
}

RankBytes PathMemory::waiting(Vertex vertex, int image) const {
  return most_of(needed_later(vertex, image), staying(vertex, image));
}

/// Of an image in another place than the one that is used: where states tell, it is needed there later.
RankBytes PathMemory::beside(Vertex vertex, int image, Use use) const {
  const auto [whole_bytes, tile_bytes] = places(vertex, image);
  if (use == Use::both) return {};
  return (use == Use::tile ? whole_bytes : tile_bytes).value_or(RankBytes{});
}

RankBytes PathMemory::held(Vertex from, Vertex to, int transition) const {
  RankBytes sum = waiting_[to];
  sum += scratch_[static_cast<std::size_t>(transition)];
  each_use(from, graph_.transitions[static_cast<std::size_t>(transition)],
           [&](int image, Use use, const RankBytes& bytes) {
             sum -= waiting(to, image);
             RankBytes all = bytes;
             if (graph_.forgets) all += beside(from, image, use);
             sum += most_of(all, staying(to, image));
           });
  return sum;
}

/// Tells `visit` each image that a transition works on, once, with its places and what it takes there.
template <class Visit>
void PathMemory::each_use(Vertex from, const Transition& made, Visit&& visit) const {
  const int subject = made.subject;
  const auto output_image = [&] { return pipeline_.output(subject).image; };
  const auto own_tile = [&] { return tile(subject, made.depth, made.grid); };
  switch (made.kind) {
    case Kind::none:
      return;
    case Kind::read:
      return visit(subject, Use::whole, whole(subject));
    case Kind::read_tiles:
    case Kind::exchange:
      return visit(subject, Use::tile, own_tile());
    case Kind::redistribute:
      return visit(subject, Use::tile, tile(subject, made.depth, 0) + tile(subject, made.depth, 1));
    case Kind::scatter:
    case Kind::gather:
      return visit(subject, Use::both, whole(subject) + own_tile());
    case Kind::broadcast:
    case Kind::deliver:
      return visit(subject, Use::whole, everywhere(subject));
    case Kind::allgather:
    case Kind::extract:
      return visit(subject, Use::both, everywhere(subject) + own_tile());
    case Kind::compute_root:
    case Kind::compute_tiles:
    case Kind::compute_everywhere:
      return each_use_of_operator(from, made, visit);
    case Kind::write:
    case Kind::reduce_root:
      return visit(output_image(), Use::whole, whole(output_image()));
    case Kind::write_tiles:
    case Kind::reduce_tiles:
      return visit(output_image(), Use::tile, tile_in(from, output_image(), made.grid));
  }
}

template <class Visit>
void PathMemory::each_use_of_operator(Vertex from, const Transition& made, Visit&& visit) const {
  const Site site = site_of_computing(made.kind);
  const Use use = site == Site::tiles ? Use::tile : Use::whole;
  const auto bytes_of_whole = [&](int index) { return site == Site::root ? whole(index) : everywhere(index); };
  const std::vector<int>& inputs = pipeline_.image(made.subject).inputs;
  for (auto input = inputs.begin(); input != inputs.end(); ++input) {
    if (std::find(inputs.begin(), input, *input) != input) continue;
    visit(*input, use, use == Use::whole ? bytes_of_whole(*input) : tile_in(from, *input, made.grid));
  }
  for (int result = made.subject; result < made.subject + pipeline_.results(made.subject); ++result) {
    visit(result, use, use == Use::whole ? bytes_of_whole(result) : tile(result, made.depth, made.grid));
  }
}

/// Of operators and files.
RankBytes PathMemory::scratch_of(const Transition& transition) const {
  switch (transition.kind) {
    case Kind::read:
      return {pipeline_.image(transition.subject).source->scratch_bytes(), 0};
    case Kind::write: {
      const PipelineOutput& output = pipeline_.output(transition.subject);
      return {output.sink->scratch_bytes(pipeline_.image(output.image).shape), 0};
    }
    case Kind::compute_root:
    case Kind::compute_tiles:
    case Kind::compute_everywhere:
      break;
    default:
      return {};
  }
  const int threads = pricer_.threads_of(transition);
  if (transition.kind != Kind::compute_tiles) {
    const std::int64_t bytes =
        whole_scratch_bytes(pipeline_, transition.subject, threads, pricer_.configuration().ranks);
    return {bytes, transition.kind == Kind::compute_everywhere ? bytes : 0};
  }
  const PipelineImage& result = pipeline_.image(transition.subject);
  const std::vector<ImageShape> inputs = pipeline_.input_shapes(transition.subject);
  const Extent& extent = result.shape.extent;
  const auto of_rank = [&](int rank) -> std::int64_t {
    const Rect own = tile_of(extent, pricer_.configuration().grid_of(transition), rank);
    const Rect area = own.empty() ? own : grown(own, pricer_.margin(transition), extent);
    return area.empty() ? 0 : threads * result.op->scratch_bytes(inputs, Extent{area.width(), area.height()});
  };
  return {of_rank(0), of_rank(other_)};
}

bool PathMemory::count_messages(const std::vector<int>& transitions) {
  bool has_more = false;
  for (const int index : transitions) {
    const auto i = static_cast<std::size_t>(index);
    const Transition& transition = graph_.transitions[i];
    if (is_counted_[i] || !has_counted_messages(transition)) continue;
    is_counted_[i] = true;
    const std::vector<std::int64_t> by_rank = make_schedule(pricer_.spec(transition)).scratch_bytes();
    RankBytes bytes{by_rank.front(), 0};
    for (const int rank : alike_) bytes.rank = std::max(bytes.rank, by_rank[static_cast<std::size_t>(rank)]);
    has_more = has_more || bytes != RankBytes{};
    scratch_[i] += bytes;
  }
  return has_more;
}

RankBytes PathMemory::peak(const ShortestPath& path) const {
  RankBytes most;
  for (std::size_t i = 0; i < path.transitions.size(); ++i) {
    most = most_of(most, held(path.vertices[i], path.vertices[i + 1], path.transitions[i]));
  }
  return most;
}

}  // namespace tilewright
