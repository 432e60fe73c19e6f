#include "tilewright/transfers/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "distribution.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

/// The table of transfers: a new algorithm is one function and one line here.
struct Entry {
  TransferKind kind;
  std::optional<Algorithm> algorithm;
  void (*add_messages)(Schedule&);
};

constexpr std::array<Entry, 7> entries{{{TransferKind::scatter, Algorithm::oft, scatter_oft},
                                        {TransferKind::scatter, Algorithm::sbt, scatter_sbt},
                                        {TransferKind::gather, Algorithm::oft, gather_oft},
                                        {TransferKind::gather, Algorithm::sbt, gather_sbt},
                                        {TransferKind::broadcast, Algorithm::oft, broadcast_oft},
                                        {TransferKind::broadcast, Algorithm::sbt, broadcast_sbt},
                                        {TransferKind::exchange, std::nullopt, exchange_four_steps}}};

}  // namespace

std::string_view to_string(Buffer buffer) {
  switch (buffer) {
    case Buffer::whole:
      return "whole";
    case Buffer::tile:
      return "tile";
    case Buffer::forward:
      return "forward";
  }
  throw InternalError("to_string: unknown buffer");
}

Schedule make_schedule(const TransferSpec& spec) {
  const auto entry = std::find_if(entries.begin(), entries.end(), [&](const Entry& candidate) {
    return candidate.kind == spec.kind && candidate.algorithm == spec.algorithm;
  });
  if (entry == entries.end()) {
    throw ParameterError(fmt::format("a {} has no algorithm '{}'", to_string(spec.kind),
                                     spec.algorithm ? to_string(*spec.algorithm) : "none"));
  }
  Schedule schedule;
  schedule.spec = spec;
  const auto ranks = static_cast<std::size_t>(spec.grid.ranks());
  schedule.forwards.resize(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    schedule.tiles.push_back(tile_of(spec.image.extent, spec.grid, static_cast<int>(rank)));
  }
  entry->add_messages(schedule);
  return schedule;
}

Rect Schedule::stored(int rank, Buffer buffer) const {
  switch (buffer) {
    case Buffer::whole:
      return rect_of(spec.image.extent);
    case Buffer::tile:
      return padded(tiles[static_cast<std::size_t>(rank)], spec.storage);
    case Buffer::forward:
      return forwards[static_cast<std::size_t>(rank)];
  }
  throw InternalError("Schedule::stored: unknown buffer");
}

bool Schedule::contiguous(int rank, Buffer buffer, const Rect& area) const {
  return area.height() == 1 || area.width() == stored(rank, buffer).width();
}

Layout Schedule::layout(const Message& message) const {
  return layout_of(contiguous(message.sender, message.source, message.source_area),
                   contiguous(message.receiver, message.target, message.target_area));
}

MessageForm Schedule::form(const Message& message) const {
  const auto pixel = static_cast<std::int64_t>(spec.image.format.bytes());
  const auto stride = [&](int rank, Buffer buffer) { return stored(rank, buffer).width() * pixel; };
  return {layout(message),
          bytes(message),
          message.source_area.width() * pixel,
          stride(message.sender, message.source),
          stride(message.receiver, message.target),
          spec.packing};
}

std::int64_t Schedule::bytes(const Message& message) const {
  return message.source_area.pixels() * static_cast<std::int64_t>(spec.image.format.bytes());
}

std::int64_t Schedule::message_count() const {
  std::int64_t count = 0;
  for (const Round& round : rounds) count += static_cast<std::int64_t>(round.size());
  return count;
}

std::int64_t Schedule::message_bytes() const {
  std::int64_t sum = 0;
  for (const Round& round : rounds) {
    for (const Message& message : round) sum += bytes(message);
  }
  return sum;
}

std::int64_t Schedule::copied_bytes() const {
  std::vector<std::int64_t> by_rank(tiles.size(), 0);
  for (const auto* copies : {&copies_before, &copies_after}) {
    for (const LocalCopy& copy : *copies) {
      by_rank[static_cast<std::size_t>(copy.rank)] +=
          copy.area.pixels() * static_cast<std::int64_t>(spec.image.format.bytes());
    }
  }
  return by_rank.empty() ? 0 : *std::max_element(by_rank.begin(), by_rank.end());
}

std::int64_t Schedule::scratch_bytes(int rank) const {
  std::int64_t before = 0;
  std::int64_t largest = 0;
  for (const Round& round : rounds) {
    std::int64_t packed = 0;
    bool takes_part = false;
    for (const Message& m : round) {
      if (m.sender != rank && m.receiver != rank) continue;
      takes_part = true;
      if (m.sender == rank && !contiguous(rank, m.source, m.source_area)) packed += bytes(m);
      if (m.receiver == rank && !contiguous(rank, m.target, m.target_area)) packed += bytes(m);
    }
    if (!takes_part) continue;
    largest = std::max(largest, before + packed);
    before = packed;
  }
  const std::int64_t forwarded =
      stored(rank, Buffer::forward).pixels() * static_cast<std::int64_t>(spec.image.format.bytes());
  return forwarded + (spec.packing == Packing::datatype ? 0 : largest);
}

std::string Schedule::layouts() const {
  std::array<bool, 4> seen{};
  for (const Round& round : rounds) {
    for (const Message& message : round) seen[static_cast<std::size_t>(layout(message))] = true;
  }
  std::string text;
  for (const Layout candidate : all_layouts) {
    if (!seen[static_cast<std::size_t>(candidate)]) continue;
    if (!text.empty()) text += '+';
    text += to_string(candidate);
  }
  return text;
}

std::string describe(const Schedule& schedule) {
  std::string text;
  for (std::size_t round = 0; round < schedule.rounds.size(); ++round) {
    for (const Message& m : schedule.rounds[round]) {
      text += fmt::format("round {}: {} -> {} {} {} to {} {} {} {} B{}{}\n", round, m.sender, m.receiver,
                          to_string(m.source), to_string(m.source_area), to_string(m.target), to_string(m.target_area),
                          to_string(schedule.layout(m)), schedule.bytes(m), m.acknowledged ? ", acknowledged" : "",
                          m.granted ? ", granted" : "");
    }
  }
  return text;
}

}  // namespace tilewright
