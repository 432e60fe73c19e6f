#include "tilewright/transfers/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "distribution.hpp"
#include "pitch.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

/// The table of transfers. A new algorithm is one function and one line here, and, unless its messages form one of the
/// trees of tree_shape(), an outline and a price (docs/development.md, "Adding a transfer algorithm").
struct Entry {
  TransferKind kind;
  std::optional<Algorithm> algorithm;
  void (*add_messages)(Schedule&);
};

constexpr std::array<Entry, 12> entries{{{TransferKind::scatter, Algorithm::oft, scatter_oft},
                                         {TransferKind::scatter, Algorithm::sbt, scatter_sbt},
                                         {TransferKind::scatter, Algorithm::shared, scatter_shared},
                                         {TransferKind::gather, Algorithm::oft, gather_oft},
                                         {TransferKind::gather, Algorithm::sbt, gather_sbt},
                                         {TransferKind::gather, Algorithm::shared, gather_shared},
                                         {TransferKind::broadcast, Algorithm::oft, broadcast_oft},
                                         {TransferKind::broadcast, Algorithm::sbt, broadcast_sbt},
                                         {TransferKind::broadcast, Algorithm::shared, broadcast_shared},
                                         {TransferKind::allgather, std::nullopt, allgather_ring},
                                         {TransferKind::exchange, std::nullopt, exchange_four_steps},
                                         {TransferKind::redistribute, std::nullopt, redistribute_in_turns}}};

const Entry* entry_of(const TransferSpec& spec) {
  const auto* entry = std::find_if(entries.begin(), entries.end(), [&](const Entry& candidate) {
    return candidate.kind == spec.kind && candidate.algorithm == spec.algorithm;
  });
  return entry == entries.end() ? nullptr : entry;
}

bool is_contiguous(const Rect& area, std::int64_t pitch_bytes, const PixelFormat& format) {
  return area.empty() || area.height() == 1 || area.width() * static_cast<std::int64_t>(format.bytes()) == pitch_bytes;
}

}  // namespace

std::string_view to_string(Buffer buffer) {
  switch (buffer) {
    case Buffer::whole:
      return "whole";
    case Buffer::shared:
      return "shared";
    case Buffer::tile:
      return "tile";
    case Buffer::former:
      return "former";
    case Buffer::forward:
      return "forward";
  }
  throw InternalError("to_string: unknown buffer");
}

void check_algorithm(const TransferSpec& spec) {
  if (entry_of(spec) != nullptr) return;
  throw ParameterError(fmt::format("a {} has no algorithm '{}'", to_string(spec.kind),
                                   spec.algorithm ? to_string(*spec.algorithm) : "none"));
}

TreeShape tree_shape(const TransferSpec& spec) {
  if (spec.algorithm == Algorithm::oft) return TreeShape::flat;
  if (spec.algorithm == Algorithm::sbt) return TreeShape::binomial;
  throw InternalError(fmt::format("the messages of a {} by '{}' form no known tree", to_string(spec.kind),
                                  spec.algorithm ? to_string(*spec.algorithm) : "none"));
}

bool is_of_one_phase(const TransferSpec& spec) {
  const Halo across = in_cut_directions(spec.exchanged, spec.grid);
  return spec.kind == TransferKind::exchange && !spec.cyclic && (across.x == 0 || across.y == 0);
}

Schedule make_schedule(const TransferSpec& spec) {
  check_algorithm(spec);
  Schedule schedule;
  schedule.spec = spec;
  schedule.tiles = all_tiles(spec.image.extent, spec.grid);
  schedule.forwards.resize(schedule.tiles.size());
  entry_of(spec)->add_messages(schedule);
  return schedule;
}

MessageForm form_of(const Rect& area, std::int64_t sender_pitch_bytes, std::int64_t receiver_pitch_bytes,
                    const TransferSpec& spec) {
  const PixelFormat& format = spec.image.format;
  const auto pixel = static_cast<std::int64_t>(format.bytes());
  return {layout_of(is_contiguous(area, sender_pitch_bytes, format), is_contiguous(area, receiver_pitch_bytes, format)),
          area.pixels() * pixel,
          area.width() * pixel,
          sender_pitch_bytes,
          receiver_pitch_bytes,
          spec.packing};
}

