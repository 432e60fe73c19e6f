// How much of the processor this process may use.
#pragma once

#include <limits>
#include <string>

namespace tilewright {

/// What a process may use of its node.
struct CoreShare {
  std::string mask;                                        ///< a '1' for each core that it may run on, by core number
  double quota = std::numeric_limits<double>::infinity();  ///< of its control group, in cores
  double period_s = 0;                                     ///< in which the quota is granted anew; 0 without one

  /// Cores, the quota counted.
  [[nodiscard]] double cores() const;
};

[[nodiscard]] CoreShare share_of_this_process();
/// Its mask alone, which is that of the thread that asks.
[[nodiscard]] std::string cores_of_this_thread();
/// From now on this thread may run on those cores, and on no others. Whether the system has it so.
[[nodiscard]] bool run_on(const std::string& mask);
/// All cores that one of both may run on.
[[nodiscard]] std::string united(const std::string& mask_a, const std::string& mask_b);

}  // namespace tilewright
