// Pairs of grids between which images may change, bounded together before they are candidates.
#pragma once

#include <cstdint>
#include <vector>

#include "relaxation.hpp"

namespace tilewright {

/// What plans on two grids have of an offer. A second grid is for operators that would need wide borders: exchanges
/// that are left are thin, and waited for.
[[nodiscard]] Offer offer_of_two_grids(Offer offer, const SearchSpace& space);

/// Whether the search looks at plans that change the grid: a change pays where one operator reaches far along x and
/// another one far along y. A forced one is looked at anyway.
[[nodiscard]] bool may_regrid(const Pipeline& pipeline, const SearchSpace& space);

/// The pairs of grids of so many ranks, before they are candidates.
struct RegridGroup {
  int ranks = 1;
  double least_seconds = 0;                         ///< none of them takes less
  std::vector<Configuration> grids;                 ///< any two of which are a pair, if both number the ranks alike
  bool is_open = true;                              ///< they are no candidates yet
  Counted counted = Counted::work;                  ///< in least_seconds
  std::vector<std::vector<BoundParts>> parts = {};  ///< of each of the grids, from when more than work counts
};

/// Bounds what plans on two grids take; their halos are no deeper than their readers need.
class RegridBounds {
 public:
  /// `offer`: of plans on one grid.
  RegridBounds(const Pipeline& pipeline, const SearchSpace& space, const Offer& offer)
      : shallow_(pipeline, 0, offer_of_two_grids(offer, space), space.counted) {}

  /// Counts more in the bound of a group. Touches nothing but the group and the pricer.
  void bound_more(RegridGroup& group, TransitionPricer& pricer) const;
  /// Two grids of a group, and a bound without any change between them.
  struct Pair {
    Configuration configuration;
    double least_seconds = 0;
  };
  /// All of a group in whose bound all counts. It is not open any more.
  [[nodiscard]] std::vector<Pair> take_pairs(RegridGroup& group) const;
  /// The least that a change takes. Seconds.
  [[nodiscard]] double least_change(TransitionPricer& pricer) const { return shallow_.least_redistribution(pricer); }

 private:
  Relaxation shallow_;
};

/// How many messages the pairs may cost that are priced: of those with the least bounds, which come first.
class RegridBudget {
 public:
  /// Whether there is something left for the pair, which is then spent.
  [[nodiscard]] bool spend(const Configuration& pair);

 private:
  std::int64_t messages_ = 0;  ///< of pairs that have been priced, about
};

}  // namespace tilewright
