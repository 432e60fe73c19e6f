#include "path_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "places.hpp"
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
constexpr int ready_tag = 4;

/// A burst of no rounds releases the partners.
constexpr Burst release_burst{.cell = {}, .warm_up = 0, .rounds = 0};

template <class Value>
Block whole(Value& value) {
  return {&value, 1, sizeof(Value), sizeof(Value)};
}

/// Whether each message of a burst has an empty one for an answer.
bool is_answered(Path path) {
  return path == Path::full || path == Path::overhead;
}

/// Whether the root's messages go to nobody else.
bool is_alone(Path path) {
  return path == Path::to_self || path == Path::copy;
}

std::vector<std::byte> allocate(std::int64_t extent_bytes) {
  try {
    const std::int64_t bytes = MessagePlaces::memory_bytes(extent_bytes);
    return std::vector<std::byte>(static_cast<std::size_t>(bytes), std::byte{1});
  } catch (const std::exception&) {
    throw RuntimeError(fmt::format("no memory for messages that reach over {}: calibrate with smaller sizes",
                                   format_bytes(extent_bytes)));
  }
}

}  // namespace

PathBench::PathBench(const Communicator& communicator, std::vector<int> partners, std::int64_t extent_bytes)
    : communicator_(communicator), partners_(std::move(partners)), memory_(allocate(extent_bytes)) {}

/// That take part in a burst; none where the root is alone.
std::int64_t PathBench::partners_of(Path path) const {
  if (is_alone(path)) return 0;
  return is_answered(path) ? std::ssize(partners_) : 1;
}

int PathBench::partner_of(const Burst& burst, std::int64_t message) const {
  return partners_[static_cast<std::size_t>(message % partners_of(burst.cell.path))];
}

void PathBench::command(const Burst& burst, std::int64_t partners) const {
  for (std::int64_t first = 0; first < partners; ++first) {
    Command command{burst, {first, partners}};
    send_block(communicator_, whole(command), partners_[static_cast<std::size_t>(first)], command_tag);
  }
}

/// The memory of the burst's message of that number.
Block PathBench::place(const MessageShape& shape, std::int64_t message) {
  if (shape.extent_bytes() > std::ssize(memory_)) {
    throw InternalError(fmt::format("path bench: a message reaches over {}, and there is memory for {}",
                                    format_bytes(shape.extent_bytes()), format_bytes(std::ssize(memory_))));
  }
  return {memory_.data() + MessagePlaces(shape).begin(message), shape.rows, shape.row_bytes, shape.pitch_bytes};
}

/// Each line that messages of that shape touch, once: so the first message of a burst finds its memory in the same
/// caches as the last, and a burst of few as one of many, whatever was measured before.
void PathBench::touch_places(const MessageShape& shape) {
  const MessagePlaces places(shape);
  for (std::int64_t message = 0; message < places.turns(); ++message) {
    volatile std::byte* row = memory_.data() + places.begin(message);
    for (std::int64_t left = shape.rows; left > 0; --left, row += shape.pitch_bytes) {
      for (std::int64_t byte = 0; byte < shape.row_bytes; byte += line_bytes) row[byte] = std::byte{1};
    }
  }
}

/// Until they have touched their places: rows that lie apart take longer than what is contiguous, and a stream that
/// began before would wait for them.
void PathBench::await_partners(std::int64_t partners) const {
  for (std::int64_t i = 0; i < partners; ++i)
    receive_block(communicator_, {}, partners_[static_cast<std::size_t>(i)], ready_tag);
}

PendingMessage PathBench::begin(const Burst& burst, bool sends, std::int64_t message) {
  const MessageShape shape = sends ? sender_shape(burst.cell) : receiver_shape(burst.cell);
  const Leg leg{place(shape, message), partner_of(burst, message), burst.cell.packing};
  return sends ? begin_send(communicator_, leg, data_tag) : begin_receive(communicator_, leg, data_tag);
}

