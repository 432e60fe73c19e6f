#include "tilewright/scheduler/supersteps.hpp"

#include <algorithm>

namespace tilewright {
namespace {

struct Traffic {
  std::int64_t sent_bytes = 0;
  std::int64_t received_bytes = 0;
  std::int64_t sent = 0;
  std::int64_t received = 0;
};

/// Gathers rounds until one depends on those before.
class Gathering {
 public:
  explicit Gathering(std::size_t ranks) : ranks_(ranks) {}

  [[nodiscard]] bool has_to_end_before(const Round& round) const {
    return std::any_of(round.begin(), round.end(), [&](const Message& message) {
      return message.source != Buffer::former && at(message.sender).received > 0;
    });
  }

  void add(const Message& message, std::int64_t bytes) {
    Traffic& sender = ranks_[static_cast<std::size_t>(message.sender)];
    Traffic& receiver = ranks_[static_cast<std::size_t>(message.receiver)];
    sender.sent_bytes += bytes;
    ++sender.sent;
    receiver.received_bytes += bytes;
    ++receiver.received;
  }

  [[nodiscard]] Superstep superstep() const {
    Superstep step;
    for (const Traffic& rank : ranks_) {
      step.bytes_of_a_rank = std::max({step.bytes_of_a_rank, rank.sent_bytes, rank.received_bytes});
      step.messages_of_a_rank = std::max({step.messages_of_a_rank, rank.sent, rank.received});
      step.bytes += rank.sent_bytes;
    }
    return step;
  }

 private:
  [[nodiscard]] const Traffic& at(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }

  std::vector<Traffic> ranks_;
};

}  // namespace

std::vector<Superstep> supersteps(const Schedule& schedule) {
  std::vector<Superstep> steps;
  Gathering gathering(schedule.tiles.size());
  for (const Round& round : schedule.rounds) {
    if (gathering.has_to_end_before(round)) {
      steps.push_back(gathering.superstep());
      gathering = Gathering(schedule.tiles.size());
    }
    for (const Message& message : round) gathering.add(message, schedule.bytes(message));
  }
  if (!schedule.rounds.empty()) steps.push_back(gathering.superstep());
  return steps;
}

}  // namespace tilewright
