#include "bound_of_all.hpp"

#include <algorithm>
#include <limits>

namespace tilewright {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

bool takes_longer(const BoundedConfiguration& one, const BoundedConfiguration& other) {
  return one.least_seconds > other.least_seconds;
}

/// What counts beyond results is counted as closely as it takes to see that the bound is not below `least`.
double full_bound(const Relaxation& deep, TransitionPricer& pricer, std::vector<BoundParts> parts, double least) {
  const int ranks = pricer.configuration().ranks;
  double bound = deep.bound(parts, ranks, Counted::results);
  Counted known = Counted::results;
  for (const Counted next : {Counted::distributions, Counted::borders}) {
    if (bound >= least) break;
    deep.count_more(parts, pricer, known, next, least - bound);
    bound = deep.bound(parts, ranks, next);
    known = next;
  }
  return bound;
}

}  // namespace

/// In the order of bounds that are quickly made, as far as those leave open which configuration has the least.
double bound_of_all(const Pipeline& pipeline, const MachineProfile& profile, const CostModel& model,
                    const SearchSpace& space, const Offer& offer,
                    const std::vector<BoundedConfiguration>& configurations) {
  const int generations = space.halo == HaloChoice::shallow ? 0 : most_generations;
  const Relaxation deep(pipeline, generations, offer, space.counted);
  TransitionPricer pricer(pipeline, profile, model, space);
  std::vector<BoundedConfiguration> open = configurations;  // a heap, the least on top
  std::make_heap(open.begin(), open.end(), takes_longer);
  double least = infinity;
  while (!open.empty() && open.front().least_seconds < least) {
    std::pop_heap(open.begin(), open.end(), takes_longer);
    BoundedConfiguration& next = open.back();
    pricer.configure(next.configuration);
    std::vector<BoundParts> parts = deep.parts(pricer, Counted::results);
    if (next.counted == Counted::work) {
      next.counted = Counted::results;
      next.least_seconds = deep.bound(parts, next.configuration.ranks, Counted::results);
      std::push_heap(open.begin(), open.end(), takes_longer);
      continue;
    }
    least = std::min(least, full_bound(deep, pricer, std::move(parts), least));
    open.pop_back();
  }
  return least;
}

}  // namespace tilewright
