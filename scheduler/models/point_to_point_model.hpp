// Cost models that are made of the costs of single messages, and P-3PC's rules that put them together.
#pragma once

#include "tilewright/scheduler/cost_model.hpp"

namespace tilewright {

/// How the root of a tree is busy with its messages.
[[nodiscard]] Path path_of_root(TransferKind kind);
/// `shift`: whether some rank both sends and receives in that round of an exchange.
[[nodiscard]] Path path_of_round(bool shift);

/// Prices a schedule by P-3PC's Fig. 6, generalised to any number of ranks and uneven tiles:
/// * one-level flat tree: the larger of all the root's sends (receives, for a gather) in a row, and of the sends before
///   a message followed by that message's full path; a message that is answered keeps the root for its full path;
/// * binomial tree: the larger of all the root's sends (receives) in a row, and of the longest chain of full paths, in
///   which the messages of one rank follow each other;
/// * exchange: its rounds one after another, each as long as the full path of its slowest message; in a round in which
///   ranks send and receive at once, and share links and processors for both, as long as its shift;
/// * redistribution: the longest chain of shifts, in which every rank goes through its messages in turn.
/// For powers of two and even tiles these are the paper's closed formulas.
class PointToPointModel : public CostModel {
 public:
  using CostModel::transfer_seconds;
  [[nodiscard]] double transfer_seconds(const ClassifiedSchedule& transfer, Packing packing) const final;
  [[nodiscard]] std::optional<double> tree_seconds(TransferKind kind, std::span<const Subtree> subtrees,
                                                   Packing packing, KnownMessages& known) const final;
  [[nodiscard]] double least_seconds(const TransferOutline& outline, Packing packing, KnownMessages& known,
                                     double enough) const final;
  [[nodiscard]] bool counts_forms_only() const final { return true; }
  /// What a rank of a chain waits between two messages, beyond their full paths (LogP's g).
  [[nodiscard]] virtual double between_messages_seconds() const { return 0; }

 protected:
  /// The words of statement().transfer.
  [[nodiscard]] static std::string transfer_rule();
};

}  // namespace tilewright
