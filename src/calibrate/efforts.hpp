// What the efforts of a calibration mean.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tilewright/calibrate/calibrate.hpp"

namespace tilewright {

struct EffortTraits {
  Effort effort;
  std::string_view name;
  double budget_s;
  /// Over everything: for half a minute and longer a virtual machine may be in one state, in which messages take twice
  /// the time of the other. An even number of several: ranks change places. A thorough calibration has rounds of its
  /// own.
  int goes;
  int passes;                                       ///< over all messages; an odd number has a middle
  int fewest_passes;                                ///< over those of patterns, even if there is no time left
  int fewest_refinements;                           ///< as of PathEffort
  int fewest_overlapped_passes;                     ///< the same, over those that pass while ranks work
  int most_exchange_sizes;                          ///< 0: all
  int operator_samples;                             ///< of a cell, at most
  int operator_rounds;                              ///< over all operators, at least, which share its time
  std::array<std::int64_t, 7> sides;                ///< of tiles; 0: none
  std::array<std::int64_t, 2> block_message_sizes;  ///< in bytes; 0: none
  std::array<std::int64_t, 2> block_message_sizes_where_rationed;  ///< the same
  std::int64_t block_growth;                                       ///< as of PathEffort
  std::int64_t block_growth_where_rationed;                        ///< the same: each cell takes a long burst
  std::array<std::int64_t, 3> overlapped_sizes;                    ///< the same
  /// From what a tile has that is worth being served in turn to what a system may have no room for.
  std::array<std::int64_t, 2> collected_sizes;
};

[[nodiscard]] const EffortTraits& traits_of(Effort effort);

/// The shares of the budget that messages get where there are partners to send them to: the paper's, those that tell
/// what blocks cost, the patterns of all ranks, and shared memory.
inline constexpr double share_of_paths = 0.23;
inline constexpr double share_of_blocks = 0.21;
inline constexpr double share_of_patterns = 0.12;
inline constexpr double share_of_sharing = 0.02;
/// A message may take this share of the time of the paper's messages, or so long at least: over a slow wire the longest
/// would leave a quick calibration no time for the others, and they take as much longer as they are.
inline constexpr double share_of_message = 0.02;
inline constexpr double least_longest_message_s = 0.05;
/// Of that of messages, where those within a node are measured beside others: they are quicker.
inline constexpr double share_within_node = 0.35;
inline constexpr double share_of_all_messages = share_of_paths + share_of_blocks + share_of_patterns + share_of_sharing;

/// What an array of the traits has.
template <std::size_t N>
[[nodiscard]] std::vector<std::int64_t> without_zeros(const std::array<std::int64_t, N>& values) {
  std::vector<std::int64_t> kept(values.begin(), values.end());
  std::erase(kept, 0);
  return kept;
}

}  // namespace tilewright
