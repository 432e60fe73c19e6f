// Small runs of ranks that share memory, in which transfers through it are timed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "disturbance.hpp"
#include "marked_samples.hpp"
#include "tilewright/core/raster.hpp"
#include "tilewright/model/cells.hpp"
#include "tilewright/runtime/common_start.hpp"
#include "tilewright/runtime/communicator.hpp"
#include "tilewright/runtime/shared_memory.hpp"
#include "tilewright/transfers/schedule.hpp"

namespace tilewright {

/// That of the same tiles.
[[nodiscard]] PathCell gather_of(PathCell scatter);

/// One rank's part of runs as a program repeats them: the root puts an image into the memory, all copy their tiles out
/// of it, make others of them, and copy those to where the image was. What of it is in whose caches decides what copies
/// take: they take half as long again or twice as long after something else has run. Ranks that do not share memory
/// wait.
class SharingRuns {
 public:
  /// For all of these scatters and their gathers. Collective.
  SharingRuns(const Communicator& communicator, const std::vector<PathCell>& scatters);

  struct Samples {
    MarkedSample scatter;
    MarkedSample gather;
  };

  /// Of the scatter that the cell names, and its gather: what the slowest rank takes in the last of some runs, in
  /// seconds, and whether any rank was disturbed; on the root. Collective.
  Samples sample(const PathCell& cell);

 private:
  [[nodiscard]] bool takes_part() const;
  void put_image(const Schedule& scatter);
  void run_scatter(const Schedule& scatter);
  void compute(const Schedule& gather);
  void run_gather(const Schedule& gather);
  MarkedSample timed(const std::function<void()>& part);
  void run(const Schedule& schedule, Raster& tile);
  [[nodiscard]] Raster new_tile(const Schedule& schedule) const;
  [[nodiscard]] MutableView image_of(const Schedule& schedule) const;

  const Communicator& communicator_;
  CommonStart start_;
  DisturbanceWatch watch_;
  std::shared_ptr<SharedMemory> memory_;
  Raster source_;  ///< the root's
  Raster scattered_, computed_;
  Raster passing_;
  std::int64_t turn_ = 0;
};

}  // namespace tilewright
