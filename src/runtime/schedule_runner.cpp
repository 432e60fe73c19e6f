#include "tilewright/runtime/schedule_runner.hpp"

#include <array>
#include <utility>
#include <vector>

#include "message_tags.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/runtime/point_to_point.hpp"

namespace tilewright {
namespace {

/// What one rank does in one round.
struct Turn {
  const Message* receive = nullptr;
  const Message* send = nullptr;
  int tag = 0;
};

std::vector<Turn> turns_of(const std::vector<Round>& rounds, int rank) {
  std::vector<Turn> turns;
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    Turn turn{nullptr, nullptr, tag_of_round(round)};
    for (const Message& message : rounds[round]) {
      if (message.receiver == rank) turn.receive = &message;
      if (message.sender == rank) turn.send = &message;
    }
    if (turn.receive != nullptr || turn.send != nullptr) turns.push_back(turn);
  }
  return turns;
}

/// Whether what `turn` still sends or receives lies apart from what `next` receives.
bool can_receive_early(const Turn& turn, const Turn& next) {
  if (next.receive == nullptr) return false;
  const auto apart = [&](Buffer buffer, const Rect& area) {
    return buffer != next.receive->target || intersection(area, next.receive->target_area).empty();
  };
  return (turn.send == nullptr || apart(turn.send->source, turn.send->source_area)) &&
         (turn.receive == nullptr || apart(turn.receive->target, turn.receive->target_area));
}

/// Whether both turns are of a stream of sends, of which none waits for anything.
bool can_send_early(const Turn& turn, const Turn& next) {
  return turn.receive == nullptr && next.receive == nullptr && !turn.send->acknowledged && !next.send->granted;
}

using UnderWay = std::array<PendingMessage, 2>;  // of a turn: what is received, what is sent

class Runner {
 public:
  Runner(const Schedule& schedule, const ScheduleBuffers& buffers, const Communicator& communicator)
      : schedule_(schedule), buffers_(buffers), communicator_(communicator), rank_(communicator.rank()) {
    const Rect forward = schedule.forwards[static_cast<std::size_t>(rank_)];
    if (!forward.empty()) forward_ = Raster(forward, {}, schedule.spec.image.format);
  }

  /// Receives first.
  std::vector<PendingMessage> begin_all() {
    if (!is_of_one_phase(schedule_.spec)) throw InternalError("a schedule in turns cannot be begun at once");
    const std::vector<Turn> turns = turns_of(schedule_.rounds, rank_);
    std::vector<PendingMessage> messages;
    for (const Turn& turn : turns) {
      if (turn.receive != nullptr) messages.push_back(receive(turn));
    }
    for (const Turn& turn : turns) {
      if (turn.send != nullptr) messages.push_back(send(turn));
    }
    return messages;
  }

  void run() {
    copy(schedule_.copies_before);
    send_and_receive(turns_of(schedule_.rounds, rank_));
    copy(schedule_.copies_after);
    send_and_receive(turns_of(schedule_.last_rounds, rank_));
  }

 private:
  /// The view of a buffer of this rank.
  MutableView view(Buffer buffer) {
    if (buffer == Buffer::forward) return forward_.view();
    const auto& view = buffer == Buffer::whole    ? buffers_.whole
                       : buffer == Buffer::former ? buffers_.former
                       : buffer == Buffer::shared ? buffers_.shared
                                                  : buffers_.tile;
    if (!view) throw InternalError("run_schedule: a buffer is missing");
    return *view;
  }

  /// A notice has none.
  Block block(Buffer buffer, const Rect& area) { return area.empty() ? Block{} : block_of(view(buffer), area); }

  void copy(const std::vector<LocalCopy>& copies) {
    for (const LocalCopy& c : copies) {
      if (c.rank == rank_) copy_pixels(view(c.source), view(c.target), c.area);
    }
  }

  /// Of each turn the receive is posted first, then the send starts, then both complete. The next turn's are begun
  /// before that where they can be, so that the wire has no pause between two messages.
  void send_and_receive(const std::vector<Turn>& turns) {
    UnderWay now, next;
    for (std::size_t i = 0; i < turns.size(); ++i) {
      const Turn& turn = turns[i];
      const Turn* following = i + 1 < turns.size() ? &turns[i + 1] : nullptr;
      if (turn.receive != nullptr && !now[0].is_under_way()) now[0] = receive(turn);
      if (following != nullptr && can_receive_early(turn, *following)) next[0] = receive(*following);
      if (turn.send != nullptr && !now[1].is_under_way()) now[1] = send(turn);
      if (following != nullptr && can_send_early(turn, *following)) next[1] = send(*following);
      complete(communicator_, now);
      answer(turn);
      now = std::exchange(next, {});
    }
  }

  PendingMessage receive(const Turn& turn) {
    const Message& message = *turn.receive;
    const Block target = block(message.target, message.target_area);
    PendingMessage pending = begin_receive(communicator_, {target, message.sender, schedule_.spec.packing}, turn.tag);
    if (message.granted) send_block(communicator_, {}, message.sender, tag_of_answer(turn.tag));
    return pending;
  }

  PendingMessage send(const Turn& turn) {
    const Message& message = *turn.send;
    if (message.granted) receive_block(communicator_, {}, message.receiver, tag_of_answer(turn.tag));
    const Block source = block(message.source, message.source_area);
    return begin_send(communicator_, {source, message.receiver, schedule_.spec.packing}, turn.tag);
  }

  void answer(const Turn& turn) const {
    const Block nothing;
    const int tag = tag_of_answer(turn.tag);
    if (turn.receive != nullptr && turn.receive->acknowledged) {
      send_block(communicator_, nothing, turn.receive->sender, tag);
    }
    if (turn.send != nullptr && turn.send->acknowledged) {
      receive_block(communicator_, nothing, turn.send->receiver, tag);
    }
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

ScheduleUnderWay::ScheduleUnderWay(const Schedule& schedule, const ScheduleBuffers& buffers,
                                   const Communicator& communicator)
    : communicator_(communicator) {
  if (communicator.rank() < schedule.spec.grid.ranks()) {
    messages_ = Runner(schedule, buffers, communicator).begin_all();
  }
}

void ScheduleUnderWay::finish() {
  if (!messages_.empty()) complete(communicator_, messages_);
}

}  // namespace tilewright
