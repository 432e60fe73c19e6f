// Signs from outside that a measurement was disturbed. They mark samples (`counted()` leaves marked ones out where they
// are a quarter at most), so that none is ever cut by its value.
#pragma once

#include <cstdint>
#include <filesystem>

#include "tilewright/runtime/communicator.hpp"

namespace tilewright {

/// What has been taken from this process by now, as the kernel counts it.
struct Disturbance {
  double stolen_s = 0;            ///< from this virtual machine, over all of its processors
  long involuntary_switches = 0;  ///< of this process
  long throttled = 0;             ///< periods in which its control group had used up its ration
};

/// What it tells that a process is switched off.
enum class Switches : std::uint8_t {
  foreign,        ///< it has a core of its own, which a stranger took
  beyond_ration,  ///< that its ration was used up, or that a stranger took the core
  own,            ///< nothing: the ranks of this run share cores, and take them from each other
};

/// Of this rank, as it works when it does not rest.
[[nodiscard]] Switches switches_of(const Communicator& communicator);

/// Whether more than a twentieth of the `elapsed_s` was stolen, or the process was switched off more than once in 10 ms
/// by strangers. Its control group switches it off once in each period whose ration it uses up. Pure.
[[nodiscard]] bool is_disturbed(const Disturbance& taken, double elapsed_s, Switches switches);

/// Tells of one measurement after another whether it was disturbed. To look takes some 10 us.
class DisturbanceWatch {
 public:
  /// If the control group does not tell how often it was throttled, switches tell nothing where there are rations.
  /// `root` is where the file systems of the kernel are, "/" but in tests.
  explicit DisturbanceWatch(Switches switches, const std::filesystem::path& root = "/");

  /// A measurement begins.
  void begin();
  /// Since then.
  [[nodiscard]] bool was_disturbed() const;
  /// Zeros where the kernel does not tell.
  [[nodiscard]] Disturbance so_far() const;
  [[nodiscard]] Switches switches() const { return switches_; }

 private:
  std::filesystem::path processors_;  ///< their times
  std::filesystem::path throttling_;  ///< of the control group; empty if it does not tell
  Switches switches_;
  Disturbance before_;
  double begin_s_ = 0;
};

}  // namespace tilewright
