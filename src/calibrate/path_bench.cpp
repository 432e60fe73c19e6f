#include "path_bench.hpp"

#include <fmt/format.h>

#include <array>

#include "stopwatch.hpp"
#include "tilewright/calibrate/fit.hpp"
#include "tilewright/calibrate/message_shape.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/core/units.hpp"

namespace tilewright {
namespace {

constexpr int command_tag = 1;
constexpr int data_tag = 2;
constexpr int answer_tag = 3;

/// A burst of no rounds releases the partner.
constexpr Burst release_burst{.warm_up = 0, .rounds = 0};

template <class Value>
Block whole(Value& value) {
  return {&value, 1, sizeof(Value), sizeof(Value)};
}

std::vector<float> allocate(std::int64_t largest) {
  const std::int64_t bytes = 2 * strided_shape(largest).extent_bytes();
  try {
    return std::vector<float>(static_cast<std::size_t>(bytes / value_bytes) + 2, 1.0F);
  } catch (const std::exception&) {
    throw RuntimeError(fmt::format("no memory for messages of {} values, which take {}: calibrate with smaller sizes",
                                   largest, format_bytes(bytes)));
  }
}

}  // namespace

PathBench::PathBench(const Communicator& communicator, int peer, std::int64_t largest)
    : communicator_(communicator), peer_(peer), memory_(allocate(largest)) {}

void PathBench::command(const Burst& burst) const {
  Burst copy = burst;
  send_block(communicator_, whole(copy), peer_, command_tag);
}

/// Messages take turns in two places of the memory.
PendingMessage PathBench::begin(const Burst& burst, bool sends, std::int64_t message) {
  const MessageShape shape = sends ? sender_shape(burst.layout, burst.sent) : receiver_shape(burst.layout, burst.sent);
  float* place = memory_.data() + (message % 2) * static_cast<std::int64_t>(memory_.size() / 2);
  const Leg leg{{place, shape.rows, shape.row_bytes, shape.pitch_bytes}, peer_};
  return sends ? begin_send(communicator_, leg, data_tag) : begin_receive(communicator_, leg, data_tag);
}

/// Seconds a message. Two are under way at a time, as when the runtime serves one rank after another. They share the
/// wire and arrive together, so the number of rounds is to be even.
double PathBench::stream(const Burst& burst, bool sends) {
  const std::int64_t messages = burst.warm_up + burst.rounds;
  std::array<PendingMessage, 1> now{begin(burst, sends, 0)};
  double start_s = now_s();
  for (std::int64_t i = 0; i < messages; ++i) {
    if (i == burst.warm_up) start_s = now_s();
    const PendingMessage next = begin(burst, sends, i + 1);
    complete(communicator_, now);
    now = {next};
  }
  const double seconds = (now_s() - start_s) / static_cast<double>(burst.rounds);
  complete(communicator_, now);  // of one more message, so that the last that counts has had company as the others had
  return seconds;
}

/// Seconds from the send to the empty answer.
double PathBench::round_trips(const Burst& burst) {
  double total_s = 0;
  for (std::int64_t i = -burst.warm_up; i < burst.rounds; ++i) {
    const double start_s = now_s();
    std::array<PendingMessage, 1> message{begin(burst, true, 0)};
    complete(communicator_, message);
    receive_block(communicator_, {}, peer_, answer_tag);
    if (i >= 0) total_s += now_s() - start_s;
  }
  return total_s / static_cast<double>(burst.rounds);
}

void PathBench::answer_round_trips(const Burst& burst) {
  for (std::int64_t i = 0; i < burst.warm_up + burst.rounds; ++i) {
    std::array<PendingMessage, 1> message{begin(burst, false, 0)};
    complete(communicator_, message);
    send_block(communicator_, {}, peer_, answer_tag);
  }
}

double PathBench::measure(const Burst& burst) {
  command(burst);
  if (burst.path == Path::full) return round_trips(burst);
  const double seconds = stream(burst, burst.path == Path::send);
  if (burst.path == Path::recv) return seconds;
  double arrivals_s = 0;
  receive_block(communicator_, whole(arrivals_s), peer_, answer_tag);
  return send_seconds({seconds, arrivals_s});
}

void PathBench::release() {
  command(release_burst);
}

void PathBench::serve() {
  while (true) {
    Burst burst;
    receive_block(communicator_, whole(burst), peer_, command_tag);
    if (burst.rounds == 0) return;
    if (burst.path == Path::full) {
      answer_round_trips(burst);
      continue;
    }
    double seconds = stream(burst, burst.path == Path::recv);
    if (burst.path == Path::send) send_block(communicator_, whole(seconds), peer_, answer_tag);
  }
}

}  // namespace tilewright
