// The tags of all messages that carry out plans: no two kinds share one.
#pragma once

#include <cstddef>

namespace tilewright {

inline constexpr int largest_tag = 32767;  // that every MPI has

/// Rounds of schedules, and as many answers to their messages, from there on. Rounds so far apart that they share a tag
/// come in order: MPI delivers two messages from one rank to another as they were sent.
inline constexpr int round_tags = 8192;
inline constexpr int first_answer_tag = round_tags;
/// Gathers in turn, which are under way while schedules are run.
inline constexpr int first_collection_tag = first_answer_tag + round_tags;
inline constexpr int collection_tags = 16383;
/// What goes to ranks beyond the plan's.
inline constexpr int idle_tag = first_collection_tag + collection_tags;
static_assert(idle_tag <= largest_tag);

[[nodiscard]] constexpr int tag_of_round(std::size_t round) {
  return static_cast<int>(round % round_tags);
}
[[nodiscard]] constexpr int tag_of_answer(int tag_of_round) {
  return first_answer_tag + tag_of_round;
}
/// `number` counts the plan's gathers in turn.
[[nodiscard]] constexpr int tag_of_collection(int number) {
  return first_collection_tag + number % collection_tags;
}

}  // namespace tilewright
