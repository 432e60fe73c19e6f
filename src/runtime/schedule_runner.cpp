#include "tilewright/runtime/schedule_runner.hpp"

#include "tilewright/core/error.hpp"
#include "tilewright/runtime/point_to_point.hpp"

namespace tilewright {
namespace {

class Runner {
 public:
  Runner(const Schedule& schedule, const ScheduleBuffers& buffers, const Communicator& communicator)
      : schedule_(schedule), buffers_(buffers), communicator_(communicator), rank_(communicator.rank()) {
    const Rect forward = schedule.forwards[static_cast<std::size_t>(rank_)];
    if (!forward.empty()) forward_ = Raster(forward, {}, schedule.spec.image.format);
  }

  void run() {
    copy(schedule_.copies_before);
    for (std::size_t round = 0; round < schedule_.rounds.size(); ++round) take_part(round);
    copy(schedule_.copies_after);
  }

 private:
  /// The view of a buffer of this rank.
  MutableView view(Buffer buffer) {
    if (buffer == Buffer::forward) return forward_.view();
    const auto& view = buffer == Buffer::whole ? buffers_.whole : buffers_.tile;
    if (!view) throw InternalError("run_schedule: a buffer is missing");
    return *view;
  }

  void copy(const std::vector<LocalCopy>& copies) {
    for (const LocalCopy& c : copies) {
      if (c.rank == rank_) copy_pixels(view(c.source), view(c.target), c.area);
    }
  }

  /// The receive is posted first, then the send starts, then both complete.
  void take_part(std::size_t round) {
    std::optional<Leg> receive, send;
    for (const Message& message : schedule_.rounds[round]) {
      if (message.receiver == rank_) receive = Leg{block_of(view(message.target), message.target_area), message.sender};
      if (message.sender == rank_) send = Leg{block_of(view(message.source), message.source_area), message.receiver};
    }
    if (!receive && !send) return;
    const int tag = static_cast<int>(round % 32768);  // every MPI has at least these tags
    exchange_blocks(communicator_, receive ? &*receive : nullptr, send ? &*send : nullptr, tag);
  }

  const Schedule& schedule_;
  const ScheduleBuffers& buffers_;
  const Communicator& communicator_;
  int rank_;
  Raster forward_;
};

}  // namespace

void run_schedule(const Schedule& schedule, const ScheduleBuffers& buffers, const Communicator& communicator) {
  if (communicator.rank() < schedule.spec.grid.ranks()) Runner(schedule, buffers, communicator).run();
}

std::int64_t forwarded_bytes(const Schedule& schedule, int rank) {
  return schedule.forwards[static_cast<std::size_t>(rank)].pixels() *
         static_cast<std::int64_t>(schedule.spec.image.format.bytes());
}

}  // namespace tilewright