Rect Schedule::stored(int rank, Buffer buffer) const {
  switch (buffer) {
    case Buffer::whole:
    case Buffer::shared:
      return rect_of(spec.image.extent);
    case Buffer::tile:
      return padded(tiles[static_cast<std::size_t>(rank)], spec.storage);
    case Buffer::former:
      return padded(former[static_cast<std::size_t>(rank)], spec.storage);
    case Buffer::forward:
      return forwards[static_cast<std::size_t>(rank)];
  }
  throw InternalError("Schedule::stored: unknown buffer");
}

bool Schedule::contiguous(int rank, Buffer buffer, const Rect& area) const {
  return is_contiguous(area, pitch_bytes(rank, buffer), spec.image.format);
}

Layout Schedule::layout(const Message& message) const {
  return layout_of(contiguous(message.sender, message.source, message.source_area),
                   contiguous(message.receiver, message.target, message.target_area));
}

std::int64_t Schedule::pitch_bytes(int rank, Buffer buffer) const {
  const auto i = static_cast<std::size_t>(rank);
  if (buffer == Buffer::tile) return pitch_bytes_of_tile(tiles[i], spec);
  if (buffer == Buffer::former) return pitch_bytes_of_tile(former[i], spec);
  return pitch_bytes_of(stored(rank, buffer), spec);
}

MessageForm Schedule::form(const Message& message) const {
  return form_of(message.source_area, pitch_bytes(message.sender, message.source),
                 pitch_bytes(message.receiver, message.target), spec);
}

std::int64_t Schedule::bytes(const Message& message) const {
  return message.source_area.pixels() * static_cast<std::int64_t>(spec.image.format.bytes());
}

std::int64_t Schedule::message_count() const {
  std::int64_t count = 0;
  for (const auto* all : {&rounds, &last_rounds}) {
    for (const Round& round : *all) count += static_cast<std::int64_t>(round.size());
  }
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

std::vector<std::int64_t> Schedule::packed_bytes() const {
  std::vector<std::int64_t> largest(tiles.size(), 0);
  std::vector<std::int64_t> before(tiles.size(), 0);  // in the last round that the rank took part in
  std::vector<std::int64_t> now(tiles.size(), 0);
  const auto for_ends = [](const Round& round, auto&& what) {
    for (const Message& message : round) {
      what(static_cast<std::size_t>(message.sender));
      what(static_cast<std::size_t>(message.receiver));
    }
  };
  for (const Round& round : rounds) {
    for (const Message& m : round) {
      if (!contiguous(m.sender, m.source, m.source_area)) now[static_cast<std::size_t>(m.sender)] += bytes(m);
      if (!contiguous(m.receiver, m.target, m.target_area)) now[static_cast<std::size_t>(m.receiver)] += bytes(m);
    }
    for_ends(round, [&](std::size_t rank) { largest[rank] = std::max(largest[rank], before[rank] + now[rank]); });
    for_ends(round, [&](std::size_t rank) { before[rank] = now[rank]; });
    for_ends(round, [&](std::size_t rank) { now[rank] = 0; });
  }
  return largest;
}

std::vector<std::int64_t> Schedule::scratch_bytes() const {
  std::vector<std::int64_t> scratch(tiles.size(), 0);
  if (spec.packing != Packing::datatype) scratch = packed_bytes();
  for (std::size_t rank = 0; rank < scratch.size(); ++rank) {
    scratch[rank] += forwards[rank].pixels() * static_cast<std::int64_t>(spec.image.format.bytes());
  }
  return scratch;
}

std::int64_t Schedule::scratch_bytes(int rank) const {
  return scratch_bytes()[static_cast<std::size_t>(rank)];
}

std::string Schedule::layouts() const {
  std::array<bool, 4> seen{};
  for (const Round& round : rounds) {
    for (const Message& message : round) {
      if (!message.source_area.empty()) seen[static_cast<std::size_t>(layout(message))] = true;
    }
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
  std::size_t number = 0;
  for (const auto* rounds : {&schedule.rounds, &schedule.last_rounds}) {
    for (const Round& round : *rounds) {
      for (const Message& m : round) {
        text += fmt::format("round {}: {} -> {} {} {} to {} {} {} {} B{}{}\n", number, m.sender, m.receiver,
                            to_string(m.source), to_string(m.source_area), to_string(m.target),
                            to_string(m.target_area), to_string(schedule.layout(m)), schedule.bytes(m),
                            m.acknowledged ? ", acknowledged" : "", m.granted ? ", granted" : "");
      }
      ++number;
    }
  }
  return text;
}

}  // namespace tilewright
