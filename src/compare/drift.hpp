// How the machine has changed since it was calibrated.
#pragma once

#include <optional>
#include <vector>

#include "tilewright/compare/measurements.hpp"
#include "tilewright/core/statistics.hpp"

namespace tilewright {

/// How many times as long a message of the profile takes as it has it; none if it has not.
[[nodiscard]] std::optional<double> times_as_long(const MachineProfile& profile, const MeasuredMessage& message);

/// By how much messages take longer now than the profile has it. A machine that others share computes, and passes lines
/// of its caches on, at one of several speeds for seconds or minutes: no model can know which, and its errors are told
/// with that and without.
class MessageDrift {
 public:
  /// Of cells of the profile that were measured again among the held-out messages: those of one launch tell of it.
  MessageDrift(const MachineProfile& profile, const std::vector<MeasuredMessage>& known);

  /// False if nothing was measured again.
  [[nodiscard]] bool is_known() const { return !points_.empty(); }
  /// Times as long, for messages such as the cell's: the median of those measured again whose sizes are nearest, of
  /// those that the library packs if it packs this one too, else of the others. Two processors that come to lie nearer
  /// to each other pass lines on faster, and may have to share a cache or a core in which they pack.
  [[nodiscard]] double factor(const PathCell& cell) const;

 private:
  struct Point {
    bool is_packed_by_library = false;
    PointOnLine factor;  ///< over the logarithm of the bytes
  };
  std::vector<Point> points_;
};

}  // namespace tilewright
