#include "known_schedules.hpp"

#include <algorithm>

namespace tilewright {

void KnownSchedules::turn_to(const Configuration& configuration) {
  if (configuration == configuration_) return;
  configuration_ = configuration;
  known_.clear();
}

const ClassifiedSchedule& KnownSchedules::of(TransferSpec spec) {
  spec.packing = Packing::datatype;
  const auto known = std::find_if(known_.begin(), known_.end(),
                                  [&](const ClassifiedSchedule& entry) { return entry.schedule.spec == spec; });
  return known != known_.end() ? *known : known_.emplace_back(classified(make_schedule(spec)));
}

}  // namespace tilewright
