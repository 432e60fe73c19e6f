// Transfers of images, and the small messages of reductions and of files that ranks write together.
#include <algorithm>
#include <limits>
#include <utility>

#include "sharing.hpp"
#include "tilewright/scheduler/rounding.hpp"
#include "transition_costs.hpp"

namespace tilewright {
namespace {

using Kind = Transition::Kind;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A row of bytes as an image, so that small messages are priced like all others.
ImageShape row_of_bytes(std::int64_t bytes) {
  return {{bytes, 1}, {PixelType::u8, 1}};
}

/// Rows of a halo that are not sent change no message, for a message's form tells no more than the pitch.
Halo storage_that_counts(const TransferSpec& spec) {
  return spec.kind == TransferKind::exchange ? spec.storage : Halo{spec.storage.x, 0};
}

/// The spec that is priced for all that are alike.
TransferSpec as_priced(TransferSpec spec) {
  spec.storage = storage_that_counts(spec);
  return spec;
}

/// Each text goes as its length and its characters.
std::vector<TransferSpec> notice_specs(int ranks) {
  constexpr std::int64_t notice_bytes = 64;
  const TransferSpec place{TransferKind::broadcast, Algorithm::sbt, {ranks, 1}, row_of_bytes(notice_bytes)};
  const TransferSpec outcomes{TransferKind::gather, Algorithm::sbt, {ranks, 1}, row_of_bytes(notice_bytes * ranks)};
  return {place, place, outcomes, outcomes, place, place};
}

/// What travels by itself while nobody looks after it: pieces that MPI sends without asking the receiver. Unless
/// another packing is forced.
Packing packing_of_overlapped(std::span<const Packing> known) {
  return std::find(known.begin(), known.end(), Packing::blocked) != known.end() ? Packing::blocked : known.front();
}

}  // namespace

TransferSpec TransitionPricer::transfer_spec(const Transition& transition) const {
  const bool of_tiles = transition.kind != Kind::broadcast && transition.kind != Kind::deliver;
  const Halo storage = of_tiles ? storage_halo(transition.subject, transition.depth) : Halo{};
  const bool fills = transition.kind == Kind::exchange || transition.filled;
  TransferSpec spec{transfer_kind(step_kind(transition.kind)).value(),
                    transition.algorithm,
                    configuration_.grid_of(transition),
                    shape_of(transition.subject),
                    storage,
                    fills ? storage : Halo{},
                    transition.cyclic};
  if (transition.kind == Kind::redistribute) spec.former = configuration_.other_grid(transition);
  if (goes_to_idle_ranks(transition)) spec.grid = {1, listeners()};
  const bool has_turns = transition.kind == Kind::scatter || transition.kind == Kind::gather;
  spec.in_turn = is_in_turn() && has_turns && transition.algorithm == Algorithm::oft;
  if (transition.meanwhile >= 0) spec.packing = packing_of_overlapped(packings_);
  return spec;
}

std::vector<TransferSpec> TransitionPricer::small_message_specs(const Transition& transition) const {
  if (listeners() == 1) return {};
  if (transition.kind == Kind::write_tiles) return notice_specs(listeners());
  const PipelineOutput& output = pipeline_.outputs[static_cast<std::size_t>(transition.subject)];
  const PixelFormat& format = shape_of(output.image).format;
  std::vector<TransferSpec> specs;
  if (transition.kind == Kind::reduce_tiles) {
    const int ranks = configuration_.ranks;
    const auto partial_bytes = static_cast<std::int64_t>(output.reduction->partial_bytes(format));
    specs.push_back({TransferKind::gather, transition.algorithm, {ranks, 1}, row_of_bytes(partial_bytes * ranks)});
  }
  const auto bytes_of_values = static_cast<std::int64_t>(sizeof(double)) * format.channels;
  specs.push_back({TransferKind::broadcast, transition.algorithm, {listeners(), 1}, row_of_bytes(bytes_of_values)});
  return specs;
}

/// Of the root's messages, which come after computing. On other ranks of a tree, which have done nothing or as much as
/// the root, they take no more, and fewer of them.
double TransitionPricer::overhead_seconds(const TransferSpec& small_messages) const {
  const bool takes_them_in = small_messages.kind == TransferKind::gather;
  return root_messages(small_messages) * (takes_them_in ? recv_overhead_s_ : send_overhead_s_);
}

/// They go on with the same program, and it gets the image.
bool TransitionPricer::goes_to_idle_ranks(const Transition& transition) const {
  const bool of_whole = transition.kind == Kind::broadcast || transition.kind == Kind::deliver;
  return of_whole && is_fetched_[static_cast<std::size_t>(transition.subject)] && listeners() > configuration_.ranks;
}

int TransitionPricer::holders() const {
  const bool fetches = std::find(is_fetched_.begin(), is_fetched_.end(), true) != is_fetched_.end();
  return fetches ? listeners() : configuration_.ranks;
}

int TransitionPricer::listeners() const {
  return profile_.has_paths() ? std::max(configuration_.ranks, space_.started_ranks) : configuration_.ranks;
}

TransferSpec TransitionPricer::spec(const Transition& transition) {
  TransferSpec spec = transfer_spec(transition);
  const bool has_packing = spec.grid.ranks() > 1 && spec.algorithm != Algorithm::shared && transition.meanwhile < 0;
  if (has_packing) spec.packing = packed(spec, PackingChoice::of_images).packing;
  return spec;
}

/// What is known of a transfer; of an exchange, it stays known for other configurations with the same tiles.
TransitionPricer::Found& TransitionPricer::found(const TransferSpec& spec, PackingChoice choice) {
  const bool on_second = configuration_.second && spec.grid == *configuration_.second;
  const bool is_of_one_grid = on_second || spec.grid == configuration_.grid;
  if (!is_of_one_grid || spec.kind == TransferKind::redistribute) return found_in(found_, as_priced(spec), choice);
  const TransferForm form{storage_that_counts(spec),
                          spec.exchanged,
                          spec.image,
                          spec.kind,
                          spec.algorithm,
                          spec.packing,
                          spec.cyclic,
                          spec.in_turn,
                          on_second,
                          choice};
  const auto position = std::find_if(found_by_form_.begin(), found_by_form_.end(),
                                     [&](const auto& form_and_found) { return form_and_found.first == form; });
  if (position != found_by_form_.end()) return *position->second;
  const bool lasts = spec.kind == TransferKind::exchange && model_.counts_forms_only();
  Found& entry = lasts ? found_exchange(smallest_alike(spec), choice) : found_in(found_, as_priced(spec), choice);
  found_by_form_.emplace_back(form, &entry);
  return entry;
}

TransitionPricer::Found& TransitionPricer::found_exchange(TransferSpec smallest_alike, PackingChoice choice) {
  const auto& [x, y] = std::tie(smallest_alike.grid.x, smallest_alike.grid.y);
  const Extent& extent = smallest_alike.image.extent;
  return found_in(exchanges_[{x, y, extent.width, extent.height}], std::move(smallest_alike), choice);
}

TransitionPricer::Found& TransitionPricer::found_in(std::list<Found>& known, TransferSpec priced,
                                                    PackingChoice choice) {
  // Halos tell most of them apart.
  const auto position = std::find_if(known.begin(), known.end(), [&](const Found& entry) {
    return entry.spec.storage == priced.storage && entry.spec.kind == priced.kind && entry.choice == choice &&
           entry.spec == priced;
  });
  return position != known.end() ? *position : known.emplace_back(Found{std::move(priced), choice, {}});
}

std::span<const Packing> TransitionPricer::packings_of(const Found& transfer) const {
  if (transfer.choice == PackingChoice::of_images) return packings_;
  return {&transfer.spec.packing, 1};
}

/// Of each packing, what the transfer takes at least.
std::vector<PackedTransfer> TransitionPricer::least_by_packing(const Found& transfer) {
  const TransferOutline& outline = schedules_->outline_of(transfer.spec);
  std::vector<PackedTransfer> least;
  for (const Packing packing : packings_of(transfer))
    least.push_back({packing, model_.least_seconds(outline, packing, known_messages_) * (1 - rounding)});
  return least;
}

/// The cheapest packing, of equal ones the first. What is too dear even by its lower bound is not priced.
PackedTransfer TransitionPricer::packed(const TransferSpec& spec, PackingChoice choice) {
  Found& entry = found(spec, choice);
  if (entry.priced) return *entry.priced;
  std::vector<PackedTransfer> left = least_by_packing(entry);
  std::stable_sort(left.begin(), left.end(),
                   [](const PackedTransfer& a, const PackedTransfer& b) { return a.seconds < b.seconds; });
  const auto& subtrees = schedules_->subtrees_of(entry.spec);
  PackedTransfer best{{}, infinity};
  for (const PackedTransfer& least : left) {
    if (least.seconds > best.seconds) break;
    const auto of_tree =
        subtrees ? model_.tree_seconds(entry.spec.kind, *subtrees, least.packing, known_messages_) : std::nullopt;
    const double seconds = of_tree ? *of_tree : model_.transfer_seconds(schedules_->of(entry.spec), least.packing);
    const bool first_of_equal = seconds == best.seconds && least.packing < best.packing;
    if (seconds < best.seconds || first_of_equal) best = {least.packing, seconds};
  }
  const ImageShape& image = entry.spec.image;
  const auto pixel_bytes = static_cast<std::int64_t>(image.format.bytes());
  // Of what has subtrees the bound is exact.
  const auto copied = subtrees ? least_copied_bytes(entry.spec) : schedules_->of(entry.spec).copied_bytes;
  best.copies_s = copy_seconds(profile_, image, copied / pixel_bytes);
  best.seconds += best.copies_s;
  entry.priced = best;
  return best;
}

double TransitionPricer::least_copies_seconds(const TransferSpec& spec) const {
  const auto copied = least_copied_bytes(spec) / static_cast<std::int64_t>(spec.image.format.bytes());
  return copy_seconds(profile_, spec.image, copied);
}

double TransitionPricer::least_transfer_seconds(const TransferSpec& spec, PackingChoice choice, double enough) {
  if (spec.grid.ranks() == 1) return 0;
  Found& entry = found(spec, choice);
  const bool is_enough = entry.least_is_exact || entry.least_seconds >= enough;
  if (is_enough) return entry.least_seconds;
  if (spec.kind == TransferKind::exchange) enough = infinity;  // other configurations will ask, too
  const double least = least_of_packings(entry, enough);
  const bool is_dear_anyway = least * (1 - rounding) >= enough;
  const double copies_s = is_dear_anyway ? 0 : least_copies_seconds(spec);
  entry.least_seconds = (least + copies_s) * (1 - rounding);
  entry.least_is_exact = least < enough || enough == infinity;
  return entry.least_seconds;
}

/// What is too dear mostly is so by a few of its messages.
double TransitionPricer::least_of_packings(const Found& transfer, double enough) {
  const std::span<const Packing> packings = packings_of(transfer);
  const bool is_tree = transfer.spec.kind == TransferKind::scatter || transfer.spec.kind == TransferKind::gather;
  if (is_tree && enough < infinity) {
    const double least = least_of_packings(make_sketch(transfer.spec), packings, enough);
    if (least >= enough) return least;
  }
  return least_of_packings(make_outline(transfer.spec), packings, enough);
}

/// A packing is of no more interest when it takes as long as another one: that which was quickest last time mostly is
/// again, and is tried first.
double TransitionPricer::least_of_packings(const TransferOutline& outline, std::span<const Packing> packings,
                                           double enough) {
  const std::size_t first = std::min(quickest_packing_, packings.size() - 1);
  double least = infinity;
  for (std::size_t i = 0; i < packings.size(); ++i) {
    const std::size_t tried = (first + i) % packings.size();
    const double seconds = model_.least_seconds(outline, packings[tried], known_messages_, std::min(least, enough));
    if (seconds >= least) continue;
    least = seconds;
    quickest_packing_ = tried;
  }
  return least;
}

double TransitionPricer::copy_to_shared_seconds(const TransferSpec& spec, int image) const {
  const PipelineImage& moved = pipeline_.images[static_cast<std::size_t>(image)];
  const bool is_resident = moved.source && moved.source->is_resident();
  if (!is_resident || spec.kind == TransferKind::gather) return 0;
  return copy_seconds(profile_, moved.shape, moved.shape.extent.pixels());
}

double TransitionPricer::image_seconds(const Transition& transition) {
  const TransferSpec spec = transfer_spec(transition);
  if (spec.grid.ranks() == 1) return 0;
  const double part = part_that_counts(transition);
  if (spec.algorithm != Algorithm::shared) return part * transfer_seconds(spec, PackingChoice::of_images);
  return part * (sharing_seconds(profile_, spec).sum() + copy_to_shared_seconds(spec, transition.subject));
}

double TransitionPricer::seconds_of_reading(const Transition& transfer) const {
  if (transfer.algorithm != Algorithm::shared || !moves_pixels(transfer)) return 0;
  const TransferSpec spec = transfer_spec(transfer);
  return spec.grid.ranks() == 1 ? 0 : part_that_counts(transfer) * copy_to_shared_seconds(spec, transfer.subject);
}

double TransitionPricer::part_that_counts(const Transition& transition) const {
  const auto counted = space_.counted.find(transition.subject);
  if (counted == space_.counted.end() || transition.kind != Kind::scatter) return 1;
  return transfer_spec(transition).exchanged == Halo{} ? counted->second : 1;
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

}  // namespace tilewright
