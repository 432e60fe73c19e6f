#include "distribution.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "tree.hpp"

namespace tilewright {
namespace {

/// What surrounds the tiles that a scatter sends; nothing is gathered but the tiles.
Halo halo_along(const Schedule& schedule) {
  return schedule.spec.kind == TransferKind::scatter ? schedule.spec.exchanged : Halo{};
}

/// A tile as it is sent.
Rect sent_tile(const Schedule& schedule, std::size_t rank) {
  return grown(schedule.tiles[rank], halo_along(schedule), schedule.spec.image.extent);
}

/// From the first tile of the block to the last one.
Rect area_of(const Schedule& schedule, const CellBlock& block) {
  const TransferSpec& spec = schedule.spec;
  const auto tile = [&](int column, int row) {
    return schedule.tiles[static_cast<std::size_t>(spec.grid.rank(column, row))];
  };
  const Rect first = tile(block.column0, block.row0);
  const Rect last = tile(block.column1 - 1, block.row1 - 1);
  const Rect tiles{first.x0, first.y0, last.x1, last.y1};
  const Halo halo = halo_along(schedule);
  return halo.empty() ? tiles : grown(tiles, halo, spec.image.extent);
}

/// Where a rank holds the block that it was handed: a single tile lies where it belongs, more are on their way.
Buffer held_in(const CellBlock& block) {
  return block.cells() == 1 ? Buffer::tile : Buffer::forward;
}

Buffer holder_buffer(int rank) {
  return rank == 0 ? Buffer::whole : Buffer::forward;
}

/// The next message of a rank is to wait until the one before has arrived: inner nodes of a tree send their largest
/// block first, and it has the longest way; and where ranks are fed in turn, the first is to be fed first. MPI and the
/// kernel copy much of a message into buffers and call it sent, and the next one would share the link with what is
/// still under way.
void acknowledge_all_but_last(Schedule& schedule) {
  std::vector<bool> sends_later(schedule.tiles.size(), false);
  for (auto round = schedule.rounds.rbegin(); round != schedule.rounds.rend(); ++round) {
    for (Message& message : *round) {
      const auto sender = static_cast<std::size_t>(message.sender);
      message.acknowledged = sends_later[sender] && schedule.bytes(message) >= smallest_answered_bytes;
      sends_later[sender] = true;
    }
  }
}

/// Pieces leave without asking the receiver (point_to_point.cpp). Where several ranks send to one, all but the first
/// wait until it has begun to receive theirs: else what is not awaited yet fills its memory and shares its link with
/// what is.
void grant_all_but_first(Schedule& schedule) {
  if (schedule.spec.packing != Packing::blocked) return;
  std::vector<bool> received_before(schedule.tiles.size(), false);
  for (Round& round : schedule.rounds) {
    for (Message& message : round) {
      const auto receiver = static_cast<std::size_t>(message.receiver);
      message.granted = received_before[receiver] && schedule.bytes(message) >= smallest_answered_bytes;
      received_before[receiver] = true;
    }
  }
}

/// Messages of the tree in the direction of a scatter; forward buffers are set on the way.
std::vector<Round> tree_rounds(Schedule& schedule) {
  std::vector<Round> rounds;
  for (const auto& level : binomial_tree(schedule.spec.grid)) {
    Round round;
    round.reserve(level.size());
    for (const TreeEdge& edge : level) {
      const Rect area = area_of(schedule, edge.block);
      const Buffer held = held_in(edge.block);
      if (held == Buffer::forward) schedule.forwards[static_cast<std::size_t>(edge.child)] = area;
      round.push_back({edge.parent, edge.child, area, area, holder_buffer(edge.parent), held});
    }
    rounds.push_back(std::move(round));
  }
  return rounds;
}

/// The copies between the tile of each holder and the buffer that it passes on.
std::vector<LocalCopy> holder_copies(const Schedule& schedule) {
  std::vector<LocalCopy> copies;
  if (!root_has_none(schedule.spec.grid)) copies.push_back({0, sent_tile(schedule, 0), Buffer::whole, Buffer::tile});
  for (std::size_t rank = 1; rank < schedule.tiles.size(); ++rank) {
    if (!schedule.forwards[rank].empty()) {
      copies.push_back({static_cast<int>(rank), sent_tile(schedule, rank), Buffer::forward, Buffer::tile});
    }
  }
  return copies;
}

std::vector<LocalCopy> reversed(std::vector<LocalCopy> copies) {
  for (LocalCopy& copy : copies) std::swap(copy.source, copy.target);
  return copies;
}

/// The message that takes the pixels back.
Message reversed(const Message& m) {
  return {m.receiver, m.sender, m.target_area, m.source_area, m.target, m.source};
}

/// The cell `step` further on of those that have pixels; beyond the last of them comes the first.
struct NextCell {
  int position = 0;
  bool crosses = false;  ///< the image's edge
};

NextCell next_cell(int position, int step, int first, int end) {
  const int cells = end - first;
  const int next = position + step - first;
  return {first + (next + cells) % cells, next < 0 || next >= cells};
}

/// One step of the border exchange: every rank sends `band` of its tile to its neighbour (dx, dy) cells away.
template <class Band>
Round exchange_step(const Schedule& schedule, int dx, int dy, Band band) {
  const TransferSpec& spec = schedule.spec;
  const int first_rank = first_with_pixels(spec.grid);
  Round round;
  for (int rank = first_rank; rank < spec.grid.ranks(); ++rank) {
    const NextCell column = next_cell(spec.grid.column(rank), dx, spec.grid.x > 1 ? first_rank : 0, spec.grid.x);
    const NextCell row = next_cell(spec.grid.row(rank), dy, spec.grid.y > 1 ? first_rank : 0, spec.grid.y);
    const bool crosses = column.crosses || row.crosses;
    if (crosses && !spec.cyclic) continue;
    const int neighbour = spec.grid.rank(column.position, row.position);
    const Rect area = band(schedule.tiles[static_cast<std::size_t>(rank)]);
    const Rect target = crosses ? shifted(area, -dx * spec.image.extent.width, -dy * spec.image.extent.height) : area;
    round.push_back({rank, neighbour, area, target, Buffer::tile, Buffer::tile});
  }
  return round;
}

/// Nobody touches the shared image before the root has let him, and the root does nothing with it until all have told
/// that they are done.
void add_notices(Schedule& schedule) {
  for (int rank = 1; rank < schedule.spec.grid.ranks(); ++rank) {
    schedule.rounds.push_back({{0, rank, {}, {}, Buffer::shared, Buffer::shared}});
    schedule.last_rounds.push_back({{rank, 0, {}, {}, Buffer::shared, Buffer::shared}});
  }
}

}  // namespace

void scatter_oft(Schedule& schedule) {
  schedule.rounds.reserve(schedule.tiles.size());
  for (int rank = 1; rank < schedule.spec.grid.ranks(); ++rank) {
    const Rect tile = sent_tile(schedule, static_cast<std::size_t>(rank));
    schedule.rounds.push_back({{0, rank, tile, tile, Buffer::whole, Buffer::tile}});
  }
  if (schedule.spec.in_turn && schedule.spec.kind == TransferKind::scatter) acknowledge_all_but_last(schedule);
  schedule.copies_after = holder_copies(schedule);
}

void scatter_sbt(Schedule& schedule) {
  schedule.rounds = tree_rounds(schedule);
  acknowledge_all_but_last(schedule);
  schedule.copies_after = holder_copies(schedule);
}

void gather_oft(Schedule& schedule) {
  scatter_oft(schedule);
  for (Round& round : schedule.rounds) round.front() = reversed(round.front());
  if (!schedule.spec.in_turn) grant_all_but_first(schedule);
  schedule.copies_before = reversed(std::exchange(schedule.copies_after, {}));
}

void gather_sbt(Schedule& schedule) {
  schedule.rounds = tree_rounds(schedule);
  std::reverse(schedule.rounds.begin(), schedule.rounds.end());
  for (Round& round : schedule.rounds) {
    for (Message& message : round) message = reversed(message);
  }
  grant_all_but_first(schedule);
  schedule.copies_before = reversed(holder_copies(schedule));
}

void broadcast_oft(Schedule& schedule) {
  const Rect image = rect_of(schedule.spec.image.extent);
  for (int rank = 1; rank < schedule.spec.grid.ranks(); ++rank) {
    schedule.rounds.push_back({{0, rank, image, image, Buffer::whole, Buffer::whole}});
  }
}

void broadcast_sbt(Schedule& schedule) {
  const Rect image = rect_of(schedule.spec.image.extent);
  for (const auto& level : binomial_tree(handed_on(TransferKind::broadcast, schedule.spec.grid))) {
    Round round;
    for (const TreeEdge& edge : level) {
      round.push_back({edge.parent, edge.child, image, image, Buffer::whole, Buffer::whole});
    }
    schedule.rounds.push_back(std::move(round));
  }
  acknowledge_all_but_last(schedule);
}

void scatter_shared(Schedule& schedule) {
  add_notices(schedule);
  for (int rank = first_with_pixels(schedule.spec.grid); rank < schedule.spec.grid.ranks(); ++rank) {
    schedule.copies_after.push_back(
        {rank, sent_tile(schedule, static_cast<std::size_t>(rank)), Buffer::shared, Buffer::tile});
  }
}

void gather_shared(Schedule& schedule) {
  scatter_shared(schedule);
  schedule.copies_after = reversed(std::move(schedule.copies_after));
}

void broadcast_shared(Schedule& schedule) {
  add_notices(schedule);
  for (int rank = 1; rank < schedule.spec.grid.ranks(); ++rank) {
    schedule.copies_after.push_back({rank, rect_of(schedule.spec.image.extent), Buffer::shared, Buffer::whole});
  }
}

void allgather_ring(Schedule& schedule) {
  const int ranks = schedule.spec.grid.ranks();
  const auto tile = [&](int rank) { return schedule.tiles[static_cast<std::size_t>(rank)]; };
  for (int rank = first_with_pixels(schedule.spec.grid); rank < ranks; ++rank) {
    schedule.copies_before.push_back({rank, tile(rank), Buffer::tile, Buffer::whole});
  }
  for (int hop = 0; hop + 1 < ranks; ++hop) {
    Round round;
    for (int rank = 0; rank < ranks; ++rank) {
      const Rect area = tile((rank - hop + ranks) % ranks);
      if (area.empty()) continue;
      round.push_back({rank, (rank + 1) % ranks, area, area, Buffer::whole, Buffer::whole});
    }
    schedule.rounds.push_back(std::move(round));
  }
}

void exchange_four_steps(Schedule& schedule) {
  const Halo halo = schedule.spec.exchanged;
  if (schedule.spec.grid.x > 1 && halo.x > 0) {
    schedule.rounds.push_back(exchange_step(schedule, 1, 0, [&](const Rect& t) {
      return Rect{t.x1 - halo.x, t.y0, t.x1, t.y1};
    }));
    schedule.rounds.push_back(exchange_step(schedule, -1, 0, [&](const Rect& t) {
      return Rect{t.x0, t.y0, t.x0 + halo.x, t.y1};
    }));
  }
  if (schedule.spec.grid.y > 1 && halo.y > 0) {
    // Rows with their halo in x: the corners travel along, and the message is contiguous where the halo fills the
    // pitch.
    schedule.rounds.push_back(exchange_step(schedule, 0, 1, [&](const Rect& t) {
      return Rect{t.x0 - halo.x, t.y1 - halo.y, t.x1 + halo.x, t.y1};
    }));
    schedule.rounds.push_back(exchange_step(schedule, 0, -1, [&](const Rect& t) {
      return Rect{t.x0 - halo.x, t.y0, t.x1 + halo.x, t.y0 + halo.y};
    }));
  }
}

void redistribute_in_turns(Schedule& schedule) {
  const TransferSpec& spec = schedule.spec;
  const Extent& image = spec.image.extent;
  const int ranks = spec.grid.ranks();
  const Cut columns = Cut::columns(image, spec.grid);
  const Cut rows = Cut::rows(image, spec.grid);
  std::vector<Round> turns(static_cast<std::size_t>(ranks));
  schedule.former = all_tiles(image, spec.former);
  for (int rank = 0; rank < ranks; ++rank) {
    const Rect& former = schedule.former[static_cast<std::size_t>(rank)];
    if (former.empty()) continue;
    const int last_column = columns.part_at(former.x1 - 1);
    const int last_row = rows.part_at(former.y1 - 1);
    for (int row = rows.part_at(former.y0); row <= last_row; ++row) {
      for (int column = columns.part_at(former.x0); column <= last_column; ++column) {
        const int to = spec.grid.rank(column, row);
        const Rect area = intersection(former, schedule.tiles[static_cast<std::size_t>(to)]);
        if (to == rank)
          schedule.copies_before.push_back({rank, area, Buffer::former, Buffer::tile});
        else
          turns[static_cast<std::size_t>((to - rank + ranks) % ranks)].push_back(
              {rank, to, area, area, Buffer::former, Buffer::tile});
      }
    }
  }
  std::copy_if(std::make_move_iterator(turns.begin()), std::make_move_iterator(turns.end()),
               std::back_inserter(schedule.rounds), [](const Round& turn) { return !turn.empty(); });
}

}  // namespace tilewright
