// PRAM, BSP, BSP* and E-BSP: transfers as supersteps.
#pragma once

#include "tilewright/scheduler/cost_model.hpp"
#include "tilewright/scheduler/supersteps.hpp"

namespace tilewright {

/// Prices each superstep of a transfer by itself; one message is a superstep.
class BulkSynchronousModel : public CostModel {
 public:
  [[nodiscard]] double message_seconds(Path path, const MessageForm& form) const final;
  using CostModel::transfer_seconds;
  [[nodiscard]] double transfer_seconds(const ClassifiedSchedule& transfer, Packing packing) const final;
  [[nodiscard]] double least_seconds(const TransferOutline& outline, Packing packing, KnownMessages& known,
                                     double enough) const final;
  [[nodiscard]] bool counts_forms_only() const final { return false; }  // E-BSP counts the volume

 protected:
  /// Seconds of a superstep of `ranks` ranks.
  [[nodiscard]] virtual double superstep_seconds(const Superstep& step, int ranks) const = 0;
  /// The words of statement().transfer.
  [[nodiscard]] static std::string superstep_rule();
};

/// PRAM (log_nP, section 5): every communication takes one unit, whatever its size; here that of the empty message.
class PramModel final : public BulkSynchronousModel {
 public:
  explicit PramModel(const MachineProfile& profile);
  [[nodiscard]] std::string_view name() const override { return "pram"; }
  [[nodiscard]] ModelStatement statement() const override;

 protected:
  [[nodiscard]] double superstep_seconds(const Superstep& step, int ranks) const override;

 private:
  double unit_s_ = 0;
};

/// BSP (Juurlink and Rieping, section 2): g h + L. L is a barrier; g is fitted to total exchanges.
class BspModel final : public BulkSynchronousModel {
 public:
  explicit BspModel(const MachineProfile& profile);
  [[nodiscard]] std::string_view name() const override { return "bsp"; }
  [[nodiscard]] ModelStatement statement() const override;

 protected:
  [[nodiscard]] double superstep_seconds(const Superstep& step, int ranks) const override;

 private:
  double barrier_s_ = 0;
  double seconds_a_byte_ = 0;
};

/// BSP* (the same, section 2): g* h + s m + L*. g* and s are fitted to total exchanges.
class BspStarModel final : public BulkSynchronousModel {
 public:
  explicit BspStarModel(const MachineProfile& profile);
  [[nodiscard]] std::string_view name() const override { return "bsp-star"; }
  [[nodiscard]] ModelStatement statement() const override;

 protected:
  [[nodiscard]] double superstep_seconds(const Superstep& step, int ranks) const override;

 private:
  double barrier_s_ = 0;
  double startup_s_ = 0;
  double seconds_a_byte_ = 0;
};

/// E-BSP (the same, section 4.2): max(g V / p, g' h) + L. g' from patterns with one busy rank (one-to-all, all-to-one,
/// both at once), g from those in which all are busy (one-to-one, all-to-all).
class EBspModel final : public BulkSynchronousModel {
 public:
  explicit EBspModel(const MachineProfile& profile);
  [[nodiscard]] std::string_view name() const override { return "e-bsp"; }
  [[nodiscard]] ModelStatement statement() const override;

 protected:
  [[nodiscard]] double superstep_seconds(const Superstep& step, int ranks) const override;

 private:
  double barrier_s_ = 0;
  double seconds_a_byte_of_volume_ = 0;
  double seconds_a_byte_of_rank_ = 0;
};

}  // namespace tilewright
