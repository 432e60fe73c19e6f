// Runs a schedule on pixel numbers instead of pixels, and its ranks as programs that wait for each other.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "tilewright/transfers/schedule.hpp"

namespace tilewright::test {

/// The pixels of one buffer: which pixel of the image each holds, and how often it was written.
class SymbolicBuffer {
 public:
  static constexpr std::int64_t nothing = -1;

  explicit SymbolicBuffer(const Rect& stored = {}) : stored_(stored) {
    pixels_.resize(static_cast<std::size_t>(stored.pixels()), {nothing, 0});
  }
  [[nodiscard]] const Rect& stored() const { return stored_; }
  [[nodiscard]] std::int64_t pixel(std::int64_t x, std::int64_t y) const { return pixels_[index(x, y)].first; }
  [[nodiscard]] int writes(std::int64_t x, std::int64_t y) const { return pixels_[index(x, y)].second; }
  void write(std::int64_t x, std::int64_t y, std::int64_t pixel) {
    auto& [value, writes] = pixels_[index(x, y)];
    value = pixel;
    ++writes;
  }
  /// Gives `area` of an image of that width its own pixels, without counting that as a write.
  void fill(const Rect& area, std::int64_t image_width) {
    for (std::int64_t y = area.y0; y < area.y1; ++y) {
      for (std::int64_t x = area.x0; x < area.x1; ++x) pixels_[index(x, y)].first = y * image_width + x;
    }
  }

 private:
  [[nodiscard]] std::size_t index(std::int64_t x, std::int64_t y) const {
    return static_cast<std::size_t>((y - stored_.y0) * stored_.width() + x - stored_.x0);
  }
  Rect stored_;
  std::vector<std::pair<std::int64_t, int>> pixels_;
};

/// Expects each pixel of `area` to be that of an image of that width, written so often.
inline void expect_holds_own_pixels(const SymbolicBuffer& buffer, const Rect& area, std::int64_t width, int writes) {
  for (std::int64_t y = area.y0; y < area.y1; ++y) {
    for (std::int64_t x = area.x0; x < area.x1; ++x) {
      ASSERT_EQ(buffer.pixel(x, y), y * width + x) << x << ' ' << y;
      ASSERT_EQ(buffer.writes(x, y), writes) << x << ' ' << y;
    }
  }
}

/// A tile and the halo around it; nothing where it has no pixels.
inline Rect with_halo(const Rect& tile, const Halo& halo) {
  return tile.empty() ? tile : padded(tile, halo);
}

/// All buffers of all ranks while a schedule runs.
class ScheduleSimulation {
 public:
  explicit ScheduleSimulation(const Schedule& schedule) : schedule_(schedule) {
    for (int rank = 0; rank < static_cast<int>(schedule.tiles.size()); ++rank) {
      for (const Buffer buffer : {Buffer::whole, Buffer::tile, Buffer::forward}) {
        buffers_[{rank, buffer}] = SymbolicBuffer(schedule.stored(rank, buffer));
      }
      if (schedule.former.empty()) continue;
      buffers_[{rank, Buffer::former}] = SymbolicBuffer(schedule.stored(rank, Buffer::former));
    }
  }

  /// What all share is the root's whole image.
  SymbolicBuffer& at(int rank, Buffer buffer) {
    return buffer == Buffer::shared ? buffers_.at({0, Buffer::whole}) : buffers_.at({rank, buffer});
  }

  /// Messages of a round read what was there before it; nothing may be overwritten that the same round sends.
  void run() {
    for (const LocalCopy& copy : schedule_.copies_before) apply(copy);
    run(schedule_.rounds);
    for (const LocalCopy& copy : schedule_.copies_after) apply(copy);
    run(schedule_.last_rounds);
  }

 private:
  void run(const std::vector<Round>& rounds) {
    for (const Round& round : rounds) {
      expect_one_message_each_way(round);
      expect_nothing_sent_is_overwritten(round);
      std::vector<std::vector<std::int64_t>> payloads;
      for (const Message& message : round) payloads.push_back(read(message));
      for (std::size_t i = 0; i < round.size(); ++i) deliver(round[i], payloads[i]);
    }
  }

  std::vector<std::int64_t> read(const Message& message) {
    EXPECT_TRUE(schedule_.stored(message.sender, message.source).contains(message.source_area));
    std::vector<std::int64_t> payload;
    const SymbolicBuffer& source = at(message.sender, message.source);
    for (std::int64_t y = message.source_area.y0; y < message.source_area.y1; ++y) {
      for (std::int64_t x = message.source_area.x0; x < message.source_area.x1; ++x) {
        payload.push_back(source.pixel(x, y));
      }
    }
    return payload;
  }

