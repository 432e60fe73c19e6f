// Measures single messages between two ranks, as a calibration does.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tilewright/model/machine_profile.hpp"
#include "tilewright/runtime/communicator.hpp"

namespace tilewright {

struct MessageEffort {
  int passes = 11;         ///< over all messages
  double budget_s = 10;    ///< each is measured at least once
  std::uint64_t seed = 1;  ///< of the order in which they are measured
  /// The state of the machine that is asked for: what the empty message, contiguous, took there and back again when it
  /// was in that state (states.hpp). 0: that in which it is for most of the time. The root's.
  double state_s = 0;
  /// Called on the root: share of the work that is done, 0 to 1, and what is measured now.
  std::function<void(double, const std::string&)> on_progress = nullptr;
};

/// A virtual machine's processors are near to each other or far apart, and their cores are shared with strangers or
/// not, for seconds or minutes at a time. What the empty message takes, measured among all others, tells.
struct TimedMessage {
  PathCell cell;              ///< with its time in the state asked for, as long as it was measured in it
  Estimate of_any_state;      ///< its time from all samples
  std::int64_t in_state = 0;  ///< samples that were taken in the state
};

[[nodiscard]] std::vector<PathCell> cells_of(const std::vector<TimedMessage>& messages);

/// The cells with their times, on the root; empty elsewhere. Paths are those of two ranks: send, recv, full, overhead,
/// and to_self and copy, which the root measures alone. The messages travel between the root and the first rank on
/// another node, or rank 1; where the ranks of the root's node have a core each, the two change places at half of the
/// time, and a cell's time is the mean of both (PinnedRank), of those with samples of the state if one has. `cells` are
/// the root's. Collective over 2 ranks or more; throws ParameterError for less.
[[nodiscard]] std::vector<TimedMessage> measure_messages(const Communicator& communicator, std::vector<PathCell> cells,
                                                         const MessageEffort& effort);

/// The time of Path::barrier, Path::shift, Path::swap or one of all_patterns with contiguous messages of `bytes` bytes:
/// what the slowest rank takes (half of it for a shift or a swap), as a calibration has it; on the root. Collective
/// over 2 ranks or more. No run and no calibration needs it: it is for programs that compare patterns by themselves, as
/// the papers' figures (tests/papers).
[[nodiscard]] Estimate measure_pattern(const Communicator& communicator, Path pattern, std::int64_t bytes, int samples);

}  // namespace tilewright
