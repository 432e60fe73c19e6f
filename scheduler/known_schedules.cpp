#include "known_schedules.hpp"

#include <algorithm>

namespace tilewright {

void KnownSchedules::turn_to(const Configuration& configuration) {
  if (configuration == configuration_) return;
  configuration_ = configuration;
  known_.clear();
  outlines_.clear();
  subtrees_.clear();
}

const ClassifiedSchedule& KnownSchedules::of(TransferSpec spec) {
  spec.packing = Packing::datatype;
  const auto known = std::find_if(known_.begin(), known_.end(),
                                  [&](const ClassifiedSchedule& entry) { return entry.schedule.spec == spec; });
  return known != known_.end() ? *known : known_.emplace_back(classified(make_schedule(spec)));
}

const TransferOutline& KnownSchedules::outline_of(TransferSpec spec) {
  spec.packing = Packing::datatype;
  const auto known = std::find_if(outlines_.begin(), outlines_.end(),
                                  [&](const TransferOutline& outline) { return outline.spec == spec; });
  return known != outlines_.end() ? *known : outlines_.emplace_back(make_outline(spec));
}

const std::optional<std::vector<Subtree>>& KnownSchedules::subtrees_of(TransferSpec spec) {
  spec.packing = Packing::datatype;
  auto known =
      std::find_if(subtrees_.begin(), subtrees_.end(), [&](const KnownSubtrees& entry) { return entry.spec == spec; });
  if (known == subtrees_.end()) known = subtrees_.insert(known, {spec, tilewright::subtrees_of(spec)});
  return known->subtrees;
}

}  // namespace tilewright
