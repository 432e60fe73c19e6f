// Messages that all ranks of a team take part in, timed by the slowest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "disturbance.hpp"
#include "marked_samples.hpp"
#include "message_team.hpp"
#include "tilewright/model/machine_profile.hpp"
#include "tilewright/runtime/common_start.hpp"
#include "tilewright/runtime/schedule_runner.hpp"

namespace tilewright {

/// Who sends to whom, round by round; in a round a rank sends at most one message and receives at most one.
using PatternRounds = std::vector<std::vector<std::pair<int, int>>>;  // sender, receiver
/// The rounds of Path::shift (all to the next rank, then all to the one before), of Path::swap (the first four,
/// in pairs: to the second of them, then to the first) or of one of all_patterns. Throws InternalError for another
/// path.
[[nodiscard]] PatternRounds rounds_of(Path pattern, int ranks);

/// Of shifts and swaps: a plan has an exchange between two computations, and begins it so.
inline constexpr int repeats_of_exchange = 1;

/// What is left of the pattern's messages is measured while ranks work.
constexpr bool passes_meanwhile(Path path) {
  return is_left_of_exchange(path) || path == Path::collected;
}

/// One rank's part.
class Pattern {
 public:
  /// There is memory for each of these cells.
  Pattern(const MessageTeam& team, const std::vector<PathCell>& all);

  /// Seconds of a sample, the mean of `repeats` without a pause, and whether any rank was disturbed; on the root.
  /// Collective.
  [[nodiscard]] MarkedSample sample(const PathCell& cell, int repeats);
  /// How often a pattern is repeated in a sample, so that where ranks begin a little apart does not tell. Collective.
  [[nodiscard]] int repeats_of(const PathCell& cell);
  /// What the last sample took by itself, without what was made ready for it; on the root.
  [[nodiscard]] double last_seconds() const { return last_s_; }

 private:
  [[nodiscard]] bool takes_part() const { return team_.has_this_rank(); }
  [[nodiscard]] bool was_disturbed() const { return takes_part() && watch_.was_disturbed(); }
  [[nodiscard]] MarkedSample sample_overlapped(const PathCell& cell, int turns);
  [[nodiscard]] int repeats_of_overlapped(int turns);
  [[nodiscard]] int turns_for(const PathCell& cell);
  [[nodiscard]] MutableView tile_of(const PathCell& cell);
  void exchange(const Schedule& schedule, const ScheduleBuffers& buffers) const;
  void rest() const;
  void sweep_caches(std::int64_t bytes);
  void work(int turns);

  const MessageTeam& team_;
  const Communicator& communicator_;
  CommonStart start_;
  DisturbanceWatch watch_;
  std::vector<std::byte> memory_;
  std::vector<std::byte> swept_;
  double last_s_ = 0;
  std::int64_t turn_ = 0;
};

}  // namespace tilewright
