// Lets ranks begin at one instant, so that none's time counts another's lateness.
#pragma once

#include <chrono>

#include "tilewright/runtime/communicator.hpp"

namespace tilewright {

/// A barrier lets its ranks go one by one, over as long as its messages take, and has cost them processor time that a
/// rank with a share of a core then lacks. Here the root names an instant a little ahead, and all sleep until then.
class CommonStart {
 public:
  using Clock = std::chrono::steady_clock;

  /// Compares the ranks' clocks. Collective.
  explicit CommonStart(const Communicator& communicator);
  /// Returns at the instant that the root has named, or at once where word of it came too late. Collective.
  void wait() const;

 private:
  void compare_clocks();
  [[nodiscard]] Clock::duration answer_root() const;
  void ask(int rank) const;

  const Communicator& communicator_;
  Clock::duration ahead_of_root_{0};  ///< this rank's clock
  Clock::duration notice_{0};         ///< how far ahead the instant lies; the root's
};

}  // namespace tilewright
