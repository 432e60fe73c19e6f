// A few cells that tell later whether a profile still holds.
#pragma once

#include <string>
#include <vector>

#include "tilewright/model/machine_profile.hpp"
#include "tilewright/runtime/communicator.hpp"

namespace tilewright {

/// One cell, then and now.
struct Sentinel {
  std::string cell;
  Estimate then;  ///< as the last refresh has found it
  Estimate now;
  /// now / then - 1.
  [[nodiscard]] double drift() const { return now.seconds / then.seconds - 1; }
  /// Whether it is more than a quarter, and more than three times what the two measurements vary.
  [[nodiscard]] bool has_drifted() const;
};

/// The messages among the sentinels of a profile: the empty one, one that every MPI sends at once, and a long one; a
/// stream of middle size; and the shortest blocks. Of each the nearest cell that the profile has.
[[nodiscard]] std::vector<PathCell> sentinel_messages(const MachineProfile& profile);
/// The operators among them: a filter, a copy and a square root of floats, on a tile of the root alone.
[[nodiscard]] std::vector<OperatorCell> sentinel_operators(const MachineProfile& profile);

/// Whether it is of floats, and was measured by one rank and one thread while others waited: so that the root can
/// measure it again by itself.
[[nodiscard]] bool is_of_root_alone(const OperatorCell& cell);

/// Why measure_sentinels() finds nothing of the profile to measure again on so many ranks; empty if it does.
[[nodiscard]] std::string nothing_to_measure(const MachineProfile& profile, int ranks);

/// Measures operators of the profile again, by one thread of this rank alone, for about `budget_s`. Cells without a
/// benchmark, as imported ones may be, are left out.
[[nodiscard]] std::vector<Sentinel> measure_again(const MachineProfile& profile, const std::vector<OperatorCell>& cells,
                                                  double budget_s);
/// Those that sentinel_operators() names.
[[nodiscard]] std::vector<Sentinel> measure_sentinel_operators(const MachineProfile& profile, double budget_s);

/// Measures them all again, for about `budget_s`: operators only, if there is one rank. On the root; empty elsewhere.
/// `profile` is the root's. Collective.
[[nodiscard]] std::vector<Sentinel> measure_sentinels(const Communicator& communicator, const MachineProfile& profile,
                                                      double budget_s);

}  // namespace tilewright
