// A rank that stays on one processor while something is measured.
#pragma once

#include <optional>
#include <string>

#include "tilewright/runtime/communicator.hpp"

namespace tilewright {

/// While it lives, the thread that has made it runs on one core; then again on those that it had before.
///
/// Processors of a node are not alike: one may have a busy neighbour, or less of a cache. Where the system lets two
/// ranks run for the length of a program decides which of both packs slowly, and it is another way round next time.
class PinnedRank {
 public:
  /// Whether a rank would stay on a core: not if it is alone on the root's node or on another one, where ranks
  /// outnumber cores, where a launcher has chosen already (a rank has no core to spare), and where processors are
  /// rationed.
  [[nodiscard]] static bool is_possible(const Communicator& communicator);
  /// The ranks of the root's node take a core each, of those that this rank may use, by their number; each the next one
  /// if `shift` is 1. Does nothing where it is not possible.
  PinnedRank(const Communicator& communicator, int shift);
  ~PinnedRank();
  PinnedRank(const PinnedRank&) = delete;
  PinnedRank& operator=(const PinnedRank&) = delete;

 private:
  std::optional<std::string> before_;  ///< a '1' for each core
};

}  // namespace tilewright
