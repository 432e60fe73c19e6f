// Signs from outside that a measurement was disturbed.
#pragma once

namespace tilewright {

/// What others have taken from this process by now, as the kernel counts it.
struct Disturbance {
  double stolen_s = 0;            ///< from this virtual machine, over all of its processors
  long involuntary_switches = 0;  ///< of this process
};

/// Zeros where the kernel does not tell.
[[nodiscard]] Disturbance disturbance_so_far();

/// Tells of one measurement after another whether it was disturbed.
class DisturbanceWatch {
 public:
  /// `owns_core`: no one else is meant to run on this rank's core, and its time is not rationed. Otherwise being
  /// switched off is what it has to live with, and looking for signs would take what little time it has: nothing is
  /// disturbed.
  explicit DisturbanceWatch(bool owns_core) : owns_core_(owns_core) {}

  /// Since the last call (or the start): whether more than a twentieth of the `elapsed_s` was stolen, or the process
  /// was switched off more than once in 10 ms.
  [[nodiscard]] bool was_disturbed(double elapsed_s);

 private:
  bool owns_core_;
  Disturbance before_;
};

}  // namespace tilewright
