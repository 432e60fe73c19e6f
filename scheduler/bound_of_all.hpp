// A lower bound of plans that a cut graph does not hold: of those on one grid with the deepest halos, too.
#pragma once

#include <vector>

#include "relaxation.hpp"

namespace tilewright {

/// A configuration, and what is known of it: no plan takes less, however deep its halos are.
struct BoundedConfiguration {
  Configuration configuration;
  double least_seconds = 0;
  Counted counted = Counted::work;  ///< in that: work, or results
};

/// No plan in any of these configurations takes less. Seconds; infinity if none is possible. Takes a while: where tens
/// of grids are about equally good, each has to be looked at.
[[nodiscard]] double bound_of_all(const Pipeline& pipeline, const MachineProfile& profile, const CostModel& model,
                                  const SearchSpace& space, const Offer& offer,
                                  const std::vector<BoundedConfiguration>& configurations);

}  // namespace tilewright
