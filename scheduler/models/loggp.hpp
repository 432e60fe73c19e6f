// LogGP*, LogGP, LogP and Hockney: contiguous messages by a few constants.
#pragma once

#include "point_to_point_model.hpp"

namespace tilewright {

/// LogGP*, P-3PC's baseline (its section 5.1): every layout as contiguous,
/// T_send = T_recv = T(send,cc,0) + t_a(n), T_full = T(full,cc,n), with t_a(n) = T(full,cc,n) - T(full,cc,0).
class LogGpStarModel final : public PointToPointModel {
 public:
  explicit LogGpStarModel(const MachineProfile& profile) : profile_(profile) {}
  [[nodiscard]] std::string_view name() const override { return "loggp-star"; }
  [[nodiscard]] ModelStatement statement() const override;
  [[nodiscard]] double message_seconds(Path path, const MessageForm& form) const override;

 private:
  MachineProfile profile_;
};

/// L, o and g of short messages, in seconds; G of long ones, in seconds a byte.
struct LogGpParameters {
  double latency_s = 0;
  double overhead_s = 0;
  double gap_s = 0;
  double gap_s_a_byte = 0;
};

/// LogGP (Alexandrov et al. 1995; log_nP, section 4.3): T_full = 2o + L + (k-1) G for k bytes; what a rank sends or
/// receives in a row takes g + (k-1) G each. A linear broadcast is then 2o + L + (P-1) G k + (P-2) g for k+1 bytes, a
/// tree of height h takes h (2o + L + k G) + (h-1) g, as log_nP's paper has them.
class LogGpModel final : public PointToPointModel {
 public:
  explicit LogGpModel(const MachineProfile& profile);
  [[nodiscard]] std::string_view name() const override { return "loggp"; }
  [[nodiscard]] ModelStatement statement() const override;
  [[nodiscard]] double message_seconds(Path path, const MessageForm& form) const override;
  [[nodiscard]] double between_messages_seconds() const override { return parameters_.gap_s; }

 private:
  LogGpParameters parameters_;
};

/// LogP (Culler et al.): all messages have one short size, here 1 KiB, the largest that log_nP's paper counts as short
/// (its section 4.1). Longer ones are many of them: T_full = 2o + L + (m-1) max(g, o) for m messages.
class LogPModel final : public PointToPointModel {
 public:
  static constexpr double short_bytes = 1024;
  explicit LogPModel(const MachineProfile& profile);
  [[nodiscard]] std::string_view name() const override { return "logp"; }
  [[nodiscard]] ModelStatement statement() const override;
  [[nodiscard]] double message_seconds(Path path, const MessageForm& form) const override;
  [[nodiscard]] double between_messages_seconds() const override { return parameters_.gap_s; }

 private:
  LogGpParameters parameters_;
};

/// Hockney: T = t_0 + n / r_inf on every path.
class HockneyModel final : public PointToPointModel {
 public:
  explicit HockneyModel(const MachineProfile& profile);
  [[nodiscard]] std::string_view name() const override { return "hockney"; }
  [[nodiscard]] ModelStatement statement() const override;
  [[nodiscard]] double message_seconds(Path path, const MessageForm& form) const override;

 private:
  double startup_s_ = 0;
  double seconds_a_byte_ = 0;
};

}  // namespace tilewright
