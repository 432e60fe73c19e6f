// Executes a schedule: the messages of a transfer, on this rank.
#pragma once

#include <optional>
#include <vector>

#include "tilewright/core/raster.hpp"
#include "tilewright/runtime/communicator.hpp"
#include "tilewright/runtime/point_to_point.hpp"
#include "tilewright/transfers/schedule.hpp"

namespace tilewright {

/// The buffers of one image on this rank, as far as the schedule uses them here. Each stores at least what
/// Schedule::stored says; its own pitch counts.
struct ScheduleBuffers {
  std::optional<MutableView> whole = {};
  std::optional<MutableView> tile = {};
  std::optional<MutableView> former = {};
  std::optional<MutableView> shared = {};  ///< the root's whole image, as this rank sees it
};

/// Goes through this rank's part of the schedule. Ranks beyond the grid do nothing. Collective over the grid's ranks.
void run_schedule(const Schedule& schedule, const ScheduleBuffers& buffers, const Communicator& communicator);

/// A schedule whose messages travel while the rank does something else: all of them are begun at once, so none may
/// send what another one brings (is_of_one_phase()). What is sent is not to be changed, what is received not to be read
/// before finish(). Collective over the grid's ranks, as finish() is.
class ScheduleUnderWay {
 public:
  /// Throws InternalError for a schedule that has to be run in turns.
  ScheduleUnderWay(const Schedule& schedule, const ScheduleBuffers& buffers, const Communicator& communicator);
  ScheduleUnderWay(const ScheduleUnderWay&) = delete;
  ScheduleUnderWay& operator=(const ScheduleUnderWay&) = delete;

  void finish();

 private:
  const Communicator& communicator_;
  std::vector<PendingMessage> messages_;
};

}  // namespace tilewright
