#include "transfer_pricer.hpp"

#include <algorithm>
#include <limits>

#include "tilewright/scheduler/rounding.hpp"

namespace tilewright {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Rows of a halo that are not sent change no message, for a message's form tells no more than the pitch.
Halo storage_that_counts(const TransferSpec& spec) {
  return spec.kind == TransferKind::exchange ? spec.storage : Halo{spec.storage.x, 0};
}

/// The spec that is priced for all that are alike.
TransferSpec as_priced(TransferSpec spec) {
  spec.storage = storage_that_counts(spec);
  return spec;
}

}  // namespace

TransferPricer::TransferPricer(const MachineProfile& profile, const CostModel& model, std::vector<Packing> packings,
                               std::shared_ptr<KnownSchedules> schedules)
    : profile_(profile),
      model_(model),
      packings_(std::move(packings)),
      schedules_(schedules ? std::move(schedules) : std::make_shared<KnownSchedules>()) {}

void TransferPricer::configure(const Configuration& configuration) {
  schedules_->turn_to(configuration);  // others may have turned them elsewhere
  if (configuration == configuration_) return;
  configuration_ = configuration;
  found_.clear();
  found_by_form_.clear();
}

/// What is known of a transfer; of an exchange, it stays known for other configurations with the same tiles.
TransferPricer::Found& TransferPricer::found(const TransferSpec& spec, PackingChoice choice) {
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

TransferPricer::Found& TransferPricer::found_exchange(TransferSpec smallest_alike, PackingChoice choice) {
  const auto& [x, y] = std::tie(smallest_alike.grid.x, smallest_alike.grid.y);
  const Extent& extent = smallest_alike.image.extent;
  return found_in(exchanges_[{x, y, extent.width, extent.height}], std::move(smallest_alike), choice);
}

TransferPricer::Found& TransferPricer::found_in(std::list<Found>& known, TransferSpec priced, PackingChoice choice) {
  // Halos tell most of them apart.
  const auto position = std::find_if(known.begin(), known.end(), [&](const Found& entry) {
    return entry.spec.storage == priced.storage && entry.spec.kind == priced.kind && entry.choice == choice &&
           entry.spec == priced;
  });
  return position != known.end() ? *position : known.emplace_back(Found{std::move(priced), choice, {}});
}

std::span<const Packing> TransferPricer::packings_of(const Found& transfer) const {
  if (transfer.choice == PackingChoice::of_images) return packings_;
  return {&transfer.spec.packing, 1};
}

/// Of each packing, what the transfer takes at least.
std::vector<PackedTransfer> TransferPricer::least_by_packing(const Found& transfer) {
  const TransferOutline& outline = schedules_->outline_of(transfer.spec);
  std::vector<PackedTransfer> least;
  for (const Packing packing : packings_of(transfer))
    least.push_back({packing, model_.least_seconds(outline, packing, known_messages_) * (1 - rounding)});
  return least;
}

/// The cheapest packing, of equal ones the first. What is too dear even by its lower bound is not priced.
PackedTransfer TransferPricer::packed(const TransferSpec& spec, PackingChoice choice) {
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

double TransferPricer::least_copies_seconds(const TransferSpec& spec) const {
  const auto copied = least_copied_bytes(spec) / static_cast<std::int64_t>(spec.image.format.bytes());
  return copy_seconds(profile_, spec.image, copied);
}

double TransferPricer::least_seconds(const TransferSpec& spec, PackingChoice choice, double enough) {
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
double TransferPricer::least_of_packings(const Found& transfer, double enough) {
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
double TransferPricer::least_of_packings(const TransferOutline& outline, std::span<const Packing> packings,
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

double TransferPricer::seconds(const TransferSpec& spec, PackingChoice choice) {
  if (spec.grid.ranks() == 1) return 0;  // nothing to move: tiles and whole image are one
  return packed(spec, choice).seconds;
}

}  // namespace tilewright
