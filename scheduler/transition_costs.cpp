#include "transition_costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>

#include "alike_operators.hpp"
#include "banded_outputs.hpp"
#include "file_parts.hpp"
#include "forced_work.hpp"
#include "node_use.hpp"
#include "root_attention.hpp"
#include "sharing.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/model/message_overheads.hpp"
#include "tilewright/model/step_overhead.hpp"

namespace tilewright {
namespace {

using Kind = Transition::Kind;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The inputs of `result` whose border its operator fills: what lies outside of the image is filled once for all
/// operators that want the same border, and the first one pays.
std::vector<int> inputs_filled_first(const Pipeline& pipeline, int result) {
  const PipelineImage& image = pipeline.images[static_cast<std::size_t>(result)];
  if (!image.op || image.op->halo().empty() || image.op->makes_border()) return {};
  const auto is_filled = [&](int input) {
    return std::any_of(pipeline.images.begin(), pipeline.images.begin() + result, [&](const PipelineImage& earlier) {
      return earlier.op && !earlier.op->halo().empty() && !earlier.op->makes_border() &&
             earlier.op->border() == image.op->border() &&
             std::find(earlier.inputs.begin(), earlier.inputs.end(), input) != earlier.inputs.end();
    });
  };
  std::vector<int> inputs;
  std::copy_if(image.inputs.begin(), image.inputs.end(), std::back_inserter(inputs),
               [&](int input) { return !is_filled(input); });
  return inputs;
}

/// Unlike a transfer, whose price is measured with all that belongs to it. Small messages belong to others.
bool is_step_of_work(Kind kind) {
  return computes(kind) || kind == Kind::read || kind == Kind::read_tiles || kind == Kind::write;
}

}  // namespace

TransitionPricer::TransitionPricer(const Pipeline& pipeline, const MachineProfile& profile, const CostModel& model,
                                   const SearchSpace& space, std::shared_ptr<KnownSchedules> schedules)
    : pipeline_(pipeline),
      profile_(profile),
      space_(space),
      both_ways_(both_ways(profile)),
      send_overhead_s_(overhead_beyond_stream_s(profile, Path::send)),
      recv_overhead_s_(overhead_beyond_stream_s(profile, Path::recv)),
      step_overhead_s_(step_overhead_s(profile)),
      transfers_(profile, model, space.packing ? std::vector{*space.packing} : model.packings(), std::move(schedules)),
      works_(profile, space),
      depths_(pipeline, most_generations),
      in_parts_(images_in_parts(pipeline, profile, space)),
      out_parts_(outputs_in_parts(pipeline, profile, space)) {
  for (int i = 0; i < static_cast<int>(pipeline.images.size()); ++i) {
    input_shapes_.push_back(pipeline.input_shapes(i));
    is_fetched_.push_back(pipeline.is_fetched(i));
    filled_inputs_.push_back(inputs_filled_first(pipeline, i));
    const Extent extent = shape_of(i).extent;
    const auto known = std::find(extents_.begin(), extents_.end(), extent);
    extent_of_.push_back(static_cast<std::size_t>(known - extents_.begin()));
    if (known == extents_.end()) extents_.push_back(extent);
  }
  find_alike_on_tiles();
  count_threads();
  find_known_seconds();
  bands_ = bands_by_image(pipeline);
  share_outputs();
  works_.configure(configuration_);  // it has priced what is shared
}

void TransitionPricer::configure(const Configuration& configuration) {
  transfers_.configure(configuration);
  if (configuration == configuration_) return;
  configuration_ = configuration;
  works_.configure(configuration);
  count_threads();
  known_in_parts_.clear();
  find_known_seconds();
}

void TransitionPricer::find_known_seconds() {
  known_in_grid_[0] = known_seconds_of(configuration_.grid);
  if (configuration_.second) known_in_grid_[1] = known_seconds_of(*configuration_.second);
  const auto [position, is_new] = known_on_root_.try_emplace({configuration_.ranks > 1, threads()});
  if (is_new) position->second.assign(pipeline_.images.size(), not_known);
  known_on_this_root_ = &position->second;
  if (is_in_turn()) known_on_roots_tile_.assign(pipeline_.images.size(), not_known);
  known_everywhere_.clear();
}

/// Operators that are alike, and fill alike borders.
void TransitionPricer::find_alike_on_tiles() {
  const std::vector<std::size_t> operators = alike_operators(pipeline_);
  const auto fills_alike = [&](std::size_t a, std::size_t b) {
    return std::ranges::equal(filled_inputs_[a], filled_inputs_[b], [&](int one, int other) {
      return depths_.of(one).front() == depths_.of(other).front() && shape_of(one).format == shape_of(other).format;
    });
  };
  for (std::size_t i = 0; i < operators.size(); ++i) {
    std::size_t first = operators[i];
    while (first < i && (operators[first] != operators[i] || !fills_alike(first, i))) ++first;
    priced_as_.push_back(first);
  }
}

/// Unless they are forced: all that a rank may have, and the powers of two below.
void TransitionPricer::count_threads() {
  const int most = threads_of_rank(space_, configuration_.grid);
  thread_counts_ = {most};
  if (space_.threads) return;
  for (int fewer = static_cast<int>(std::bit_floor(static_cast<unsigned>(most))); fewer > 0; fewer /= 2) {
    if (fewer < most) thread_counts_.push_back(fewer);
  }
}

std::vector<TransitionPricer::SecondsByImage*> TransitionPricer::known_seconds_of(const ProcessGrid& grid) {
  std::vector<SecondsByImage*> known;
  for (const Extent& extent : extents_) {
    TileSite site{
        extent,
        largest_tile(extent, grid),
        space_.rank_speeds.empty() ? std::vector<TileAtWork>() : tiles_at_work(extent, grid, {}, space_.rank_speeds),
        smallest_tile(extent, grid),
        grid.x == 1,
        grid.y == 1,
        ranks_on_node(space_, grid)};
    const auto [position, is_new] = known_on_tiles_.try_emplace(std::move(site));
    if (is_new) position->second.assign(pipeline_.images.size(), not_known);
    known.push_back(&position->second);
  }
  return known;
}

const ImageShape& TransitionPricer::shape_of(int image) const {
  return pipeline_.images[static_cast<std::size_t>(image)].shape;
}

Halo TransitionPricer::storage_halo(int image, int depth) const {
  const std::vector<Halo>& depths = depths_.of(image);
  // Deeper than what its readers need, a halo is of use between tiles only, not beyond the image's edges.
  return united(depths.front(), in_cut_directions(depths[static_cast<std::size_t>(depth)], configuration_.grid));
}

Halo TransitionPricer::filled_halo(const Transition& transition) const {
  if (!transition.filled || transition.kind != Kind::read_tiles) return {};
  return storage_halo(transition.subject, transition.depth);
}

Halo TransitionPricer::margin(const Transition& transition) const {
  if (!transition.filled || transition.kind != Kind::compute_tiles) return {};
  const std::vector<Halo>& depths = depths_.of(transition.subject);
  return in_cut_directions(depths[static_cast<std::size_t>(transition.depth)], configuration_.grid_of(transition));
}

std::string TransitionPricer::why_not(const Transition& transition) const {
  const bool one_rank = configuration_.ranks == 1;
  switch (transition.kind) {
    case Kind::compute_root:
      return !one_rank && wants_all_on_tiles(space_) ? "the forced decision asks for work on tiles" : "";
    case Kind::compute_everywhere:
      if (one_rank) return "there is one rank only";
      if (listeners() > configuration_.ranks) return "ranks that the plan leaves idle would not get the image";
      return why_not_everywhere(space_);
    case Kind::compute_tiles: {
      if (one_rank) return "there is one rank only";
      const PipelineImage& image = pipeline_.images[static_cast<std::size_t>(transition.subject)];
      const std::string reason =
          why_infeasible(image.shape.extent, configuration_.grid_of(transition), image.op->halo());
      return reason.empty() ? reason : fmt::format("{}: {}", image.op->describe(), reason);
    }
    case Kind::read:
      if (is_tiled_source(pipeline_.images[static_cast<std::size_t>(transition.subject)]))
        return "its pixels are on the tiles";
      return space_.files == FileAccess::parallel && is_read_on_tiles(transition.subject)
                 ? "reading on the tiles is forced"
                 : "";
    case Kind::read_tiles:
      if (one_rank) return "there is one rank only";
      if (transition.filled && is_tiled_source(pipeline_.images[static_cast<std::size_t>(transition.subject)]))
        return "a tile that was kept has no halo";
      if (space_.distribution && !is_tiled_source(pipeline_.images[static_cast<std::size_t>(transition.subject)]))
        return "a distribution from the root is forced";
      return why_infeasible(shape_of(transition.subject).extent, configuration_.grid_of(transition), {});
    case Kind::write:
      return space_.files == FileAccess::parallel && is_written_on_tiles(transition.subject)
                 ? "writing on the tiles is forced"
                 : "";
    case Kind::write_tiles:
      return one_rank ? "there is one rank only" : "";
    case Kind::scatter:
    case Kind::broadcast: {
      if (one_rank) return "there is one rank only";
      const Distribution meant = transition.kind == Kind::scatter ? Distribution::scatter : Distribution::broadcast;
      if (space_.distribution && *space_.distribution != meant) return "another distribution is forced";
      break;
    }
    case Kind::allgather:
      if (one_rank) return "there is one rank only";
      if (space_.tree) return "a tree is forced";
      if (listeners() > configuration_.ranks) return "ranks that the plan leaves idle would not get the image";
      return why_infeasible(shape_of(transition.subject).extent, configuration_.grid_of(transition), {});
    case Kind::exchange: {
      const std::string reason = why_infeasible(shape_of(transition.subject).extent, configuration_.grid_of(transition),
                                                storage_halo(transition.subject, transition.depth));
      if (!reason.empty()) return reason;
      if (transition.meanwhile >= 0) return why_not_overlapped(transition);
      break;
    }
    case Kind::none:
    case Kind::gather:
    case Kind::deliver:
    case Kind::redistribute:
    case Kind::extract:
    case Kind::reduce_root:
    case Kind::reduce_tiles:
      break;
  }
  // Reductions are messages always.
  const bool has_choice = transition.algorithm && !(reduces(transition) && space_.tree == Algorithm::shared);
  if (space_.tree && has_choice && *transition.algorithm != *space_.tree) return "another tree is forced";
  if (transition.algorithm == Algorithm::shared) {
    std::string reason = why_not_shared(profile_, space_, configuration_.grid);
    if (!reason.empty()) return reason;
    if (goes_to_idle_ranks(transition)) return unshared_with_idle_ranks;
  }
  if (transition.kind == Kind::scatter || transition.kind == Kind::redistribute) {
    return why_infeasible(shape_of(transition.subject).extent, configuration_.grid_of(transition), {});
  }
  return {};
}

TransitionCost TransitionPricer::price(const Transition& transition) {
  std::string reason = why_not(transition);
  if (!reason.empty()) return {{infinity}, std::move(reason)};
  TransitionCost cost{cost_of(transition), {}};
  if (is_step_of_work(transition.kind)) cost.seconds += step_overhead_s_;
  return cost;
}

WorkCost TransitionPricer::cost_of(const Transition& transition) {
  const auto subject = static_cast<std::size_t>(std::max(0, transition.subject));
  switch (transition.kind) {
    case Kind::none:
      return {};
    case Kind::read:
      return read_on_root(transition.subject);
    case Kind::read_tiles:
      return read_tiles(transition);
    case Kind::write: {
      WorkCost cost = write_on_root(transition.subject);
      if (configuration_.ranks == 1) cost.seconds *= output_shares_[subject];
      return cost;
    }
    case Kind::scatter:
    case Kind::gather:
    case Kind::broadcast:
    case Kind::deliver:
    case Kind::allgather:
    case Kind::exchange:
    case Kind::redistribute:
      return {transition.meanwhile >= 0 ? overlap(transition).seconds() : image_seconds(transition)};
    case Kind::extract: {
      const ImageShape& shape = shape_of(transition.subject);
      const Halo halo = storage_halo(transition.subject, transition.depth);
      return on_tiles(shape.extent, configuration_.grid_of(transition), {}, [&](const Extent& tile) -> WorkCost {
        const std::int64_t pixels = (tile.width + 2 * halo.x) * (tile.height + 2 * halo.y);
        return {copy_seconds(profile_, shape, pixels) * works_.slowdown(true, 1)};
      });
    }
    case Kind::compute_root:
    case Kind::compute_tiles:
    case Kind::compute_everywhere:
      return compute(transition).cost;
    case Kind::write_tiles:
    case Kind::reduce_root:
    case Kind::reduce_tiles:
      return with_small_messages(transition);
  }
  throw InternalError("price: unknown transition");
}

double TransitionPricer::least_seconds(const Transition& transition, double enough) {
  if (computes(transition.kind)) return compute_seconds(transition);
  if (!has_messages(transition)) return price(transition).seconds;
  // Of most configurations, so without making words of it.
  if (transition.algorithm == Algorithm::shared && configuration_.ranks > sharing_ranks(space_, configuration_.grid))
    return infinity;
  if (!why_not(transition).empty()) return infinity;
  if (transition.algorithm == Algorithm::shared) return image_seconds(transition);
  if (transition.meanwhile >= 0) return least_overlapped_seconds(transition, enough);
  if (transition.kind == Kind::write_tiles) return write_tiles_work(transition).seconds;  // its notices are short
  if (!has_small_messages(transition)) {
    const double part = part_that_counts(transition);
    return part * transfers_.least_seconds(transfer_spec(transition), PackingChoice::of_images, enough / part);
  }
  double seconds = small_messages_work(transition).seconds;
  for (const TransferSpec& spec : small_message_specs(transition))
    seconds += transfers_.least_seconds(spec, PackingChoice::of_spec, infinity) + overhead_seconds(spec);
  return seconds;
}

double TransitionPricer::least_added_seconds(const Transition& transition, double weight_of_root, double enough) {
  if (!is_in_turn()) return least_seconds(transition, enough);
  const double seconds = least_seconds(transition);
  return seconds < infinity ? tilewright::least_added_seconds(times(transition, seconds), weight_of_root) : infinity;
}

TransitionTimes TransitionPricer::times(const Transition& transition, double seconds) {
  using enum TransitionTimes::Form;
  if (!is_in_turn()) return {together, seconds};
  const double turn_s = seconds / (configuration_.ranks - 1);  // the others' tiles are alike
  switch (transition.kind) {
    case Kind::none:
      return {each_its_own};
    case Kind::compute_tiles:
      return computing_times(transition, seconds);
    case Kind::read:
    case Kind::write:
    case Kind::compute_root:
      return {root_alone, seconds};
    case Kind::scatter:
      if (!is_fed_in_turn(transition)) return {together, seconds};
      return {from_root, seconds, 0, turn_s, 1, both_ways_};
    case Kind::exchange:
      if (transition.cyclic) return {together, seconds};
      return {in_a_row, seconds, 0, 0, 1.0 / (configuration_.ranks - 2)};
    case Kind::gather:
      if (transition.algorithm != Algorithm::oft) return {together, seconds};
      return {to_root, seconds, 0, turn_s, 1, both_ways_};
    case Kind::read_tiles:
    case Kind::write_tiles:
    case Kind::broadcast:
    case Kind::deliver:
    case Kind::allgather:
    case Kind::redistribute:
    case Kind::extract:
    case Kind::compute_everywhere:
    case Kind::reduce_root:
    case Kind::reduce_tiles:
      return {together, seconds};
  }
  throw InternalError("times: unknown transition");
}

/// What comes in meanwhile are results as large as those that are made.
TransitionTimes TransitionPricer::computing_times(const Transition& transition, double seconds) {
  const double on_root = seconds < infinity ? computing_on_roots_tile(transition) : infinity;
  TransitionTimes times{TransitionTimes::Form::each_its_own, seconds, on_root};
  times.meanwhile = received_while_computing(profile_, static_cast<double>(bytes_of_others_tile(transition)));
  return times;
}

std::int64_t TransitionPricer::bytes_of_others_tile(const Transition& transition) const {
  const ImageShape& shape = shape_of(transition.subject);
  return tile_of(shape.extent, configuration_.grid, 1).pixels() * static_cast<std::int64_t>(shape.format.bytes());
}

/// Smaller messages are not answered, and then all ranks have their tiles hardly before the last one.
bool TransitionPricer::is_fed_in_turn(const Transition& transition) const {
  return transition.algorithm == Algorithm::oft && bytes_of_others_tile(transition) >= smallest_answered_bytes;
}

WorkCost TransitionPricer::small_messages_work(const Transition& transition) {
  WorkCost cost = transition.kind == Kind::write_tiles ? write_tiles_work(transition) : reduction(transition).cost;
  cost.seconds += step_overhead_s_;
  return cost;
}

WorkCost TransitionPricer::with_small_messages(const Transition& transition) {
  WorkCost cost = small_messages_work(transition);
  for (const TransferSpec& spec : small_message_specs(transition))
    cost.seconds += transfers_.seconds(spec, PackingChoice::of_spec) + overhead_seconds(spec);
  return cost;
}

}  // namespace tilewright
