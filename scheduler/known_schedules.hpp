// The schedules of one configuration, made once for all who price them.
#pragma once

#include <list>
#include <optional>
#include <vector>

#include "configuration.hpp"
#include "tilewright/transfers/classified_schedule.hpp"
#include "tilewright/transfers/outline.hpp"
#include "tilewright/transfers/subtrees.hpp"

namespace tilewright {

/// Many who price the same transfers, on machines that differ a little, share one of these.
class KnownSchedules {
 public:
  /// Forgets what is known of another configuration.
  void turn_to(const Configuration& configuration);
  /// The transfer's messages, whatever its packing. Valid until the next configuration.
  [[nodiscard]] const ClassifiedSchedule& of(TransferSpec spec);
  /// make_outline() and subtrees_of() of it, valid as long.
  [[nodiscard]] const TransferOutline& outline_of(TransferSpec spec);
  [[nodiscard]] const std::optional<std::vector<Subtree>>& subtrees_of(TransferSpec spec);

 private:
  struct KnownSubtrees {
    TransferSpec spec;
    std::optional<std::vector<Subtree>> subtrees;
  };
  Configuration configuration_;
  std::list<ClassifiedSchedule> known_;
  std::list<TransferOutline> outlines_;
  std::list<KnownSubtrees> subtrees_;
};

}  // namespace tilewright
