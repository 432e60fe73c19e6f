// Lets ranks begin at one instant, so that none's time counts another's lateness.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "tilewright/runtime/communicator.hpp"

namespace tilewright {

/// A barrier lets its ranks go one by one, over as long as its messages take, and has cost them processor time that a
/// rank with a share of a core then lacks. Here the root names an instant a little ahead, and all sleep until then. A
/// rank with a core of its own stays awake, as it does in a run: a core that has slept for 5 ms begins its next message
/// 20 to 50 us late and finds its caches empty, which makes copies within a machine take up to four times as long.
class CommonStart {
 public:
  using Clock = std::chrono::steady_clock;

  enum class Clocks : std::uint8_t { of_kernels, compared };

  /// Ranks under one kernel have one clock; others' clocks are compared, as all are if that is asked for. Collective.
  explicit CommonStart(const Communicator& communicator, Clocks clocks = Clocks::of_kernels);
  /// Once all ranks have come: returns at the instant that the root has named, or at once where word of it came too
  /// late. Collective.
  void wait() const;
  /// Seconds that the slowest rank takes for its part of what all begin at one instant; on the root, 0 elsewhere.
  /// Collective.
  [[nodiscard]] double slowest_s(const std::function<void()>& part) const;
  /// On the root.
  struct Together {
    double slowest_s = 0;
    bool any = false;
  };
  /// The same, and whether any rank says yes when it is asked after its part. Collective.
  [[nodiscard]] Together together(const std::function<void()>& part, const std::function<bool()>& question) const;
  /// What this rank's clock shows, less what the root's does.
  [[nodiscard]] Clock::duration ahead_of_root() const { return ahead_of_root_; }

 private:
  void compare_clocks();
  [[nodiscard]] Clock::duration answer_root() const;
  void ask(int rank) const;
  [[nodiscard]] Clock::duration typical_barrier() const;
  [[nodiscard]] bool stays_awake() const;

  const Communicator& communicator_;
  Clock::duration ahead_of_root_{0};
  Clock::duration notice_{0};  ///< how far ahead the instant lies; the root's
};

}  // namespace tilewright
