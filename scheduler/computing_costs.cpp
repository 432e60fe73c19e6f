// What operators and reductions take, on the root and on the tiles.
#include <algorithm>
#include <set>

#include "node_use.hpp"
#include "plan_memory.hpp"
#include "tilewright/core/edges.hpp"
#include "transition_costs.hpp"

namespace tilewright {
namespace {

using Kind = Transition::Kind;

/// Whether all ranks are at work at once.
bool is_on_all(const Transition& transition) {
  return transition.kind != Kind::compute_root;
}

}  // namespace

/// As compute() has it, each number made once.
double TransitionPricer::compute_seconds(const Transition& transition) {
  const bool is_grown = transition.filled && !margin(transition).empty();
  if (is_grown) return price(transition).seconds;
  double& known = known_seconds(site_of_computing(transition.kind), transition.grid, transition.subject);
  if (known == not_known) known = price(transition).seconds;
  return known;
}

TransitionPricer::ThreadedCost TransitionPricer::compute(const Transition& transition) {
  return with_best_threads([&](int threads) { return compute_with(transition, threads); });
}

WorkCost TransitionPricer::compute_with(const Transition& transition, int threads) {
  if (transition.kind != Kind::compute_tiles) {
    WorkCost cost = compute_whole(transition, threads);
    cost.seconds /= transition.kind == Kind::compute_everywhere ? speed_of_slowest() : speed_of_root();
    return cost;
  }
  const Extent& extent = shape_of(transition.subject).extent;
  return on_tiles(extent, configuration_.grid_of(transition), margin(transition),
                  [&](const Extent& tile) { return compute_tile(transition, tile, threads); });
}

WorkCost TransitionPricer::compute_tile(const Transition& transition, const Extent& tile, int threads) {
  WorkCost cost = works_.cost(works_of(transition.subject, tile), tile, true, threads);
  cost.seconds += border_seconds(transition, tile);
  return cost;
}

/// With one number of threads after another the same works are asked for.
const std::vector<Work>& TransitionPricer::works_of(int image, const Extent& tile) {
  if (last_works_.image == image && last_works_.tile == tile) return last_works_.works;
  const auto subject = static_cast<std::size_t>(image);
  last_works_ = {image, tile, pipeline_.images[subject].op->work(input_shapes_[subject], tile)};
  return last_works_.works;
}

/// With as many threads as the others have.
double TransitionPricer::computing_on_roots_tile(const Transition& transition) {
  const auto subject = static_cast<std::size_t>(transition.subject);
  const Halo beyond = margin(transition);
  if (beyond.empty() && known_on_roots_tile_[subject] != not_known) return known_on_roots_tile_[subject];
  const Extent& extent = shape_of(transition.subject).extent;
  const Rect area = grown(tile_of(extent, configuration_.grid, 0), beyond, extent);
  if (area.empty()) return 0;
  const int threads = threads_of(transition);
  const double work_s = compute_tile(transition, {area.width(), area.height()}, threads).seconds / speed_of_root();
  const double seconds = work_s + step_overhead_s_;
  if (beyond.empty()) known_on_roots_tile_[subject] = seconds;
  return seconds;
}

/// Of the plan's ranks; those beyond `rank_speeds` are on the slowest node.
double TransitionPricer::speed_of_slowest() const {
  const std::vector<double>& speeds = space_.rank_speeds;
  if (std::ssize(speeds) < configuration_.ranks) return 1;
  return *std::min_element(speeds.begin(), speeds.begin() + configuration_.ranks);
}

WorkCost TransitionPricer::compute_whole(const Transition& transition, int threads) {
  if (needs_edges(pipeline_, transition.subject, configuration_.ranks)) return compute_by_edges(transition, threads);
  const auto subject = static_cast<std::size_t>(transition.subject);
  const PipelineImage& image = pipeline_.images[subject];
  const Extent& whole = image.shape.extent;
  const bool is_banded = configuration_.ranks == 1 && bands_[subject] > 1;
  WorkCost cost =
      is_banded ? compute_bands(transition.subject)
                : works_.cost(image.op->work(input_shapes_[subject], whole), whole, is_on_all(transition), threads);
  if (is_banded) cost.seconds *= band_shares_[subject];
  cost.seconds += border_seconds(transition, whole);
  return cost;
}

/// The middle as it is, each strip with the copies that it is computed from.
WorkCost TransitionPricer::compute_by_edges(const Transition& transition, int threads) {
  const auto result = static_cast<std::size_t>(transition.subject);
  const PipelineImage& image = pipeline_.images[result];
  const std::vector<ImageShape>& inputs = input_shapes_[result];
  const bool on_all = is_on_all(transition);
  WorkCost cost;
  const auto add = [&](const Rect& part) {
    const Extent extent{part.width(), part.height()};
    const WorkCost own = works_.cost(image.op->work(inputs, extent), extent, on_all, threads);
    cost.seconds += own.seconds;
    cost.known = cost.known && own.known;
  };
  const Edges edges = edges_of(inputs, image.op->halo());
  if (!edges.middle.empty()) add(edges.middle);
  for (const Rect& strip : edges.strips) {
    add(strip);
    cost.seconds += strip_copies_seconds(image, strip, on_all);
  }
  return cost;
}

double TransitionPricer::strip_copies_seconds(const PipelineImage& image, const Rect& strip, bool on_all) {
  const Halo halo = image.op->halo();
  const Rect copied = padded(strip, halo);
  double seconds = 0;
  for (const int input : std::set<int>(image.inputs.begin(), image.inputs.end())) {
    const auto [extent, format] = shape_of(input);
    const std::int64_t outside = copied.pixels() - intersection(copied, rect_of(extent)).pixels();
    const Work filling{"fill_border", format.type, static_cast<double>(halo.x),
                       static_cast<double>(outside * format.channels)};
    seconds += copy_seconds(profile_, shape_of(input), copied.pixels()) * works_.slowdown(on_all, 1);
    seconds += works_.cost({&filling, 1}, {strip.width(), strip.height()}, on_all).seconds;
  }
  return seconds;
}

/// The seconds of all threads in sum, which do other bands at the same time; the borders left out.
WorkCost TransitionPricer::compute_bands(int first_result) {
  const PipelineImage& image = pipeline_.images[static_cast<std::size_t>(first_result)];
  const int bands = bands_[static_cast<std::size_t>(first_result)];
  const Extent band = largest_tile(image.shape.extent, {1, bands});
  const int threads = threads_of_rank(space_, ProcessGrid{});
  const Extent at_work{band.width, std::min(band.height * threads, image.shape.extent.height)};
  WorkCost cost =
      works_.cost(image.op->work(input_shapes_[static_cast<std::size_t>(first_result)], band), at_work, false, threads);
  cost.seconds *= threads * static_cast<double>(image.shape.extent.height) / static_cast<double>(band.height);
  return cost;
}

TransitionPricer::ThreadedCost TransitionPricer::reduction(const Transition& transition) {
  return with_best_threads([&](int threads) { return reduce_with(transition, threads); });
}

WorkCost TransitionPricer::reduce_with(const Transition& transition, int threads) {
  const PipelineOutput& output = pipeline_.outputs[static_cast<std::size_t>(transition.subject)];
  const ImageShape& shape = shape_of(output.image);
  if (transition.kind == Kind::reduce_tiles) {
    return on_tiles(shape.extent, configuration_.grid_of(transition), {}, [&](const Extent& tile) {
      return works_.cost(output.reduction->work(shape, tile), tile, true, threads);
    });
  }
  const bool is_alone = configuration_.ranks == 1;
  WorkCost cost = reduce_on_root(transition.subject, is_alone, threads);
  if (is_alone) cost.seconds *= output_shares_[static_cast<std::size_t>(transition.subject)];
  cost.seconds /= speed_of_root();
  return cost;
}

/// One rank alone does it in the bands in which the image is made, if it is; each of its threads has bands of its own
/// then, and reduces them by itself.
WorkCost TransitionPricer::reduce_on_root(int index, bool is_alone, int threads) {
  const PipelineOutput& output = pipeline_.outputs[static_cast<std::size_t>(index)];
  const PipelineImage& image = pipeline_.images[static_cast<std::size_t>(output.image)];
  const Extent& whole = image.shape.extent;
  const int bands = is_alone ? bands_[static_cast<std::size_t>(output.image - image.result)] : 1;
  const Extent band = largest_tile(whole, {1, bands});
  WorkCost cost = works_.cost(output.reduction->work(image.shape, band), band, false, bands > 1 ? 1 : threads);
  cost.seconds *= static_cast<double>(whole.height) / static_cast<double>(band.height);
  return cost;
}

double TransitionPricer::border_seconds(const Transition& transition, const Extent& tile) {
  const std::vector<int>& inputs = filled_inputs_[static_cast<std::size_t>(transition.subject)];
  if (inputs.empty()) return 0;  // of most operators, quickly
  const bool on_tiles = transition.kind == Kind::compute_tiles;
  const bool both_columns = !on_tiles || configuration_.grid_of(transition).x == 1;
  const bool both_rows = !on_tiles || configuration_.grid_of(transition).y == 1;
  Work filling{.key = "fill_border"};
  double seconds = 0;
  for (const int input : inputs) {
    const Halo halo = depths_.of(input).front();
    const std::int64_t pixels =
        (both_columns ? 2 : 1) * halo.x * tile.height + (both_rows ? 2 : 1) * halo.y * (tile.width + 2 * halo.x);
    const PixelFormat format = shape_of(input).format;
    filling.type = format.type;
    filling.parameter = static_cast<double>(halo.x);
    filling.units = static_cast<double>(pixels * format.channels);
    seconds += works_.cost({&filling, 1}, tile, is_on_all(transition)).seconds;
  }
  return seconds;
}

}  // namespace tilewright
