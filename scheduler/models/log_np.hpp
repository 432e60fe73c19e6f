// log_3P and log_nP on a measured machine.
#pragma once

#include "point_to_point_model.hpp"
#include "tilewright/scheduler/log_np.hpp"

namespace tilewright {

/// Middleware and network, told apart as log_3P's paper does (section 4.1): a message from a rank to itself passes the
/// middleware but no network. Seconds.
class Middleware {
 public:
  /// Throws NotMeasured, in the name of `model`, if the profile lacks messages to oneself or memory copies.
  Middleware(const MachineProfile& profile, std::string_view model);
  /// o_mw(n) = T00(n) - T_mem(n).
  [[nodiscard]] double overhead_s(double bytes) const;
  /// l_mw(n, blocks) = T00(n, blocks) - T00(n), of both ends.
  [[nodiscard]] double latency_s(const BlockShape& shape) const;
  /// o_net(n) = T01(n) - o_mw(n), the symmetric reading: the paper's own numbers have it so.
  [[nodiscard]] double network_s(double bytes) const;
  /// CostModel::wanted_cells() of contiguous messages so long.
  [[nodiscard]] static std::vector<PathCell> wanted_cells(std::int64_t bytes);
  [[nodiscard]] const MachineProfile& profile() const { return profile_; }

 private:
  MachineProfile profile_;
};

/// log_3P (equation 6): T_full = o_mw + l_mw + o_net; a rank that sends or receives in a row spends (o_mw + l_mw) / 2
/// on each. So a linear broadcast is P (o_mw + l_mw) / 2 + o_net, and a tree its height times T_full.
class Log3pModel final : public PointToPointModel {
 public:
  explicit Log3pModel(const MachineProfile& profile);
  [[nodiscard]] std::string_view name() const override { return "log3p"; }
  [[nodiscard]] ModelStatement statement() const override;
  [[nodiscard]] double message_seconds(Path path, const MessageForm& form) const override;
  [[nodiscard]] std::vector<PathCell> wanted_cells(Path path, const MessageForm& form) const override;

 private:
  Middleware middleware_;
};

/// log_nP (equation 1) with n = 3 and all that was measured: either end has a latency of its own, by the way its data
/// lie, and what a rank sends in a row is held up by the gap g_0(n) = T(send, cc, n).
class LogNpModel final : public PointToPointModel {
 public:
  explicit LogNpModel(const MachineProfile& profile);
  [[nodiscard]] std::string_view name() const override { return "lognp"; }
  [[nodiscard]] ModelStatement statement() const override;
  [[nodiscard]] double message_seconds(Path path, const MessageForm& form) const override;
  [[nodiscard]] std::vector<PathCell> wanted_cells(Path path, const MessageForm& form) const override;

 private:
  /// The row that tells what blocks at that end cost: of a message between two ranks, or of one to oneself.
  [[nodiscard]] StrideCosts::Row row_of_end(Layout end) const;
  [[nodiscard]] double end_latency_s(Layout end, const BlockShape& shape) const;
  Middleware middleware_;
};

}  // namespace tilewright
