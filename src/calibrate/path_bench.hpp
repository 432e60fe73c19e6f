// Fig. 8 of the P-3PC paper: bursts of messages between the root and a partner, sent and received as the runtime does.
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

/// The root and its partner have one each. The root measures; the partner does what it is told until it is released.
class PathBench {
 public:
  /// `peer`: the other one's rank. A message may reach over `extent_bytes`. Throws RuntimeError if there is no memory
  /// for that.
  PathBench(const Communicator& communicator, int peer, std::int64_t extent_bytes);

  /// Root. Seconds a message: in the send or the receive call of a stream as stream_seconds() has it, for the round
  /// trip to which Path::full is fitted, or in the send call of a message alone (Path::overhead). Every burst ends with
  /// both in step, so no stream runs away. Path::to_self and Path::copy do without the partner.
  [[nodiscard]] double measure(const Burst& burst);
  /// Root: ends serve() on the partner.
  void release();
  /// Partner.
  void serve();

 private:
  void command(const Burst& burst) const;
  [[nodiscard]] Block place(const MessageShape& shape, std::int64_t message);
  [[nodiscard]] PendingMessage begin(const Burst& burst, bool sends, std::int64_t message);
  void to_self(const Burst& burst, std::int64_t message);
  void copy(const Burst& burst, std::int64_t message);
  double stream(const Burst& burst, bool sends);
  double round_trips(const Burst& burst);
  double on_root_alone(const Burst& burst);
  void answer_round_trips(const Burst& burst);

  const Communicator& communicator_;
  int peer_;
  std::vector<std::byte> memory_;
};

}  // namespace tilewright
