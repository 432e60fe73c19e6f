#include "transition_costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <set>

#include "banded_writes.hpp"
#include "file_parts.hpp"
#include "plan_memory.hpp"
#include "sharing.hpp"
#include "tilewright/core/edges.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

using Kind = Transition::Kind;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_known = -1;

/// What a lower bound may lose by rounding: sums of the same numbers in another order.
constexpr double rounding = 1e-9;

/// A row of bytes as an image, so that small messages are priced like all others.
ImageShape row_of_bytes(std::int64_t bytes) {
  return {{bytes, 1}, {PixelType::u8, 1}};
}

/// The spec that is priced for all that are alike: rows of a halo that are not sent change no message, for a message's
/// form tells no more than the pitch.
TransferSpec without_empty_rows(TransferSpec spec) {
  if (spec.kind != TransferKind::exchange) spec.storage.y = 0;
  return spec;
}

/// Each text goes as its length and its characters.
std::vector<TransferSpec> notice_specs(int ranks) {
  constexpr std::int64_t notice_bytes = 64;
  const TransferSpec place{TransferKind::broadcast, Algorithm::sbt, {ranks, 1}, row_of_bytes(notice_bytes)};
  const TransferSpec outcomes{TransferKind::gather, Algorithm::sbt, {ranks, 1}, row_of_bytes(notice_bytes * ranks)};
  return {place, place, outcomes, outcomes, place, place};
}

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

}  // namespace

TransitionPricer::TransitionPricer(const Pipeline& pipeline, const MachineProfile& profile, const CostModel& model,
                                   const SearchSpace& space, std::shared_ptr<KnownSchedules> schedules)
    : pipeline_(pipeline),
      profile_(profile),
      model_(model),
      space_(space),
      schedules_(schedules ? std::move(schedules) : std::make_shared<KnownSchedules>()),
      depths_(pipeline, most_generations),
      in_parts_(images_in_parts(pipeline, profile, space)),
      out_parts_(outputs_in_parts(pipeline, profile, space)) {
  packings_ = space.packing ? std::vector{*space.packing} : model.packings();
  for (int i = 0; i < static_cast<int>(pipeline.images.size()); ++i) {
    input_shapes_.push_back(pipeline.input_shapes(i));
    filled_inputs_.push_back(inputs_filled_first(pipeline, i));
    const Extent extent = shape_of(i).extent;
    const auto known = std::find(extents_.begin(), extents_.end(), extent);
    extent_of_.push_back(static_cast<std::size_t>(known - extents_.begin()));
    if (known == extents_.end()) extents_.push_back(extent);
  }
  count_threads();
  find_known_seconds();
  bands_ = bands_by_image(pipeline);
  share_writes();
}

void TransitionPricer::configure(const Configuration& configuration) {
  schedules_->turn_to(configuration);
  configuration_ = configuration;
  count_threads();
  found_.clear();
  unit_costs_.clear();
  find_known_seconds();
}

void TransitionPricer::find_known_seconds() {
  known_in_grid_[0] = known_seconds_of(configuration_.grid);
  if (configuration_.second) known_in_grid_[1] = known_seconds_of(*configuration_.second);
  const auto [position, is_new] = known_on_root_.try_emplace({configuration_.ranks > 1, threads()});
  if (is_new) position->second.assign(pipeline_.images.size(), not_known);
  known_on_this_root_ = &position->second;
}

/// Unless they are forced: all that a rank may have, and the powers of two below.
void TransitionPricer::count_threads() {
  const int most = threads_of_rank(space_, configuration_.ranks);
  thread_counts_ = {most};
  if (space_.threads) return;
  for (int fewer = static_cast<int>(std::bit_floor(static_cast<unsigned>(most))); fewer > 0; fewer /= 2) {
    if (fewer < most) thread_counts_.push_back(fewer);
  }
}

