// Cost models that are made of the costs of single messages, and P-3PC's rules that put them together.
#pragma once

#include <optional>

#include "tilewright/scheduler/cost_model.hpp"

namespace tilewright {

/// Prices a schedule by P-3PC's Fig. 6, generalised to any number of ranks and uneven tiles:
/// * one-level flat tree: the larger of all the root's sends (receives, for a gather) in a row, and of the sends before
///   a message followed by that message's full path;
/// * binomial tree: the larger of all the root's sends (receives) in a row, and of the longest chain of full paths, in
///   which the messages of one rank follow each other;
/// * exchange: its rounds one after another, each as long as the full path of its slowest message; in a round in which
///   ranks send and receive at once, and share links and processors for both, as long as its shift.
/// For powers of two and even tiles these are the paper's closed formulas.
class PointToPointModel : public CostModel {
 public:
  /// Seconds of one message on one path. A model that knows of no shift takes it for a full path, as the papers do.
  [[nodiscard]] virtual double message_seconds(Path path, const MessageForm& form) const = 0;
  [[nodiscard]] double transfer_seconds(const Schedule& schedule) const final;
};

/// P-3PC: each path and layout as measured, piecewise linear in the size (section 3.3). A profile without shifts, as
/// the papers' machines have, gives the paper's exchange.
class P3pcModel : public PointToPointModel {
 public:
  explicit P3pcModel(const MachineProfile& profile) : profile_(profile) {}
  [[nodiscard]] std::string_view name() const override { return "p3pc-paper"; }
  [[nodiscard]] double message_seconds(Path path, const MessageForm& form) const override;

 protected:
  [[nodiscard]] const MachineProfile& profile() const { return profile_; }
  /// The row that prices the path: a profile without shifts takes them for full paths.
  [[nodiscard]] Path priced_as(Path path, Layout layout) const;

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
  using P3pcModel::P3pcModel;
  [[nodiscard]] std::string_view name() const override { return "p3pc"; }
  [[nodiscard]] double message_seconds(Path path, const MessageForm& form) const override;
  [[nodiscard]] std::vector<Packing> packings() const override;

 private:
  [[nodiscard]] bool is_known(Packing packing) const;
  [[nodiscard]] double by_hand_seconds(Path path, const MessageForm& form) const;
  /// None where the profile does not know.
  [[nodiscard]] std::optional<double> extra_seconds(Path path, const MessageForm& form) const;
};

/// LogGP*, the paper's baseline (section 5.1, REFERENCE 1): every layout as contiguous,
/// T_send = T_recv = T(send,cc,0) + t_a(n), T_full = T(full,cc,n), with t_a(n) = T(full,cc,n) - T(full,cc,0).
class LogGpStarModel final : public PointToPointModel {
 public:
  explicit LogGpStarModel(const MachineProfile& profile) : profile_(profile) {}
  [[nodiscard]] std::string_view name() const override { return "loggp-star"; }
  [[nodiscard]] double message_seconds(Path path, const MessageForm& form) const override;

 private:
  MachineProfile profile_;
};

}  // namespace tilewright
