// What transfers take in one configuration, and with which packing.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "configuration.hpp"
#include "known_schedules.hpp"
#include "tilewright/scheduler/planner.hpp"

namespace tilewright {

/// A transfer with its cheapest packing, or the one that is forced.
struct PackedTransfer {
  Packing packing = Packing::datatype;
  double seconds = 0;
  double copies_s = 0;  ///< of that: local copies
};

/// Of images, those that the model knows, or the one that is forced; of anything else, that of the spec.
enum class PackingChoice : std::uint8_t { of_images, of_spec };

/// Prices transfers that are messages; keeps what several configurations share.
class TransferPricer {
 public:
  /// `packings`: those that images may have, at least one. `schedules` are shared with others who price the same
  /// configurations; none: its own.
  TransferPricer(const MachineProfile& profile, const CostModel& model, std::vector<Packing> packings,
                 std::shared_ptr<KnownSchedules> schedules);

  /// Turns to a configuration, unless it has been turned to it before.
  void configure(const Configuration& configuration);

  [[nodiscard]] const std::vector<Packing>& packings() const { return packings_; }
  /// The cheapest packing, of equal ones the first.
  [[nodiscard]] PackedTransfer packed(const TransferSpec& spec, PackingChoice choice);
  /// Of the same; 0 where there is one rank.
  [[nodiscard]] double seconds(const TransferSpec& spec, PackingChoice choice);
  /// Never more than seconds(): schedules are only outlined. What comes to `enough` or more need not be close.
  [[nodiscard]] double least_seconds(const TransferSpec& spec, PackingChoice choice, double enough);

 private:
  /// What was found of a transfer: images are often alike.
  struct Found {
    TransferSpec spec;
    PackingChoice choice = PackingChoice::of_images;
    std::optional<PackedTransfer> priced;
    double least_seconds = 0;     ///< a lower bound
    bool least_is_exact = false;  ///< it is as close as bounds are, not cut off
  };
  /// What tells a transfer of one grid from others of the same configuration: less than its spec, and it is compared a
  /// lot.
  struct TransferForm {
    Halo storage;
    Halo exchanged;
    ImageShape image;
    TransferKind kind;
    std::optional<Algorithm> algorithm;
    Packing packing;
    bool cyclic;
    bool in_turn;
    bool on_second;  ///< of two grids
    PackingChoice choice;
    bool operator==(const TransferForm&) const = default;
  };
  [[nodiscard]] Found& found(const TransferSpec& spec, PackingChoice choice);
  [[nodiscard]] Found& found_exchange(TransferSpec smallest_alike, PackingChoice choice);
  [[nodiscard]] static Found& found_in(std::list<Found>& known, TransferSpec priced, PackingChoice choice);
  [[nodiscard]] std::span<const Packing> packings_of(const Found& transfer) const;
  [[nodiscard]] std::vector<PackedTransfer> least_by_packing(const Found& transfer);
  [[nodiscard]] double least_of_packings(const Found& transfer, double enough);
  [[nodiscard]] double least_of_packings(const TransferOutline& outline, std::span<const Packing> packings,
                                         double enough);
  [[nodiscard]] double least_copies_seconds(const TransferSpec& spec) const;

  const MachineProfile& profile_;
  const CostModel& model_;
  std::vector<Packing> packings_;  ///< of images, to choose from
  std::shared_ptr<KnownSchedules> schedules_;
  Configuration configuration_;
  std::list<Found> found_;                                      ///< in this configuration
  std::vector<std::pair<TransferForm, Found*>> found_by_form_;  ///< the same, and exchanges
  /// In all, by the grid and the extent of smallest_alike().
  std::map<std::tuple<int, int, std::int64_t, std::int64_t>, std::list<Found>> exchanges_;
  KnownMessages known_messages_;
  std::size_t quickest_packing_ = 0;  ///< of those, in the last bound
};

}  // namespace tilewright
