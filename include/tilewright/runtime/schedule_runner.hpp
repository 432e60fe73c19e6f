// Executes a schedule: the messages of a transfer, on this rank.
#pragma once

#include <optional>

#include "tilewright/core/raster.hpp"
#include "tilewright/runtime/communicator.hpp"
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

}  // namespace tilewright
