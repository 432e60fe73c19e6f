#include "simulated_transfer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <simgrid/s4u/Actor.hpp>
#include <sstream>

#include "pixel_pattern.hpp"
#include "stopwatch.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/runtime/schedule_runner.hpp"

namespace tilewright::simulation {
namespace {

/// The buffers of one rank. What the transfer has to bring is wrong before.
class Buffers {
 public:
  Buffers(const Schedule& schedule, int rank) {
    const TransferSpec& spec = schedule.spec;
    const Rect& owned = schedule.tiles[static_cast<std::size_t>(rank)];
    const bool from_root = spec.kind == TransferKind::broadcast;
    const bool replicated = from_root || spec.kind == TransferKind::allgather;
    const bool distributed = spec.kind == TransferKind::scatter || spec.kind == TransferKind::gather;
    if (replicated || (distributed && rank == 0)) whole_ = filled(rect_of(spec.image.extent), {}, spec.image.format);
    if (!from_root) tile_ = filled(owned, spec.storage, spec.image.format);

    const bool starts_whole = spec.kind == TransferKind::scatter || (from_root && rank == 0);
    if (starts_whole && !whole_.empty()) fill_pattern(whole_.view(), whole_.area());
    if (spec.kind == TransferKind::redistribute) {
      const Rect& former = schedule.former[static_cast<std::size_t>(rank)];
      former_ = filled(former, spec.storage, spec.image.format);
      fill_pattern(former_.view(), former);
    }
    const bool starts_tiled = spec.kind == TransferKind::gather || spec.kind == TransferKind::allgather ||
                              spec.kind == TransferKind::exchange;
    if (starts_tiled) fill_pattern(tile_.view(), owned);

    const bool fills_tile = spec.kind == TransferKind::exchange || spec.kind == TransferKind::scatter ||
                            spec.kind == TransferKind::redistribute;
    expected_ = fills_tile ? grown(owned, spec.exchanged, spec.image.extent) : whole_.area();
  }

  [[nodiscard]] ScheduleBuffers buffers() {
    ScheduleBuffers buffers;
    if (!whole_.empty()) buffers.whole = whole_.view();
    if (!tile_.empty()) buffers.tile = tile_.view();
    if (!former_.empty()) buffers.former = former_.view();
    return buffers;
  }

  [[nodiscard]] std::optional<std::string> find_wrong_pixel() const {
    const bool in_whole = !whole_.empty() && expected_ == whole_.area();
    return find_wrong(in_whole ? whole_.view() : tile_.view(), expected_);
  }

 private:
  static Raster filled(const Rect& area, const Halo& halo, PixelFormat format) {
    Raster raster(area, halo, format);
    fill_wrong(raster.view());
    return raster;
  }

  Raster whole_;
  Raster tile_;
  Raster former_;
  Rect expected_;
};

/// Lets all ranks begin at the same simulated instant, which no barrier does.
double start_together(const Communicator& communicator) {
  constexpr double until_all_know_s = 10;
  const double start_s = communicator.of_root(now_s() + until_all_know_s);
  simgrid::s4u::this_actor::sleep_until(start_s);
  return start_s;
}

/// How often MPI is given something to send for it.
std::int64_t pieces_of(const Schedule& schedule, const Message& message) {
  const std::int64_t bytes = schedule.bytes(message);
  return schedule.spec.packing == Packing::blocked ? (bytes + piece_bytes - 1) / piece_bytes : 1;
}

/// All that the schedule counts, of which each message may go in pieces.
SentMessages stated_by(const Schedule& schedule) {
  SentMessages stated{schedule.message_count(), schedule.message_bytes()};
  for (const Round& round : schedule.rounds) {
    for (const Message& message : round) stated.messages += pieces_of(schedule, message) - 1;
  }
  return stated;
}

SentMessages sent_by(const Schedule& schedule, int rank) {
  SentMessages sent;
  for (const Round& round : schedule.rounds) {
    for (const Message& message : round) {
      if (message.sender != rank) continue;
      sent.messages += pieces_of(schedule, message);
      sent.bytes += schedule.bytes(message);
    }
  }
  return sent;
}

/// What a rank reports to the root.
struct Report {
  double seconds = 0;
  SentMessages sent;
  SentMessages expected;
  std::string wrong_pixel;

  [[nodiscard]] std::string text() const {
    return fmt::format("{} {} {} {} {} {}", seconds, sent.messages, sent.bytes, expected.messages, expected.bytes,
                       wrong_pixel);
  }
  [[nodiscard]] static Report parse(const std::string& text) {
    Report report;
    std::istringstream stream(text);
    stream >> report.seconds >> report.sent.messages >> report.sent.bytes >> report.expected.messages >>
        report.expected.bytes >> report.wrong_pixel;
    return report;
  }
};

void check_pixels(const std::vector<Report>& reports) {
  for (std::size_t rank = 0; rank < reports.size(); ++rank) {
    if (reports[rank].wrong_pixel.empty()) continue;
    throw RuntimeError(fmt::format("rank {}: the pixel {} is wrong", rank, reports[rank].wrong_pixel));
  }
}

/// What was sent by every rank, and by all together.
SentMessages check_messages(const std::vector<Report>& reports, const Schedule& schedule) {
  SentMessages all;
  for (std::size_t rank = 0; rank < reports.size(); ++rank) {
    const auto& [seconds, sent, expected, wrong_pixel] = reports[rank];
    if (sent != expected) {
      throw RuntimeError(fmt::format("rank {} sent {} messages of {} bytes together; its schedule says {} of {}", rank,
                                     sent.messages, sent.bytes, expected.messages, expected.bytes));
    }
    all.messages += sent.messages;
    all.bytes += sent.bytes;
  }
  const SentMessages stated = stated_by(schedule);
  if (all != stated) {
    throw RuntimeError(fmt::format("{} messages of {} bytes together were sent; the schedule counts {} of {}",
                                   all.messages, all.bytes, stated.messages, stated.bytes));
  }
  return all;
}

}  // namespace

Outcome simulate(const Schedule& schedule, Fault fault, const Communicator& communicator) {
  const int rank = communicator.rank();
  const Schedule executed = spoiled(schedule, fault, rank);
  Buffers buffers(schedule, rank);
  const double start_s = start_together(communicator);
  const SentMessages before = sent_messages();
  run_schedule(executed, buffers.buffers(), communicator);

  Report mine{now_s() - start_s, sent_messages() - before, sent_by(schedule, rank), {}};
  mine.wrong_pixel = buffers.find_wrong_pixel().value_or("");
  const std::vector<std::string> texts = communicator.gather(mine.text());
  if (!communicator.is_root()) return {};

  std::vector<Report> reports;
  Outcome outcome;
  for (const std::string& text : texts) {
    reports.push_back(Report::parse(text));
    outcome.seconds = std::max(outcome.seconds, reports.back().seconds);
  }
  check_pixels(reports);
  outcome.sent = check_messages(reports, schedule);
  return outcome;
}

}  // namespace tilewright::simulation
