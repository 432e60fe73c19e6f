// Transfers of images, and the small messages of reductions and of files that ranks write together.
#include <algorithm>
#include <span>

#include "sharing.hpp"
#include "transition_costs.hpp"

namespace tilewright {
namespace {

using Kind = Transition::Kind;

/// A row of bytes as an image, so that small messages are priced like all others.
ImageShape row_of_bytes(std::int64_t bytes) {
  return {{bytes, 1}, {PixelType::u8, 1}};
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
  if (transition.meanwhile >= 0) spec.packing = packing_of_overlapped(transfers_.packings());
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
  if (has_packing) spec.packing = transfers_.packed(spec, PackingChoice::of_images).packing;
  return spec;
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
  if (spec.algorithm != Algorithm::shared) return part * transfers_.seconds(spec, PackingChoice::of_images);
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
    const PackedTransfer best = transfers_.packed(spec, PackingChoice::of_images);
    return {{"messages", best.seconds - best.copies_s}, {"copies", best.copies_s}};
  }
  const SharingSeconds sharing = sharing_seconds(profile_, spec);
  return {{"synchronisation", sharing.synchronisation},
          {"copies", sharing.copies},
          {"copy to shared memory", copy_to_shared_seconds(spec, image)}};
}

}  // namespace tilewright
