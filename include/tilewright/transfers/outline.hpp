// A few messages of a transfer that stand for all, made without its schedule: what lower bounds of its cost are made
// of.
#pragma once

#include <cstdint>
#include <vector>

#include "tilewright/transfers/schedule.hpp"

namespace tilewright {

/// Messages of one form.
struct AlikeMessages {
  MessageForm form;
  std::int64_t count = 1;
  bool operator==(const AlikeMessages&) const = default;
};

/// One message of a round of an exchange, or of so many rounds of a redistribution.
struct RoundOutline {
  MessageForm form;
  bool shift = false;  ///< some rank both sends and receives in the round
  std::int64_t count = 1;
  bool operator==(const RoundOutline&) const = default;
};

/// What can be told of the schedule for `spec` in a time that hardly grows with the ranks.
struct TransferOutline {
  TransferSpec spec;
  /// Of a tree: all that the root sends (receives, for a gather); the last message of a flat tree is in the last place.
  std::vector<AlikeMessages> of_root;
  /// Of an exchange: every round, with a message of it that the rank with the largest tile sends or receives, or, where
  /// the grid's mapping is given, that passes between nodes, if any does. Of a
  /// redistribution: the rounds in which rank 0, which has the largest tile, sends, alike ones together. Of an
  /// allgather: the hops of the largest tile.
  std::vector<RoundOutline> rounds;
  /// So many messages of a flat tree stay within the root's node, and no more of a redistribution, or of an allgather
  /// within any node. Which ones is not told, but that it is not the last one, unless it is all.
  std::int64_t within_root_node = 0;
  /// False of a sketch: `of_root` has some of the root's messages only, none of which need be the last one.
  bool is_whole = true;
};

/// Throws ParameterError as make_schedule() does.
[[nodiscard]] TransferOutline make_outline(const TransferSpec& spec);

/// The outline of a tree with a few of the root's messages, those with most of the bytes: they often tell already that
/// the transfer takes too long, and are made much faster. The transfer is a scatter or a gather.
[[nodiscard]] TransferOutline make_sketch(const TransferSpec& spec);

/// Of a tree: how many messages the root sends, or receives, for a gather.
[[nodiscard]] int root_messages(const TransferSpec& spec);

/// A lower bound of Schedule::copied_bytes() of the transfer's schedule; exact but for a scatter with halos and a
/// redistribution.
[[nodiscard]] std::int64_t least_copied_bytes(const TransferSpec& spec);

/// Of a transfer through shared memory: what the rank that copies most copies, as a message between the image and the
/// place where the rank has it.
[[nodiscard]] MessageForm largest_copy(const TransferSpec& spec);

/// The smallest exchange that has the same forms of messages, round by round, and the same shifts: that of a grid with
/// up to four columns and up to four rows, or, where nodes have blocks of it, with up to four blocks a side; on uneven
/// tiles, or where nodes have no blocks, the exchange itself.
[[nodiscard]] TransferSpec smallest_alike(const TransferSpec& exchange);

}  // namespace tilewright
