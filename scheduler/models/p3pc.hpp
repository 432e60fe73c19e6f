// P-3PC, 3PC, and P-3PC with strides.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "point_to_point_model.hpp"

namespace tilewright {

/// P-3PC: each path and layout as measured, piecewise linear in the size (section 3.3). A profile without shifts
/// and swaps, as the papers' machines have, gives the paper's exchange.
class P3pcModel : public PointToPointModel {
 public:
  explicit P3pcModel(const MachineProfile& profile);
  [[nodiscard]] std::string_view name() const override { return "p3pc"; }
  [[nodiscard]] ModelStatement statement() const override;
  [[nodiscard]] double message_seconds(Path path, const MessageForm& form) const override;
  [[nodiscard]] std::vector<PathCell> wanted_cells(Path path, const MessageForm& form) const override;
  /// What the profile lacks of other paths is taken from full ones.
  [[nodiscard]] bool depends_on(Path path, TransferKind kind) const override;

 protected:
  [[nodiscard]] const MachineProfile& profile() const { return profile_; }
  /// The row that prices the path: a profile without those of exchanges takes them for full paths.
  [[nodiscard]] Path priced_as(Path path, Layout layout, Packing packing = Packing::datatype) const;

 private:
  MachineProfile profile_;
};

/// P-3PC with what the paper's section 6 misses: the length of the blocks, their stride, and how they are packed. With
/// the extra costs x of strided over contiguous messages (StrideCosts), x = x(sender's end) + x(receiver's end),
///   derived datatype: T = T_P3PC(path, layout, n) + x(blocks) - x(the paper's blocks of that n)
///   packed by hand:   T = T_P3PC(path, cc, n) + x(blocks), where what travels in pieces has a row T_P3PC of its own
/// On the paper's own blocks, and on a profile that lacks the costs of others, it is P-3PC.
class StrideAwareP3pcModel final : public P3pcModel {
 public:
  explicit StrideAwareP3pcModel(const MachineProfile& profile);
  [[nodiscard]] std::string_view name() const override { return "p3pc-stride"; }
  [[nodiscard]] ModelStatement statement() const override;
  [[nodiscard]] double message_seconds(Path path, const MessageForm& form) const override;
  [[nodiscard]] std::vector<PathCell> wanted_cells(Path path, const MessageForm& form) const override;
  [[nodiscard]] std::vector<Packing> packings() const override;

 private:
  [[nodiscard]] bool is_known(Packing packing) const { return is_known_[static_cast<std::size_t>(packing)]; }
  [[nodiscard]] bool is_measured(Packing packing) const;
  [[nodiscard]] double by_hand_seconds(Path path, const MessageForm& form) const;
  /// On that path, or on the full one where that is not measured.
  [[nodiscard]] double contiguous_seconds(Path path, std::int64_t bytes, Packing packing) const;
  /// The blocks at one end, or at both, and the row that tells what they cost.
  struct PricedBlocks {
    StrideCosts::Row row = {};
    BlockShape shape = {};
  };
  /// Those of a message: one where both ends were measured at once, or one alone counts, else each by itself.
  struct BlocksOfMessage {
    std::array<PricedBlocks, 2> ends = {};
    std::size_t count = 0;  ///< 0: the profile does not know
    [[nodiscard]] std::span<const PricedBlocks> priced() const { return std::span(ends).first(count); }
  };
  [[nodiscard]] BlocksOfMessage blocks_of(Path path, const MessageForm& form) const;
  /// None where the profile does not know.
  [[nodiscard]] std::optional<double> extra_seconds(Path path, const MessageForm& form) const;

  std::array<bool, std::size(all_packings)> is_known_{};
};

/// 3PC (section 3.2): T = t_c(path) + n t_a(path), whatever the layout. t_c as measured, t_a fitted.
class ThreePcModel final : public PointToPointModel {
 public:
  explicit ThreePcModel(const MachineProfile& profile);
  [[nodiscard]] std::string_view name() const override { return "3pc"; }
  [[nodiscard]] ModelStatement statement() const override;
  [[nodiscard]] double message_seconds(Path path, const MessageForm& form) const override;

 private:
  struct Costs {
    double constant_s = 0;
    double seconds_a_byte = 0;
  };
  std::array<Costs, std::size(all_paths)> costs_;  ///< by path
};

}  // namespace tilewright