/// Seconds a message. Two are under way at a time, as when the runtime serves one rank after another. They share the
/// wire and arrive together, so the number of rounds is to be even, and better a multiple of four.
double PathBench::stream(const Burst& burst, bool sends) {
  const std::int64_t messages = burst.warm_up + burst.rounds;
  std::array<PendingMessage, 1> now{begin(burst, sends, 0)};
  double start_s = now_s();
  for (std::int64_t i = 0; i < messages; ++i) {
    if (i == burst.warm_up) start_s = now_s();
    PendingMessage next = begin(burst, sends, i + 1);
    complete(communicator_, now);
    now[0] = std::move(next);
  }
  const double seconds = (now_s() - start_s) / static_cast<double>(burst.rounds);
  complete(communicator_, now);  // of one more message, so that the last that counts has had company as the others had
  return seconds;
}

/// Seconds from the send to the empty answer, or of the send alone.
double PathBench::round_trips(const Burst& burst) {
  double total_s = 0;
  for (std::int64_t i = -burst.warm_up; i < burst.rounds; ++i) {
    const double start_s = now_s();
    std::array<PendingMessage, 1> message{begin(burst, true, i + burst.warm_up)};
    complete(communicator_, message);
    const double sent_s = now_s();
    receive_block(communicator_, {}, partner_of(burst, i + burst.warm_up), answer_tag);
    if (i >= 0) total_s += (burst.cell.path == Path::overhead ? sent_s : now_s()) - start_s;
  }
  return total_s / static_cast<double>(burst.rounds);
}

void PathBench::to_self(const Burst& burst, std::int64_t message) {
  const int self = communicator_.rank();
  const Leg receive{place(receiver_shape(burst.cell), 2 * message), self, burst.cell.packing};
  const Leg send{place(sender_shape(burst.cell), 2 * message + 1), self, burst.cell.packing};
  exchange_blocks(communicator_, &receive, &send, data_tag);
}

void PathBench::copy(const Burst& burst, std::int64_t message) {
  const MessageShape shape = sender_shape(burst.cell);
  std::memcpy(place(shape, 2 * message).data, place(shape, 2 * message + 1).data,
              static_cast<std::size_t>(shape.bytes()));
}

double PathBench::on_root_alone(const Burst& burst) {
  double start_s = 0;
  for (std::int64_t i = 0; i < burst.warm_up + burst.rounds; ++i) {
    if (i == burst.warm_up) start_s = now_s();
    burst.cell.path == Path::copy ? copy(burst, i) : to_self(burst, i);
  }
  return (now_s() - start_s) / static_cast<double>(burst.rounds);
}

void PathBench::answer_round_trips(const Burst& burst, const Share& share) {
  for (std::int64_t i = share.first; i < burst.warm_up + burst.rounds; i += share.step) {
    std::array<PendingMessage, 1> message{begin(burst, false, i)};
    complete(communicator_, message);
    send_block(communicator_, {}, partners_.front(), answer_tag);
  }
}

BurstTime PathBench::measure(const Burst& burst) {
  const Path path = burst.cell.path;
  command(burst, partners_of(path));
  touch_places(path == Path::recv ? receiver_shape(burst.cell) : sender_shape(burst.cell));
  await_partners(partners_of(path));
  const double start_s = now_s();
  const double seconds = is_alone(path) ? on_root_alone(burst) : with_partners(burst);
  return {seconds, now_s() - start_s};
}

double PathBench::with_partners(const Burst& burst) {
  const Path path = burst.cell.path;
  if (is_answered(path)) return round_trips(burst);
  const double seconds = stream(burst, path == Path::send);
  double other_end_s = 0;
  receive_block(communicator_, whole(other_end_s), partners_.front(), answer_tag);
  return stream_seconds({seconds, other_end_s});
}

void PathBench::release() {
  command(release_burst, std::ssize(partners_));
}

void PathBench::serve() {
  while (true) {
    Command command;
    receive_block(communicator_, whole(command), partners_.front(), command_tag);
    const auto& [burst, share] = command;
    if (burst.rounds == 0) return;
    touch_places(burst.cell.path == Path::recv ? sender_shape(burst.cell) : receiver_shape(burst.cell));
    send_block(communicator_, {}, partners_.front(), ready_tag);
    if (is_answered(burst.cell.path)) {
      answer_round_trips(burst, share);
      continue;
    }
    double seconds = stream(burst, burst.cell.path == Path::recv);
    send_block(communicator_, whole(seconds), partners_.front(), answer_tag);
  }
}

}  // namespace tilewright
