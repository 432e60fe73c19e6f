// A model of messages between two ranks of a node, in runs that follow each other.
#pragma once

#include <memory>

#include "point_to_point_model.hpp"
#include "tilewright/model/warmth.hpp"

namespace tilewright {

/// Another model, with messages that take as many times as long as the run's warmth says. What is not of a single
/// message, and exchanges, which are measured as runs have them, stay.
class RepeatedRunModel final : public PointToPointModel {
 public:
  RepeatedRunModel(std::unique_ptr<PointToPointModel> measured, RunWarmth warmth);
  [[nodiscard]] std::string_view name() const override { return measured_->name(); }
  [[nodiscard]] ModelStatement statement() const override;
  [[nodiscard]] double message_seconds(Path path, const MessageForm& form) const override;
  [[nodiscard]] std::vector<PathCell> wanted_cells(Path path, const MessageForm& form) const override;
  [[nodiscard]] bool depends_on(Path path, TransferKind kind) const override;
  [[nodiscard]] std::vector<Packing> packings() const override { return measured_->packings(); }
  [[nodiscard]] double between_messages_seconds() const override { return measured_->between_messages_seconds(); }

 private:
  std::unique_ptr<PointToPointModel> measured_;
  RunWarmth warmth_;
};

}  // namespace tilewright
