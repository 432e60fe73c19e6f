// Fig. 8 of the P-3PC paper: bursts of messages between the root and its partners, sent and received as the runtime
// does.
//
// The paper has one partner. But the root of a transfer sends each message to another rank, and one rank that takes
// them all may be what they wait for, where each has a share of a core only. So messages that are answered go round
// several partners. Streams do not: the buffers of many connections hold more than a burst.
#pragma once

#include <vector>

#include "tilewright/calibrate/message_shape.hpp"
#include "tilewright/model/machine_profile.hpp"
#include "tilewright/runtime/communicator.hpp"
#include "tilewright/runtime/point_to_point.hpp"

namespace tilewright {

/// One burst to measure: messages of that cell, whose time does not count; the first `warm_up` messages are not timed.
struct Burst {
  PathCell cell;
  std::int64_t warm_up = 1;
  std::int64_t rounds = 1;
};

/// Of one burst.
struct BurstTime {
  double seconds = 0;  ///< a message
  double burst_s = 0;  ///< all its messages
};

/// The root and its partners have one each. The root measures; the partners do what they are told until released.
class PathBench {
 public:
  /// `partners`: of the root, the others' ranks; of one of these, the root. A message may reach over `extent_bytes`.
  /// Throws RuntimeError if there is no memory for that.
  PathBench(const Communicator& communicator, std::vector<int> partners, std::int64_t extent_bytes);

  /// Root. Seconds a message: in the send or the receive call of a stream as stream_seconds() has it, for the round
  /// trip to which Path::full is fitted, or in the send call of a message alone (Path::overhead). Every burst ends with
  /// all in step, so no stream runs away. Streams are those of the first partner. Path::to_self and Path::copy do
  /// without any.
  [[nodiscard]] BurstTime measure(const Burst& burst);
  /// Root: ends serve() on the partners.
  void release();
  /// Partner.
  void serve();

 private:
  /// Of the messages of a burst, those of one partner: every `step`-th from `first` on.
  struct Share {
    std::int64_t first = 0;
    std::int64_t step = 1;
  };
  /// What a partner is told.
  struct Command {
    Burst burst;
    Share share;
  };
  void command(const Burst& burst, std::int64_t partners) const;
  [[nodiscard]] std::int64_t partners_of(Path path) const;
  [[nodiscard]] int partner_of(const Burst& burst, std::int64_t message) const;
  [[nodiscard]] Block place(const MessageShape& shape, std::int64_t message);
  void touch_places(const MessageShape& shape);
  void await_partners(std::int64_t partners) const;
  [[nodiscard]] PendingMessage begin(const Burst& burst, bool sends, std::int64_t message);
  void to_self(const Burst& burst, std::int64_t message);
  void copy(const Burst& burst, std::int64_t message);
  [[nodiscard]] double with_partners(const Burst& burst);
  double stream(const Burst& burst, bool sends);
  double round_trips(const Burst& burst);
  double on_root_alone(const Burst& burst);
  void answer_round_trips(const Burst& burst, const Share& share);

  const Communicator& communicator_;
  std::vector<int> partners_;
  std::vector<std::byte> memory_;
};

}  // namespace tilewright
