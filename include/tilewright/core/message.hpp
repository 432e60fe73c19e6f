// The words of messages and transfers: paths, layouts, algorithms, packings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tilewright {

/// What is timed. Of a message between two ranks (P-3PC, section 3.1): the send call, the receive call, or from the
/// start of the send until the receiver has stored the data. Beyond that paper, what other models are made of:
///   shift         the full path while every rank sends to its one neighbour and receives from the other
///   swap          the full path while ranks are in pairs, of which one sends, then the other
///   exposed       what is left of a shift that passes while its ranks work
///   exposed_swap  what is left of a swap
///   collected     what is left of all-to-one that passes while rank 0 works
///   overhead      the send call of a message that travels alone (o of LogP)
///   to_self       a message from a rank to itself, until it is stored (T00 of log_3P, section 4.1)
///   copy          copying memory (T_mem of log_3P)
///   barrier       until all ranks have come and gone (L of BSP)
///   passing       of so many bytes, shared out among the ranks of a node, each writes one in every line of its part
///   shared        a scatter through memory that the ranks of a node share, in which each of them copies so much
///   shared_gather a gather through it
///   message_scatter  a scatter by messages between ranks that share memory, as a whole
///   shared_warm, shared_gather_warm, message_scatter_warm  the same where little else passes through the caches
///                 between one run and the next, and no time
///   shared_rested, shared_gather_rested, message_scatter_rested  the same where ranks compute for `rested_run_s`
///                 (warmth.hpp; shared_rested is not measured any more)
///   shared_spilled, shared_gather_spilled, message_scatter_spilled  as warm, but that caches of single cores have lost
///   it
/// and patterns in which all P ranks take part (Juurlink and Rieping, section 4.2), each with messages of the same
/// size:
///   one_to_one          rank i sends P-1 of them to rank i + P/2
///   all_to_all          each sends one to each other, in turns
///   one_to_all          rank 0 sends one to each other
///   all_to_one          each other sends one to rank 0
///   all_to_one_to_all   both at once
enum class Path : std::uint8_t {
  send,
  recv,
  full,
  shift,
  swap,
  exposed,
  exposed_swap,
  collected,
  overhead,
  to_self,
  copy,
  barrier,
  one_to_one,
  all_to_all,
  one_to_all,
  all_to_one,
  all_to_one_to_all,
  passing,
  shared,
  shared_gather,
  message_scatter,
  shared_warm,
  shared_gather_warm,
  message_scatter_warm,
  shared_rested,
  shared_gather_rested,
  message_scatter_rested,
  shared_spilled,
  shared_gather_spilled,
  message_scatter_spilled
};
inline constexpr std::size_t path_count = 30;
/// P-3PC's, of two ranks.
inline constexpr Path all_paths[] = {Path::send, Path::recv, Path::full};
[[nodiscard]] constexpr bool is_of_two_ranks(Path path) {
  return path == Path::send || path == Path::recv || path == Path::full;
}
/// What one of both ends takes of messages in a stream.
[[nodiscard]] constexpr bool is_of_one_end(Path path) {
  return path == Path::send || path == Path::recv;
}
/// Those of all ranks, with one message a pair.
inline constexpr Path all_patterns[] = {Path::one_to_one, Path::all_to_all, Path::one_to_all, Path::all_to_one,
                                        Path::all_to_one_to_all};

/// Whether it is a full path in a pattern of border exchanges.
[[nodiscard]] constexpr bool is_of_exchange(Path path) {
  return path == Path::shift || path == Path::swap;
}
/// Whether it is what is left of one that passes while ranks work.
[[nodiscard]] constexpr bool is_left_of_exchange(Path path) {
  return path == Path::exposed || path == Path::exposed_swap;
}

/// Whether no message of pixels is sent.
[[nodiscard]] constexpr bool is_through_shared_memory(Path path) {
  return path == Path::shared || path == Path::shared_gather || path == Path::shared_warm ||
         path == Path::shared_gather_warm || path == Path::shared_rested || path == Path::shared_gather_rested ||
         path == Path::shared_spilled || path == Path::shared_gather_spilled;
}

