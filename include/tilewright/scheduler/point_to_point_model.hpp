// Cost models that are made of the costs of single messages, and P-3PC's rules that put them together.
#pragma once

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
  [[nodiscard]] virtual double message_seconds(Path path, Layout layout, double bytes) const = 0;
  [[nodiscard]] double transfer_seconds(const Schedule& schedule) const final;
};

/// P-3PC: each path and layout as measured, piecewise linear in the size (section 3.3). A profile without shifts, as the
/// papers' machines have, gives the paper's exchange.
class P3pcModel final : public PointToPointModel {
 public:
  explicit P3pcModel(const MachineProfile& profile) : profile_(profile) {}
  [[nodiscard]] std::string_view name() const override { return "p3pc"; }
  [[nodiscard]] double message_seconds(Path path, Layout layout, double bytes) const override;

 private:
  MachineProfile profile_;
};

/// LogGP*, the paper's baseline (section 5.1, REFERENCE 1): every layout as contiguous,
/// T_send = T_recv = T(send,cc,0) + t_a(n), T_full = T(full,cc,n), with t_a(n) = T(full,cc,n) - T(full,cc,0).
class LogGpStarModel final : public PointToPointModel {
 public:
  explicit LogGpStarModel(const MachineProfile& profile) : profile_(profile) {}
  [[nodiscard]] std::string_view name() const override { return "loggp-star"; }
  [[nodiscard]] double message_seconds(Path path, Layout layout, double bytes) const override;

 private:
  MachineProfile profile_;
};

}  // namespace tilewright
