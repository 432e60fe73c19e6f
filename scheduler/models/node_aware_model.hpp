// A model of messages between two ranks, for machines on which it matters whether both are on one node.
#pragma once

#include <memory>

#include "point_to_point_model.hpp"

namespace tilewright {

/// The same model twice: of messages between nodes, and of those within one. Messages that share a node's link take as
/// long as one that has the bytes of all of them. What is not of a single message is as between nodes.
class NodeAwareModel final : public PointToPointModel {
 public:
  NodeAwareModel(std::unique_ptr<PointToPointModel> between, std::unique_ptr<PointToPointModel> within);
  [[nodiscard]] std::string_view name() const override { return between_->name(); }
  [[nodiscard]] ModelStatement statement() const override;
  [[nodiscard]] double message_seconds(Path path, const MessageForm& form) const override;
  [[nodiscard]] std::vector<PathCell> wanted_cells(Path path, const MessageForm& form) const override;
  [[nodiscard]] bool depends_on(Path path, TransferKind kind) const override;
  /// Those that both can tell apart.
  [[nodiscard]] std::vector<Packing> packings() const override;
  [[nodiscard]] double between_messages_seconds() const override { return between_->between_messages_seconds(); }

 private:
  std::unique_ptr<PointToPointModel> between_;
  std::unique_ptr<PointToPointModel> within_;
};

/// Whether `within` has a price for every kind of message that `between` has one for.
[[nodiscard]] bool knows_as_many_messages(const PointToPointModel& within, const PointToPointModel& between);

}  // namespace tilewright