/// How the data lie in memory, sender then receiver: contiguous or non-contiguous (P-3PC, section 3.3).
enum class Layout : std::uint8_t { cc, cn, nc, nn };
inline constexpr Layout all_layouts[] = {Layout::cc, Layout::cn, Layout::nc, Layout::nn};

/// The layout of a message, from the way both of its ends are stored.
[[nodiscard]] Layout layout_of(bool sender_contiguous, bool receiver_contiguous);
[[nodiscard]] bool sender_contiguous(Layout layout);
[[nodiscard]] bool receiver_contiguous(Layout layout);

/// How non-contiguous data are handed to MPI: described by a derived datatype; copied into a buffer by us, which is
/// sent as a whole; or that in pieces, of which one travels while the next is copied (log_nP, section 6).
enum class Packing : std::uint8_t { datatype, manual, blocked };
inline constexpr Packing all_packings[] = {Packing::datatype, Packing::manual, Packing::blocked};
/// The pieces of a blocked message: the first cache holds one, and MPI sends it without asking the receiver first, for
/// a question and its answer would queue behind the data of the other direction (docs/design.md). A message of one
/// piece is the same as one that is packed by hand.
inline constexpr std::int64_t piece_bytes = 16 * 1024;
/// How a contiguous message of that packing travels: in pieces, or as it is.
[[nodiscard]] Packing travels_as(Packing packing);

/// A message as cost models see it: rows of `block_bytes` bytes, which begin `sender_stride` bytes apart in the
/// sender's memory and `receiver_stride` in the receiver's. Where an end is contiguous its stride does not count.
struct MessageForm {
  Layout layout = Layout::cc;
  std::int64_t bytes = 0;
  std::int64_t block_bytes = 0;
  std::int64_t sender_stride = 0;
  std::int64_t receiver_stride = 0;
  Packing packing = Packing::datatype;
  bool within_node = false;  ///< both ends are ranks of one node
  int on_link = 1;           ///< messages that leave, or enter, a node together with this one and share its link
  bool operator==(const MessageForm&) const = default;
};

/// Movements of an image between placements.
enum class TransferKind : std::uint8_t { scatter, gather, broadcast, allgather, exchange, redistribute };

/// Whether it goes along a tree, of which there is a choice.
[[nodiscard]] constexpr bool goes_along_tree(TransferKind kind) {
  return kind == TransferKind::scatter || kind == TransferKind::gather || kind == TransferKind::broadcast;
}

/// How a transfer gets pixels to their ranks: messages along a one-level flat tree or a spanning binomial tree (P-3PC,
/// Fig. 5); or without messages of pixels, where all ranks are on one node: the root has the image in memory that they
/// share, and each copies its own part.
enum class Algorithm : std::uint8_t { oft, sbt, shared };
inline constexpr Algorithm all_trees[] = {Algorithm::oft, Algorithm::sbt};
inline constexpr Algorithm all_algorithms[] = {Algorithm::oft, Algorithm::sbt, Algorithm::shared};

[[nodiscard]] std::string_view to_string(Path path);
[[nodiscard]] std::string_view to_string(Layout layout);
[[nodiscard]] std::string_view to_string(TransferKind kind);
[[nodiscard]] std::string_view to_string(Algorithm algorithm);
[[nodiscard]] std::string_view to_string(Packing packing);

/// These throw ParameterError for an unknown name.
[[nodiscard]] Path parse_path(std::string_view text);
[[nodiscard]] Layout parse_layout(std::string_view text);
[[nodiscard]] TransferKind parse_transfer_kind(std::string_view text);
[[nodiscard]] Algorithm parse_algorithm(std::string_view text);
[[nodiscard]] Packing parse_packing(std::string_view text);

}  // namespace tilewright
