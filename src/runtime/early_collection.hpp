// A gather in turn: the root is ready for the tiles before they are made.
#pragma once

#include <vector>

#include "tilewright/core/raster.hpp"
#include "tilewright/runtime/communicator.hpp"
#include "tilewright/runtime/point_to_point.hpp"
#include "tilewright/transfers/schedule.hpp"

namespace tilewright {

/// The root's side, from the time on that it begins to feed the ranks until it needs the image: what comes in while it
/// still sends need not wait. No other message is taken for one of these: each gather of a plan has its number, and a
/// tag for that.
class EarlyCollection {
 public:
  /// `whole` must outlive it.
  EarlyCollection(const Schedule& gather, const MutableView& whole, int number, const Communicator& communicator);

  /// Once all tiles are in `whole`, the root's own among them.
  void finish(const ConstView& own_tile);

 private:
  Rect own_;
  MutableView whole_;
  const Communicator& communicator_;
  std::vector<PendingMessage> tiles_;
};

/// The side of another rank that takes part in the gather: returns when its tile may be changed.
void send_to_collection(const Schedule& gather, const MutableView& tile, int number, const Communicator& communicator);

}  // namespace tilewright
