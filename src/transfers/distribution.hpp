// The algorithms: each a pure function that adds its messages to a schedule whose tiles are set.
#pragma once

#include "tilewright/transfers/schedule.hpp"

namespace tilewright {

/// The root sends each rank its tile, with the halo that goes along, one strictly after another.
void scatter_oft(Schedule& schedule);
/// Holders hand half of their block on, level by level.
void scatter_sbt(Schedule& schedule);
/// The root receives each rank's tile, in the order of the ranks.
void gather_oft(Schedule& schedule);
/// The scatter's tree backwards.
void gather_sbt(Schedule& schedule);
/// The root sends each rank the whole image, one strictly after another.
void broadcast_oft(Schedule& schedule);
/// Who has the image passes it on, level by level.
void broadcast_sbt(Schedule& schedule);
/// The root tells all that they may, each copies its tile out of the shared image, and tells the root that it has.
void scatter_shared(Schedule& schedule);
/// The same into the shared image.
void gather_shared(Schedule& schedule);
/// The same of the whole image, by all but the root.
void broadcast_shared(Schedule& schedule);
/// The tiles go round a ring of all ranks: in hop k each rank passes on the tile of the k-th rank before it, until all
/// have all of them. Every link is busy all the time.
void allgather_ring(Schedule& schedule);
/// Right, left, down, up; each step waits for the one before (P-3PC, Fig. 7).
void exchange_four_steps(Schedule& schedule);
/// In turn k each rank sends to the k-th rank after it what of its former tile belongs to that rank's new one.
void redistribute_in_turns(Schedule& schedule);

}  // namespace tilewright
