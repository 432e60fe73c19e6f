// The schedules of one configuration, made once for all who price them.
#pragma once

#include <list>

#include "configuration.hpp"
#include "tilewright/transfers/classified_schedule.hpp"

namespace tilewright {

/// Many who price the same transfers, on machines that differ a little, share one of these.
class KnownSchedules {
 public:
  /// Forgets what is known of another configuration.
  void turn_to(const Configuration& configuration);
  /// The transfer's messages, whatever its packing. Valid until the next configuration.
  [[nodiscard]] const ClassifiedSchedule& of(TransferSpec spec);

 private:
  Configuration configuration_;
  std::list<ClassifiedSchedule> known_;
};

}  // namespace tilewright
