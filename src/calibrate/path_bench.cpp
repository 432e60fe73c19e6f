#include "path_bench.hpp"

#include <fmt/format.h>

#include <new>

#include "stopwatch.hpp"
#include "tilewright/calibrate/fit.hpp"
#include "tilewright/calibrate/message_shape.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/core/units.hpp"
#include "tilewright/runtime/point_to_point.hpp"

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
  const std::int64_t bytes = strided_shape(largest).extent_bytes();
  try {
    return std::vector<float>(static_cast<std::size_t>(bytes / value_bytes) + 1, 1.0F);
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

void PathBench::send(const Burst& burst) {
  const MessageShape shape = sender_shape(burst.layout, burst.sent);
  send_block(communicator_, {memory_.data(), shape.rows, shape.row_bytes, shape.pitch_bytes}, peer_, data_tag);
}

void PathBench::receive(const Burst& burst) {
  const MessageShape shape = receiver_shape(burst.layout, burst.sent);
  receive_block(communicator_, {memory_.data(), shape.rows, shape.row_bytes, shape.pitch_bytes}, peer_, data_tag);
}

void PathBench::send_empty() {
  send_block(communicator_, {memory_.data(), 1, 0, 0}, peer_, answer_tag);
}

void PathBench::receive_empty() {
  receive_block(communicator_, {memory_.data(), 1, 0, 0}, peer_, answer_tag);
}

double PathBench::measure(const Burst& burst) {
  command(burst);
  double total_s = 0;
  for (std::int64_t i = -burst.warm_up; i < burst.rounds; ++i) {
    const double start_s = now_s();
    if (burst.path == Path::recv) {
      receive(burst);
    } else {
      send(burst);
    }
    if (burst.path == Path::full) receive_empty();
    if (i >= 0) total_s += now_s() - start_s;
  }
  const double mean_s = total_s / static_cast<double>(burst.rounds);
  if (burst.path != Path::send) return mean_s;
  double arrivals_s = 0;
  receive_block(communicator_, whole(arrivals_s), peer_, answer_tag);
  return send_seconds({mean_s, arrivals_s});
}

void PathBench::release() {
  command(release_burst);
}

/// Takes a stream of sends and answers with the interval between its messages.
void PathBench::stream_in(const Burst& burst) {
  for (std::int64_t i = 0; i < burst.warm_up; ++i) receive(burst);
  const double start_s = now_s();
  for (std::int64_t i = 0; i < burst.rounds; ++i) receive(burst);
  double arrivals_s = (now_s() - start_s) / static_cast<double>(burst.rounds);
  send_block(communicator_, whole(arrivals_s), peer_, answer_tag);
}

void PathBench::serve() {
  while (true) {
    Burst burst;
    receive_block(communicator_, whole(burst), peer_, command_tag);
    if (burst.rounds == 0) return;
    if (burst.path == Path::send) {
      stream_in(burst);
      continue;
    }
    for (std::int64_t i = 0; i < burst.warm_up + burst.rounds; ++i) {
      if (burst.path == Path::recv) {
        send(burst);
      } else {
        receive(burst);
        send_empty();
      }
    }
  }
}

}  // namespace tilewright