  void deliver(const Message& message, const std::vector<std::int64_t>& payload) {
    EXPECT_TRUE(schedule_.stored(message.receiver, message.target).contains(message.target_area));
    EXPECT_EQ(message.target_area.width(), message.source_area.width());
    EXPECT_EQ(message.target_area.height(), message.source_area.height());
    SymbolicBuffer& target = at(message.receiver, message.target);
    auto pixel = payload.begin();
    for (std::int64_t y = message.target_area.y0; y < message.target_area.y1; ++y) {
      for (std::int64_t x = message.target_area.x0; x < message.target_area.x1; ++x) target.write(x, y, *pixel++);
    }
  }

  void apply(const LocalCopy& copy) {
    deliver({copy.rank, copy.rank, copy.area, copy.area, copy.source, copy.target},
            read({copy.rank, copy.rank, copy.area, copy.area, copy.source, copy.target}));
  }

  static void expect_one_message_each_way(const Round& round) {
    std::set<int> senders;
    std::set<int> receivers;
    for (const Message& message : round) {
      EXPECT_TRUE(senders.insert(message.sender).second) << "rank " << message.sender << " sends twice in a round";
      EXPECT_TRUE(receivers.insert(message.receiver).second) << "rank " << message.receiver << " receives twice";
    }
  }

  static void expect_nothing_sent_is_overwritten(const Round& round) {
    for (const Message& sent : round) {
      for (const Message& received : round) {
        if (sent.sender != received.receiver || sent.source != received.target) continue;
        EXPECT_TRUE(intersection(sent.source_area, received.target_area).empty());
      }
    }
  }

  const Schedule& schedule_;
  std::map<std::pair<int, Buffer>, SymbolicBuffer> buffers_;
};

/// True if every rank comes to its end although each send waits for its receive to be posted. In a round that names it,
/// a rank posts its receive, then sends, then completes both; only then does it turn to its next round.
inline bool ends_with_synchronous_sends(const Schedule& schedule) {
  struct Turn {
    const Message* send = nullptr;
    const Message* receive = nullptr;
    bool posted = false;
  };
  std::map<int, std::deque<Turn>> programs;
  for (const auto* rounds : {&schedule.rounds, &schedule.last_rounds}) {
    for (const Round& round : *rounds) {
      std::map<int, Turn> turns;
      for (const Message& message : round) {
        turns[message.sender].send = &message;
        turns[message.receiver].receive = &message;
      }
      for (const auto& [rank, turn] : turns) programs[rank].push_back(turn);
    }
  }
  for (bool progress = true; progress;) {
    progress = false;
    for (auto& [rank, program] : programs) {
      if (program.empty()) continue;
      Turn& turn = program.front();
      progress = progress || !turn.posted;
      turn.posted = true;
      if (turn.send != nullptr) {
        auto& other = programs[turn.send->receiver];
        if (!other.empty() && other.front().posted && other.front().receive == turn.send) {
          turn.send = other.front().receive = nullptr;
          progress = true;
        }
      }
      if (turn.send == nullptr && turn.receive == nullptr) {
        program.pop_front();
        progress = true;
      }
    }
  }
  for (const auto& [rank, program] : programs) {
    if (!program.empty()) return false;
  }
  return true;
}

/// The same columns and rows in unequal shares; itself, where nothing is cut.
inline ProcessGrid uneven(const ProcessGrid& grid) {
  const auto shares = [](int parts) {
    std::vector<int> all;
    for (int part = 0; part < parts; ++part) all.push_back(2 + part % 3);
    return all;
  };
  return with_shares(grid, shares(grid.x), shares(grid.y));
}

/// Strips, or columns, of which the root has none; the same grid where it cannot have none.
inline ProcessGrid without_pixels_on_root(const ProcessGrid& grid) {
  if (grid.ranks() < 3 || (grid.x > 1 && grid.y > 1)) return grid;
  std::vector<int> shares(static_cast<std::size_t>(grid.ranks()), 1);
  shares.front() = 0;
  return grid.x > 1 ? with_shares(grid, shares, {}) : with_shares(grid, {}, shares);
}

/// Every grid of 1 to `most` ranks that can hold the image with that halo.
inline std::vector<ProcessGrid> feasible_grids(const Extent& extent, const Halo& halo, int most) {
  std::vector<ProcessGrid> grids;
  for (int ranks = 1; ranks <= most; ++ranks) {
    for (const ProcessGrid& grid : grids_of(ranks)) {
      for (const ProcessGrid& cut : {grid, uneven(grid), without_pixels_on_root(grid)}) {
        if (why_infeasible(extent, cut, halo).empty() && (grids.empty() || grids.back() != cut)) grids.push_back(cut);
      }
    }
  }
  return grids;
}

}  // namespace tilewright::test
