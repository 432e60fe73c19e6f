#include "regrid_groups.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace tilewright {
namespace {

/// So many times as far along one axis as along the other is elongated.
constexpr std::int64_t elongation = 2;

bool is_elongated(std::int64_t along, std::int64_t across) {
  return along > 0 && along >= elongation * across;
}

/// Both number the ranks alike.
bool may_change(const ProcessGrid& from, const ProcessGrid& to) {
  return from.mapping == to.mapping && !from.mapping.is_in_blocks();
}

}  // namespace

Offer offer_of_two_grids(Offer offer, const SearchSpace& space) {
  if (!space.overlap.value_or(false)) offer.overlaps = false;
  return offer;
}

bool may_regrid(const Pipeline& pipeline, const SearchSpace& space) {
  if (space.keeps_in_place || grid_of_sources(pipeline)) return false;
  if (space.regrid) return *space.regrid == Regrid::always && space.halo != HaloChoice::deep;
  if (space.halo == HaloChoice::deep) return false;
  bool along_x = false;
  bool along_y = false;
  for (const PipelineImage& image : pipeline.images) {
    if (!image.op) continue;
    const Halo halo = image.op->halo();
    along_x = along_x || is_elongated(halo.x, halo.y);
    along_y = along_y || is_elongated(halo.y, halo.x);
  }
  return along_x && along_y;
}

void RegridBounds::bound_more(RegridGroup& group, TransitionPricer& pricer) const {
  const Counted next = group.counted == Counted::work ? Counted::distributions : Counted::borders;
  group.parts.resize(group.grids.size());
  std::optional<BoundParts> least;
  for (std::size_t i = 0; i < group.grids.size(); ++i) {
    pricer.configure(group.grids[i]);
    if (group.counted == Counted::work) {
      group.parts[i] = shallow_.parts(pricer, next);
    } else {
      shallow_.count_more(group.parts[i], pricer, group.counted, next);
    }
    least = least ? least_of(*std::move(least), group.parts[i].front()) : group.parts[i].front();
  }
  group.counted = next;
  group.least_seconds = shallow_.bound_of(*least, next);
}

std::vector<RegridBounds::Pair> RegridBounds::take_pairs(RegridGroup& group) const {
  group.is_open = false;
  const std::vector<Configuration> grids = std::exchange(group.grids, {});
  const std::vector<std::vector<BoundParts>> parts = std::exchange(group.parts, {});
  std::vector<Pair> pairs;
  for (std::size_t a = 0; a < parts.size(); ++a) {
    for (std::size_t b = a + 1; b < parts.size(); ++b) {
      if (!may_change(grids[a].grid, grids[b].grid)) continue;
      Configuration pair = grids[a];
      pair.second = grids[b].grid;
      pairs.push_back({pair, shallow_.bound_of(least_of(parts[a].front(), parts[b].front()))});
    }
  }
  return pairs;
}

/// A change between strips of P ranks is P (P - 1) messages.
bool RegridBudget::spend(const Configuration& pair) {
  constexpr std::int64_t most_messages = 1 << 19;
  const ProcessGrid& a = pair.grid;
  const ProcessGrid& b = *pair.second;
  // Each column of one grid meets about so many of the other's; and so do rows.
  const std::int64_t columns = std::max(1, std::max(a.x, b.x) / std::min(a.x, b.x));
  const std::int64_t rows = std::max(1, std::max(a.y, b.y) / std::min(a.y, b.y));
  messages_ += columns * rows * pair.ranks;
  return messages_ <= most_messages;
}

}  // namespace tilewright
