#include "work_pricer.hpp"

#include <algorithm>

#include "node_use.hpp"

namespace tilewright {

void WorkPricer::configure(const Configuration& configuration) {
  configuration_ = configuration;
  unit_costs_.clear();
}

std::optional<double> WorkPricer::unit_seconds(const Work& work, double pixels, bool on_tiles, int threads) {
  const auto known = std::find_if(unit_costs_.begin(), unit_costs_.end(), [&](const UnitCost& cost) {
    return cost.parameter == work.parameter && cost.pixels == pixels && cost.on_tiles == on_tiles &&
           cost.threads == threads && cost.piece == work.piece && cost.type == work.type && cost.key == work.key;
  });
  if (known != unit_costs_.end()) return known->seconds;
  const bool has_node_alone = space_.ranks_per_node > 1 && ranks_on_node(space_, configuration_.grid) == 1;
  const int ranks = on_tiles && !has_node_alone ? configuration_.ranks : 1;
  const bool is_of_pieces = work.piece > 0;  // a step wakes its threads once, and what waits in a near cache is theirs
  auto seconds =
      profile_.operator_seconds(work.key, work.type, work.parameter, pixels, ranks, is_of_pieces ? 1 : threads);
  if (seconds && is_of_pieces) *seconds /= threads;
  unit_costs_.push_back({work.key, work.type, work.parameter, pixels, on_tiles, threads, work.piece, seconds});
  return seconds;
}

void WorkPricer::add(Sum& sum, std::span<const Work> list, const Extent& tile, bool on_tiles, int threads) {
  for (const Work& work : list) {
    const double pixels = work.piece > 0 ? work.piece : static_cast<double>(tile.pixels());
    if (const auto unit_s = unit_seconds(work, pixels, on_tiles, threads)) {
      const double seconds = *unit_s * work.units * slowdown(on_tiles, threads);
      (seconds < 0 ? sum.taken_off_s : sum.added_s) += seconds;
      continue;
    }
    sum.known = sum.known && !work.otherwise.empty();
    add(sum, work.otherwise, tile, on_tiles, threads);
  }
}

/// Passes that nobody has measured are sums of measured ones, some of which are taken off. What each of them errs by is
/// left in the rest, which is surely not less than a fifth of what the others add: without that, a noisy cell of what
/// is taken off would make the best of all plans.
WorkCost WorkPricer::cost(std::span<const Work> list, const Extent& tile, bool on_tiles, int threads) {
  constexpr double least_left = 0.2;
  Sum sum;
  add(sum, list, tile, on_tiles, threads);
  return {std::max(sum.added_s + sum.taken_off_s, least_left * sum.added_s), sum.known};
}

double WorkPricer::slowdown(bool on_tiles, int threads) const {
  const int cores = profile_.fingerprint().cores_per_node;
  if (cores < 1) return 1;
  const int on_node = on_tiles ? ranks_on_node(space_, configuration_.grid) : 1;
  return std::max(1.0, static_cast<double>(on_node) * threads / cores);
}

}  // namespace tilewright
