// Small runs of ranks that share memory, in which transfers through it are timed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "disturbance.hpp"
#include "marked_samples.hpp"
#include "tilewright/core/raster.hpp"
#include "tilewright/model/cells.hpp"
#include "tilewright/model/warmth.hpp"
#include "tilewright/runtime/common_start.hpp"
#include "tilewright/runtime/communicator.hpp"
#include "tilewright/runtime/shared_memory.hpp"
#include "tilewright/transfers/schedule.hpp"

namespace tilewright {

/// That of the same tiles, through the memory. None of a scatter through it if one by messages is among `scatters`,
/// too: where processors are far apart, ranks take a quarter longer to write where another one has just written, and
/// most plans scatter by messages.
[[nodiscard]] std::optional<PathCell> gather_of(PathCell scatter, const std::vector<PathCell>& scatters);

/// One rank's part of runs as a program repeats them: the root puts an image into the memory, all copy their tiles out
/// of it, or get them in messages, make others of them, and copy those back into it. What of it is in
/// whose caches decides what that takes, up to three times as long where it is in none. So it is measured in three ways
/// (Warm). Ranks that do not share memory wait.
class SharingRuns {
 public:
  /// For all of these scatters, and gathers of their tiles. Collective.
  SharingRuns(const Communicator& communicator, const std::vector<PathCell>& scatters);

  struct Samples {
    MarkedSample scatter;
    MarkedSample gather;
  };

  /// Of the scatter that the cell names, and a gather of its tiles through the memory: what the slowest rank takes, in
  /// seconds, in the last of some runs, and whether any rank was disturbed; on the root. Collective.
  Samples sample(const PathCell& cell);

 private:
  [[nodiscard]] bool takes_part() const;
  void put_image(const Schedule& scatter);
  void run_scatter(const Schedule& scatter);
  void pass(std::int64_t count);
  void compute(const Schedule& gather, double seconds);
  void run_gather(const Schedule& gather);
  MarkedSample timed(const std::function<void()>& part);
  void run(const Schedule& schedule, Raster& tile);
  [[nodiscard]] Raster new_tile(const Schedule& schedule) const;
  [[nodiscard]] MutableView source_of(const Schedule& schedule);
  [[nodiscard]] MutableView shared_image(const Schedule& schedule) const;

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
