// A transfer as a value: who sends which rectangle to whom, in which order, stored how.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/core/grid.hpp"
#include "tilewright/core/message.hpp"
#include "tilewright/core/pixel.hpp"

namespace tilewright {

/// The buffers of one image on one rank.
enum class Buffer : std::uint8_t {
  whole,    ///< the whole image: on the root, or on every rank when replicated
  shared,   ///< the root's whole image, in memory that all ranks of the transfer see
  tile,     ///< what the rank owns, with its halo
  former,   ///< what it owned on the grid before, with its halo
  forward,  ///< pixels of other ranks, on their way through an inner node of a tree
};
[[nodiscard]] std::string_view to_string(Buffer buffer);

/// A message that keeps the link busy for less is not worth an answer.
inline constexpr std::int64_t smallest_answered_bytes = 64 * 1024;

/// What is asked for. Rank 0 is the root; ranks beyond the grid's take no part.
struct TransferSpec {
  TransferKind kind = TransferKind::scatter;
  std::optional<Algorithm> algorithm = {};  ///< none for an exchange and for a redistribution
  ProcessGrid grid = {};
  ImageShape image = {};
  Halo storage = {};    ///< the halo around each tile in memory
  Halo exchanged = {};  ///< how much of it is filled by an exchange, or comes along with a scatter (inside the image)
  bool cyclic = false;  ///< exchange: across the image's edges too, for a wrap border
  Packing packing = Packing::datatype;  ///< of the ends of messages that are not contiguous
  ProcessGrid former = {};  ///< redistribute: whose tiles the pixels lie on; `grid` is that of those they come to
  /// OFT scatter: each rank has its tile before the next one is sent its own. OFT gather: the root has been ready for
  /// all tiles since such a scatter, so that none waits to be asked for.
  bool in_turn = false;
  bool operator==(const TransferSpec&) const = default;
};

/// One message: the pixels `source_area` of the sender's buffer arrive as `target_area` of the receiver's.
/// Both have the same size, and differ only in a cyclic exchange. Without any pixels it is a notice.
struct Message {
  int sender = 0;
  int receiver = 0;
  Rect source_area;
  Rect target_area;
  Buffer source = Buffer::tile;
  Buffer target = Buffer::tile;
  /// The sender waits for an empty answer before its next message.
  bool acknowledged = false;
  /// The sender waits for an empty message of the receiver before it begins.
  bool granted = false;
  bool operator==(const Message&) const = default;
};

/// A copy that one rank makes, of what it has or of what all share.
struct LocalCopy {
  int rank = 0;
  Rect area;
  Buffer source = Buffer::whole;
  Buffer target = Buffer::tile;
  bool operator==(const LocalCopy&) const = default;
};

/// Messages that may be under way together. In a round each rank sends at most one message and receives at most one;
/// it posts the receive first, then sends, then completes both. A rank goes through the rounds in order and skips
/// those that do not name it, so no cycle of waits can form, even with synchronous sends.
using Round = std::vector<Message>;

/// Immutable; made by make_schedule, priced by the scheduler, executed by the runtime.
struct Schedule {
  TransferSpec spec;
  std::vector<Rect> tiles;     ///< by rank: the pixels owned, without halo
  std::vector<Rect> forwards;  ///< by rank: the pixels its forward buffer holds, possibly none
  std::vector<Rect> former;    ///< redistribute, by rank: the pixels owned before
  std::vector<LocalCopy> copies_before;
  std::vector<Round> rounds;
  std::vector<LocalCopy> copies_after;
  std::vector<Round> last_rounds;  ///< after the copies: notices that they have been made

  /// The pixels that `buffer` of `rank` has room for.
  [[nodiscard]] Rect stored(int rank, Buffer buffer) const;
  /// Contiguous if the rows fill the pitch, or if there is only one.
  [[nodiscard]] bool contiguous(int rank, Buffer buffer, const Rect& area) const;
  [[nodiscard]] Layout layout(const Message& message) const;
  /// All that a cost may depend on.
  [[nodiscard]] MessageForm form(const Message& message) const;
  [[nodiscard]] std::int64_t bytes(const Message& message) const;

  /// Messages and bytes of all rounds, notices counted, answers not.
  [[nodiscard]] std::int64_t message_count() const;
  [[nodiscard]] std::int64_t message_bytes() const;
  /// Bytes copied locally by the rank that copies most.
  [[nodiscard]] std::int64_t copied_bytes() const;
  /// Bytes that a rank needs meanwhile, beside the image: its forward buffer, and what is packed by hand of the
  /// messages under way, those of one round and of the next.
  [[nodiscard]] std::int64_t scratch_bytes(int rank) const;
  /// The same of every rank.
  [[nodiscard]] std::vector<std::int64_t> scratch_bytes() const;
  /// The layouts that occur, for people: "nc" or "cc+nc".
  [[nodiscard]] std::string layouts() const;

 private:
  /// From one row to the next: a tile is a raster, whose rows may have gaps between them.
  [[nodiscard]] std::int64_t pitch_bytes(int rank, Buffer buffer) const;
  /// By rank, what is packed by hand of the messages of one round and of the next.
  [[nodiscard]] std::vector<std::int64_t> packed_bytes() const;
};

/// The form of a message of `area`, whose rows lie so many bytes apart at either end.
[[nodiscard]] MessageForm form_of(const Rect& area, std::int64_t sender_pitch_bytes, std::int64_t receiver_pitch_bytes,
                                  const TransferSpec& spec);

/// Throws ParameterError if the algorithm is missing, or present for a transfer that has no choice.
void check_algorithm(const TransferSpec& spec);

/// How the messages of a scatter, gather or broadcast follow from each other, which bounds and prices go by.
enum class TreeShape : std::uint8_t {
  flat,      ///< the root has one for each rank
  binomial,  ///< ranks hand on halves of what they have got
};
/// Throws InternalError for an algorithm that sends no messages, or whose bounds and prices nobody has written.
[[nodiscard]] TreeShape tree_shape(const TransferSpec& spec);

/// Whether no rank sends what it receives, so that all messages can be on their way at once: of an exchange across the
/// cuts of one direction. In two the corners travel on.
[[nodiscard]] bool is_of_one_phase(const TransferSpec& spec);

/// The schedule for `spec`. Pure and deterministic.
/// Sources: P-3PC Fig. 5 to 7; trees for any number of ranks as DESIGN "Sending" has it.
/// An exchange is made even where the halo exceeds a tile, so that it can be priced; why_infeasible tells.
/// Throws ParameterError as check_algorithm() does.
[[nodiscard]] Schedule make_schedule(const TransferSpec& spec);

/// One line a message, in order; for people and tests.
[[nodiscard]] std::string describe(const Schedule& schedule);

}  // namespace tilewright