std::vector<TransitionPricer::SecondsByImage*> TransitionPricer::known_seconds_of(const ProcessGrid& grid) {
  std::vector<SecondsByImage*> known;
  for (const Extent& extent : extents_) {
    const int ranks_on_node = std::min(space_.ranks_per_node, configuration_.ranks);
    TileSite site{extent,
                  tiles_at_work(extent, grid, {}, space_.rank_speeds),
                  smallest_tile(extent, grid),
                  grid.x == 1,
                  grid.y == 1,
                  ranks_on_node};
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

TransferSpec TransitionPricer::transfer_spec(const Transition& transition) const {
  const bool of_tiles = transition.kind != Kind::broadcast && transition.kind != Kind::deliver;
  const Halo storage = of_tiles ? storage_halo(transition.subject, transition.depth) : Halo{};
  const bool fills = transition.kind == Kind::exchange || transition.filled;
  TransferSpec spec{transfer_kind(step_kind(transition.kind)),
                    transition.algorithm,
                    configuration_.grid_of(transition),
                    shape_of(transition.subject),
                    storage,
                    fills ? storage : Halo{},
                    transition.cyclic};
  if (transition.kind == Kind::redistribute) spec.former = configuration_.other_grid(transition);
  return spec;
}

std::vector<TransferSpec> TransitionPricer::small_message_specs(const Transition& transition) const {
  if (listeners() == 1) return {};
  if (transition.kind == Kind::write_tiles) return notice_specs(listeners());
  const PipelineOutput& output = pipeline_.outputs[static_cast<std::size_t>(transition.subject)];
  const auto bytes = static_cast<std::int64_t>(output.reduction->partial_bytes(shape_of(output.image).format));
  std::vector<TransferSpec> specs;
  if (transition.kind == Kind::reduce_tiles) {
    const int ranks = configuration_.ranks;
    specs.push_back({TransferKind::gather, transition.algorithm, {ranks, 1}, row_of_bytes(bytes * ranks)});
  }
  specs.push_back({TransferKind::broadcast, transition.algorithm, {listeners(), 1}, row_of_bytes(bytes)});
  return specs;
}

int TransitionPricer::listeners() const {
  return profile_.has_paths() ? std::max(configuration_.ranks, space_.started_ranks) : configuration_.ranks;
}

TransferSpec TransitionPricer::spec(const Transition& transition) {
  TransferSpec spec = transfer_spec(transition);
  const bool has_packing = configuration_.ranks > 1 && spec.algorithm != Algorithm::shared;
  if (has_packing) spec.packing = packed(spec, PackingChoice::of_images).packing;
  return spec;
}

std::string TransitionPricer::why_not(const Transition& transition) const {
  const bool one_rank = configuration_.ranks == 1;
  const bool wants_tiles = space_.grid || space_.ranks || space_.tree || space_.distribution ||
                           space_.halo == HaloChoice::deep || space_.files == FileAccess::parallel;
  switch (transition.kind) {
    case Kind::compute_root:
      return !one_rank && wants_tiles ? "the forced decision asks for work on tiles" : "";
    case Kind::compute_tiles: {
      if (one_rank) return "there is one rank only";
      const PipelineImage& image = pipeline_.images[static_cast<std::size_t>(transition.subject)];
      const std::string reason =
          why_infeasible(image.shape.extent, configuration_.grid_of(transition), image.op->halo());
      return reason.empty() ? reason : fmt::format("{}: {}", image.op->describe(), reason);
    }
    case Kind::read:
      if (is_tiled_source(transition.subject)) return "its pixels are on the tiles";
      return space_.files == FileAccess::parallel && is_read_on_tiles(transition.subject)
                 ? "reading on the tiles is forced"
                 : "";
    case Kind::read_tiles:
      if (one_rank) return "there is one rank only";
      if (transition.filled && is_tiled_source(transition.subject)) return "a tile that was kept has no halo";
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
    case Kind::exchange: {
      const std::string reason = why_infeasible(shape_of(transition.subject).extent, configuration_.grid_of(transition),
                                                storage_halo(transition.subject, transition.depth));
      if (!reason.empty()) return reason;
      break;
    }
    default:
      break;
  }
  // Reductions are messages always.
  const bool has_choice = transition.algorithm && !(reduces(transition) && space_.tree == Algorithm::shared);
  if (space_.tree && has_choice && *transition.algorithm != *space_.tree) return "another tree is forced";
  if (transition.algorithm == Algorithm::shared) {
    std::string reason = why_not_shared(profile_, space_, configuration_.ranks);
    if (!reason.empty()) return reason;
  }
  if (transition.kind == Kind::scatter || transition.kind == Kind::redistribute) {
    return why_infeasible(shape_of(transition.subject).extent, configuration_.grid_of(transition), {});
  }
  return {};
}

TransitionCost TransitionPricer::price(const Transition& transition) {
  std::string reason = why_not(transition);
  if (!reason.empty()) return {infinity, true, std::move(reason)};
  const auto subject = static_cast<std::size_t>(std::max(0, transition.subject));
  switch (transition.kind) {
    case Kind::none:
      return {};
    case Kind::read:
      return read_on_root(transition.subject);
    case Kind::read_tiles:
      return read_tiles(transition);
    case Kind::write: {
      TransitionCost cost = write_on_root(transition.subject);
      if (configuration_.ranks == 1) cost.seconds *= write_shares_[subject];
      return cost;
    }
    case Kind::scatter:
    case Kind::gather:
    case Kind::broadcast:
    case Kind::deliver:
    case Kind::exchange:
    case Kind::redistribute:
      return {image_seconds(transition), true, {}};
    case Kind::extract: {
      const ImageShape& shape = shape_of(transition.subject);
      const Halo halo = storage_halo(transition.subject, transition.depth);
      return on_tiles(shape.extent, configuration_.grid_of(transition), {}, [&](const Extent& tile) -> TransitionCost {
        const std::int64_t pixels = (tile.width + 2 * halo.x) * (tile.height + 2 * halo.y);
        return {copy_seconds(profile_, shape, pixels) * site_slowdown(true, 1), true, {}};
      });
    }
    case Kind::compute_root:
    case Kind::compute_tiles:
      return compute(transition).cost;
    case Kind::write_tiles:
    case Kind::reduce_root:
    case Kind::reduce_tiles:
      return with_small_messages(transition);
  }
  throw InternalError("price: unknown transition");
}

double TransitionPricer::least_seconds(const Transition& transition, double enough) {
  if (transition.kind == Kind::compute_root || transition.kind == Kind::compute_tiles) {
    return compute_seconds(transition);
  }
  if (!has_messages(transition)) return price(transition).seconds;
  // Of most configurations, so without making words of it.
  if (transition.algorithm == Algorithm::shared && configuration_.ranks > space_.sharing_ranks) return infinity;
  if (!why_not(transition).empty()) return infinity;
  if (transition.algorithm == Algorithm::shared) return image_seconds(transition);
  if (transition.kind == Kind::write_tiles) return write_tiles_work(transition).seconds;  // its notices are short
  if (!has_small_messages(transition)) {
    const double part = part_that_counts(transition);
    return part * least_transfer_seconds(transfer_spec(transition), PackingChoice::of_images, enough / part);
  }
  double seconds = small_messages_work(transition).seconds;
  for (const TransferSpec& spec : small_message_specs(transition))
    seconds += least_transfer_seconds(spec, PackingChoice::of_spec, infinity);
  return seconds;
}

/// As compute() has it, each number made once.
double TransitionPricer::compute_seconds(const Transition& transition) {
  const auto subject = static_cast<std::size_t>(transition.subject);
  const bool on_tiles = transition.kind == Kind::compute_tiles;
  if (!margin(transition).empty()) return price(transition).seconds;
  SecondsByImage& known =
      on_tiles ? *known_in_grid_[transition.grid == 0 ? 0 : 1][extent_of_[subject]] : *known_on_this_root_;
  if (known[subject] == not_known) known[subject] = price(transition).seconds;
  return known[subject];
}

/// What is known of a transfer; of an exchange, it stays known for other configurations with the same tiles.
TransitionPricer::Found& TransitionPricer::found(const TransferSpec& spec, PackingChoice choice) {
  const bool lasts = spec.kind == TransferKind::exchange && model_.counts_forms_only();
  const TransferSpec priced = lasts ? smallest_alike(spec) : without_empty_rows(spec);
  std::vector<Found>& known =
      lasts ? exchanges_[{priced.grid.x, priced.grid.y, priced.image.extent.width, priced.image.extent.height}]
            : found_;
  const auto position = std::find_if(
      known.begin(), known.end(), [&](const Found& entry) { return entry.choice == choice && entry.spec == priced; });
  return position != known.end() ? *position : known.emplace_back(Found{priced, choice, {}, {}});
}

std::span<const Packing> TransitionPricer::packings_of(const Found& transfer) const {
  if (transfer.choice == PackingChoice::of_images) return packings_;
  return {&transfer.spec.packing, 1};
}

/// Of each packing, what the transfer takes at least.
std::vector<PackedTransfer> TransitionPricer::least_by_packing(const Found& transfer) const {
  TransferOutline outline = make_outline(transfer.spec);
  std::vector<PackedTransfer> least;
  for (const Packing packing : packings_of(transfer)) {
    outline = packed_as(std::move(outline), packing);
    least.push_back({packing, model_.least_seconds(outline) * (1 - rounding)});
  }
  return least;
}

/// The cheapest packing, of equal ones the first. What is too dear even by its lower bound is not priced.
PackedTransfer TransitionPricer::packed(const TransferSpec& spec, PackingChoice choice) {
  Found& entry = found(spec, choice);
  if (entry.priced) return *entry.priced;
  std::vector<PackedTransfer> left = least_by_packing(entry);
  std::stable_sort(left.begin(), left.end(),
                   [](const PackedTransfer& a, const PackedTransfer& b) { return a.seconds < b.seconds; });
  const ClassifiedSchedule& transfer = schedules_->of(entry.spec);
  PackedTransfer best{{}, infinity};
  for (const PackedTransfer& least : left) {
    if (least.seconds > best.seconds) break;
    const double seconds = model_.transfer_seconds(transfer, least.packing);
    const bool first_of_equal = seconds == best.seconds && least.packing < best.packing;
    if (seconds < best.seconds || first_of_equal) best = {least.packing, seconds};
  }
  const ImageShape& image = entry.spec.image;
  const auto pixel_bytes = static_cast<std::int64_t>(image.format.bytes());
  best.copies_s = copy_seconds(profile_, image, transfer.copied_bytes / pixel_bytes);
  best.seconds += best.copies_s;
  entry.priced = best;
  return best;
}

double TransitionPricer::least_transfer_seconds(const TransferSpec& spec, PackingChoice choice, double enough) {
  if (spec.grid.ranks() == 1) return 0;
  Found& entry = found(spec, choice);
  if (entry.least_seconds) return *entry.least_seconds;
  if (spec.kind == TransferKind::exchange) enough = infinity;  // other configurations will ask, too
  TransferOutline outline = make_outline(entry.spec);
  double least = infinity;
  for (const Packing packing : packings_of(entry)) {
    outline = packed_as(std::move(outline), packing);
    least = std::min(least, model_.least_seconds(outline, std::min(least, enough)));
  }
  const auto copied = least_copied_bytes(spec) / static_cast<std::int64_t>(spec.image.format.bytes());
  const double seconds = (least + copy_seconds(profile_, spec.image, copied)) * (1 - rounding);
  if (least < enough) entry.least_seconds = seconds;
  return seconds;
}

double TransitionPricer::copy_to_shared_seconds(const TransferSpec& spec, int image) const {
  const PipelineImage& moved = pipeline_.images[static_cast<std::size_t>(image)];
  const bool is_resident = moved.source && moved.source->is_resident();
  if (!is_resident || spec.kind == TransferKind::gather) return 0;
  return copy_seconds(profile_, moved.shape, moved.shape.extent.pixels());
}

double TransitionPricer::image_seconds(const Transition& transition) {
  if (configuration_.ranks == 1) return 0;
  const TransferSpec spec = transfer_spec(transition);
  const double part = part_that_counts(transition);
  if (spec.algorithm != Algorithm::shared) return part * transfer_seconds(spec, PackingChoice::of_images);
  return part * (sharing_seconds(profile_, spec).sum() + copy_to_shared_seconds(spec, transition.subject));
}

double TransitionPricer::part_that_counts(const Transition& transition) const {
  const auto counted = space_.counted.find(transition.subject);
  const bool distributes = transition.kind == Kind::scatter || transition.kind == Kind::broadcast;
  return distributes && counted != space_.counted.end() ? counted->second : 1;
}

std::vector<TransitionPricer::TransferTerm> TransitionPricer::transfer_terms(const TransferSpec& spec, int image) {
  if (spec.algorithm != Algorithm::shared) {
    const PackedTransfer best = packed(spec, PackingChoice::of_images);
    return {{"messages", best.seconds - best.copies_s}, {"copies", best.copies_s}};
  }
  const SharingSeconds sharing = sharing_seconds(profile_, spec);
  return {{"synchronisation", sharing.synchronisation},
          {"copies", sharing.copies},
          {"copy to shared memory", copy_to_shared_seconds(spec, image)}};
}

double TransitionPricer::transfer_seconds(const TransferSpec& spec, PackingChoice choice) {
  if (spec.grid.ranks() == 1) return 0;  // nothing to move: tiles and whole image are one
  return packed(spec, choice).seconds;
}

/// With the number of threads that is fastest; of equally fast ones, as of what nobody has measured, the most.
TransitionPricer::ThreadedCost TransitionPricer::compute(const Transition& transition) {
  std::optional<ThreadedCost> best;
  for (const int threads : thread_counts_) {
    TransitionCost cost = compute_with(transition, threads);
    if (!best || cost.seconds < best->cost.seconds) best = ThreadedCost{threads, std::move(cost)};
  }
  return *std::move(best);
}

template <class CostOf>
TransitionCost TransitionPricer::on_tiles(const Extent& extent, const ProcessGrid& grid, const Halo& margin,
                                          CostOf&& cost_of) const {
  TransitionCost longest{-1};
  for (const TileAtWork& at_work : tiles_at_work(extent, grid, margin, space_.rank_speeds)) {
    TransitionCost cost = cost_of(at_work.tile);
    cost.seconds /= at_work.speed;
    if (cost.seconds > longest.seconds) longest = std::move(cost);
  }
  return longest;
}

TransitionCost TransitionPricer::compute_with(const Transition& transition, int threads) {
  if (transition.kind != Kind::compute_tiles) {
    TransitionCost cost = compute_on_root(transition, threads);
    cost.seconds /= speed_of_root();
    return cost;
  }
  const auto subject = static_cast<std::size_t>(transition.subject);
  const PipelineImage& image = pipeline_.images[subject];
  return on_tiles(image.shape.extent, configuration_.grid_of(transition), margin(transition), [&](const Extent& tile) {
    TransitionCost cost = works(image.op->work(input_shapes_[subject], tile), tile, true, threads);
    cost.seconds += border_seconds(transition, tile);
    return cost;
  });
}

TransitionCost TransitionPricer::compute_on_root(const Transition& transition, int threads) {
  if (needs_edges(pipeline_, transition.subject, configuration_.ranks))
    return compute_by_edges(transition.subject, threads);
  const auto subject = static_cast<std::size_t>(transition.subject);
  const PipelineImage& image = pipeline_.images[subject];
  const Extent& whole = image.shape.extent;
  const bool is_banded = configuration_.ranks == 1 && bands_[subject] > 1;
  TransitionCost cost = is_banded ? compute_bands(transition.subject)
                                  : works(image.op->work(input_shapes_[subject], whole), whole, false, threads);
  if (is_banded) cost.seconds *= band_shares_[subject];
  cost.seconds += border_seconds(transition, whole);
  return cost;
}

/// The middle as it is, each strip with the copies that it is computed from.
TransitionCost TransitionPricer::compute_by_edges(int result, int threads) {
  const PipelineImage& image = pipeline_.images[static_cast<std::size_t>(result)];
  const std::vector<ImageShape>& inputs = input_shapes_[static_cast<std::size_t>(result)];
  TransitionCost cost;
  const auto add = [&](const Rect& part) {
    const Extent extent{part.width(), part.height()};
    const TransitionCost own = works(image.op->work(inputs, extent), extent, false, threads);
    cost.seconds += own.seconds;
    cost.known = cost.known && own.known;
  };
  const Edges edges = edges_of(inputs, image.op->halo());
  if (!edges.middle.empty()) add(edges.middle);
  for (const Rect& strip : edges.strips) {
    add(strip);
    cost.seconds += strip_copies_seconds(image, strip);
  }
  return cost;
}

double TransitionPricer::strip_copies_seconds(const PipelineImage& image, const Rect& strip) {
  const Halo halo = image.op->halo();
  const Rect copied = padded(strip, halo);
  double seconds = 0;
  for (const int input : std::set<int>(image.inputs.begin(), image.inputs.end())) {
    const auto [extent, format] = shape_of(input);
    const std::int64_t outside = copied.pixels() - intersection(copied, rect_of(extent)).pixels();
    const Work filling{"fill_border", format.type, static_cast<double>(halo.x),
                       static_cast<double>(outside * format.channels)};
    seconds += copy_seconds(profile_, shape_of(input), copied.pixels());
    seconds += works({filling}, {strip.width(), strip.height()}, false).seconds;
  }
  return seconds;
}

/// What is in memory and not lent is copied.
TransitionCost TransitionPricer::read_on_root(int index) {
  const PipelineImage& image = pipeline_.images[static_cast<std::size_t>(index)];
  TransitionCost cost = works(image.source->work(), image.shape.extent, false);
  const Halo room = configuration_.ranks == 1 ? pipeline_.whole_halo(index) : Halo{};
  const bool is_copied = image.source->is_resident() && !is_lent(image, room);
  if (is_copied) cost.seconds += copy_seconds(profile_, image.shape, image.shape.extent.pixels());
  return cost;
}

/// Of the largest tile. Files are read by one thread of each rank.
TransitionCost TransitionPricer::read_tiles(const Transition& transition) {
  const ImageShape& shape = shape_of(transition.subject);
  const ProcessGrid& grid = configuration_.grid_of(transition);
  const Source& source = *pipeline_.images[static_cast<std::size_t>(transition.subject)].source;
  return on_tiles(shape.extent, grid, in_cut_directions(filled_halo(transition), grid),
                  [&](const Extent& part) { return works(source.part_work(part), part, true); });
}

/// Of the largest tile, by one thread of each rank.
TransitionCost TransitionPricer::write_tiles_work(const Transition& transition) {
  const PipelineOutput& output = pipeline_.outputs[static_cast<std::size_t>(transition.subject)];
  const ImageShape& shape = shape_of(output.image);
  return on_tiles(shape.extent, configuration_.grid_of(transition), {},
                  [&](const Extent& part) { return works(output.sink->part_work(shape, part), part, true); });
}

bool TransitionPricer::is_tiled_source(int image) const {
  const Source* source = pipeline_.images[static_cast<std::size_t>(image)].source.get();
  return source != nullptr && source->tiled_on().has_value();
}

/// Whether some operator could do so.
bool TransitionPricer::is_read_on_tiles(int image) const {
  const auto& images = pipeline_.images;
  return in_parts_[static_cast<std::size_t>(image)] &&
         std::any_of(images.begin(), images.end(), [&](const PipelineImage& reader) {
           return std::find(reader.inputs.begin(), reader.inputs.end(), image) != reader.inputs.end();
         });
}

bool TransitionPricer::is_written_on_tiles(int output) const {
  const int image = pipeline_.outputs[static_cast<std::size_t>(output)].image;
  return out_parts_[static_cast<std::size_t>(output)] && pipeline_.images[static_cast<std::size_t>(image)].op;
}

TransitionCost TransitionPricer::write_on_root(int index) {
  const PipelineOutput& output = pipeline_.outputs[static_cast<std::size_t>(index)];
  const ImageShape& shape = shape_of(output.image);
  return works(output.sink->work(shape), shape.extent, false);
}

/// The seconds of all threads in sum, which do other bands at the same time; the borders left out.
TransitionCost TransitionPricer::compute_bands(int first_result) {
  const PipelineImage& image = pipeline_.images[static_cast<std::size_t>(first_result)];
  const int bands = bands_[static_cast<std::size_t>(first_result)];
  const Extent band = largest_tile(image.shape.extent, {1, bands});
  const int threads = threads_of_rank(space_, 1);
  const Extent at_work{band.width, std::min(band.height * threads, image.shape.extent.height)};
  TransitionCost cost =
      works(image.op->work(input_shapes_[static_cast<std::size_t>(first_result)], band), at_work, false, threads);
  cost.seconds *= threads * static_cast<double>(image.shape.extent.height) / static_cast<double>(band.height);
  return cost;
}

/// What one rank's threads do together, writes that follow each other and the computing in bands of what they write,
/// takes as long as the longest write, or as the sum shared evenly by the threads. Each pays the same part of its own
/// cost, for a transition is priced by itself. That files do not slow each other down is assumed; and with several
/// ranks, where a gather mostly comes before each write, each pays all.
void TransitionPricer::share_writes() {
  write_shares_.assign(pipeline_.outputs.size(), 1);
  band_shares_.assign(pipeline_.images.size(), 1);
  const auto is_write = [&](const Task& task) {
    return task.kind == Task::Kind::output &&
           pipeline_.outputs[static_cast<std::size_t>(task.index)].kind == OutputKind::write;
  };
  const auto& tasks = pipeline_.tasks;
  for (auto begin = tasks.begin(); begin != tasks.end();) {
    const bool is_banded = begin->kind == Task::Kind::obtain && bands_[static_cast<std::size_t>(begin->index)] > 1;
    if (!is_banded && !is_write(*begin)) {
      ++begin;
      continue;
    }
    const auto first_write = is_banded ? begin + 1 : begin;
    const auto end = std::find_if_not(first_write, tasks.end(), [&](const Task& task) {
      return is_banded ? writes_result_of(pipeline_, task, begin->index) : is_write(task);
    });
    double longest = 0;
    double sum = is_banded ? compute_bands(begin->index).seconds : 0;
    for (auto task = first_write; task != end; ++task) {
      const double seconds = write_on_root(task->index).seconds;
      longest = std::max(longest, seconds);
      sum += seconds;
    }
    const double share = sum > 0 ? std::max(longest / sum, 1.0 / threads_of_rank(space_, 1)) : 1;
    if (is_banded) band_shares_[static_cast<std::size_t>(begin->index)] = share;
    for (auto task = first_write; task != end; ++task) write_shares_[static_cast<std::size_t>(task->index)] = share;
    begin = end;
  }
}

TransitionCost TransitionPricer::reduction_work(const Transition& transition) {
  const PipelineOutput& output = pipeline_.outputs[static_cast<std::size_t>(transition.subject)];
  const ImageShape& shape = shape_of(output.image);
  if (transition.kind == Kind::reduce_tiles) {
    return on_tiles(shape.extent, configuration_.grid_of(transition), {},
                    [&](const Extent& tile) { return works(output.reduction->work(shape, tile), tile, true); });
  }
  TransitionCost cost = works(output.reduction->work(shape, shape.extent), shape.extent, false);
  cost.seconds /= speed_of_root();
  return cost;
}

TransitionCost TransitionPricer::small_messages_work(const Transition& transition) {
  return transition.kind == Kind::write_tiles ? write_tiles_work(transition) : reduction_work(transition);
}

TransitionCost TransitionPricer::with_small_messages(const Transition& transition) {
  TransitionCost cost = small_messages_work(transition);
  for (const TransferSpec& spec : small_message_specs(transition))
    cost.seconds += transfer_seconds(spec, PackingChoice::of_spec);
  return cost;
}

std::optional<double> TransitionPricer::unit_seconds(const Work& work, double pixels, bool on_tiles, int threads) {
  const auto known = std::find_if(unit_costs_.begin(), unit_costs_.end(), [&](const UnitCost& cost) {
    return cost.pixels == pixels && cost.on_tiles == on_tiles && cost.threads == threads && cost.piece == work.piece &&
           cost.parameter == work.parameter && cost.type == work.type && cost.key == work.key;
  });
  if (known != unit_costs_.end()) return known->seconds;
  const int ranks = on_tiles ? configuration_.ranks : 1;
  const bool is_of_pieces = work.piece > 0;  // a step wakes its threads once, and what waits in a near cache is theirs
  auto seconds =
      profile_.operator_seconds(work.key, work.type, work.parameter, pixels, ranks, is_of_pieces ? 1 : threads);
  if (seconds && is_of_pieces) *seconds /= threads;
  unit_costs_.push_back({work.key, work.type, work.parameter, pixels, on_tiles, threads, work.piece, seconds});
  return seconds;
}

TransitionCost TransitionPricer::works(const std::vector<Work>& list, const Extent& tile, bool on_tiles, int threads) {
  TransitionCost cost;
  for (const Work& work : list) {
    const double pixels = work.piece > 0 ? work.piece : static_cast<double>(tile.pixels());
    const auto seconds = unit_seconds(work, pixels, on_tiles, threads);
    if (seconds) {
      cost.seconds += *seconds * work.units * site_slowdown(on_tiles, threads);
      continue;
    }
    const TransitionCost other = works(work.otherwise, tile, on_tiles, threads);
    cost.known = cost.known && other.known && !work.otherwise.empty();
    cost.seconds += other.seconds;
  }
  return cost;
}

double TransitionPricer::border_seconds(const Transition& transition, const Extent& tile) {
  std::vector<Work> fills;
  const bool on_tiles = transition.kind == Kind::compute_tiles;
  const ProcessGrid grid = on_tiles ? configuration_.grid_of(transition) : ProcessGrid{};
  for (const int input : filled_inputs_[static_cast<std::size_t>(transition.subject)]) {
    const Halo halo = depths_.of(input).front();
    const bool both_columns = grid.x == 1;
    const bool both_rows = grid.y == 1;
    const std::int64_t pixels =
        (both_columns ? 2 : 1) * halo.x * tile.height + (both_rows ? 2 : 1) * halo.y * (tile.width + 2 * halo.x);
    const PixelFormat format = shape_of(input).format;
    fills.push_back(
        {"fill_border", format.type, static_cast<double>(halo.x), static_cast<double>(pixels * format.channels)});
  }
  return works(fills, tile, on_tiles).seconds;
}

/// Threads that outnumber their node's cores take turns; on the root's site only the root works.
double TransitionPricer::site_slowdown(bool on_tiles, int threads) const {
  const int cores = profile_.fingerprint().cores_per_node;
  if (cores < 1) return 1;
  const int ranks_on_node = on_tiles ? std::min(space_.ranks_per_node, configuration_.ranks) : 1;
  return std::max(1.0, static_cast<double>(ranks_on_node) * threads / cores);
}

}  // namespace tilewright
