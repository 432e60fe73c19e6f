#include "pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "places.hpp"
#include "tilewright/calibrate/message_shape.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

constexpr double shortest_sample_s = 1e-3;
/// Between two exchanges a plan computes: so much passes through the caches before each, at least.
constexpr std::int64_t least_swept_bytes = std::int64_t{4} << 20;
constexpr std::int64_t most_swept_bytes = std::int64_t{32} << 20;
/// As filters of some scales look beyond their tiles.
constexpr std::int64_t rows_of_exchange = 16;
constexpr double most_repeats = 100;
/// Of a ration's period, what ranks rest before an exchange.
constexpr double rest_in_periods = 0.3;
/// Ranks that take part in a swap: as many as a grid has of which none has two neighbours in a direction. The more
/// there are the longer the slowest takes.
constexpr int most_in_pairs = 4;
/// A sample of overlapped exchanges takes at least so long: where the processor is rationed, in shares of some
/// milliseconds, one alone might find its share used up, or untouched.
constexpr double steady_sample_s = 50e-3;
constexpr int some_turns = 200;
/// Of a processor that may be rationed, so some times as long.
constexpr double steady_work_s = 10e-3;

/// Whose messages they are.
Path pattern_of(Path path) {
  if (path == Path::collected) return Path::all_to_one;
  if (path == Path::exposed) return Path::shift;
  return path == Path::exposed_swap ? Path::swap : path;
}

/// A schedule, so that messages go as the runtime sends them. Both ends are alike. Ranks send and receive rows of bytes
/// of their tile; those of a round lie apart from those of the next, as the sides of a tile do. What is collected is
/// awaited all at once, and nobody sends it before, else it would come in while rank 0 works after it.
Schedule schedule_of(const PathCell& cell, int ranks) {
  const MessageShape shape = sender_shape(cell);
  Schedule schedule;
  schedule.spec.grid = {1, ranks};
  schedule.spec.image.format = {PixelType::u8, 1};
  schedule.spec.packing = cell.packing;
  schedule.forwards.resize(static_cast<std::size_t>(ranks));
  if (passes_meanwhile(cell.path)) schedule.spec.kind = TransferKind::exchange;
  const bool is_collected = cell.path == Path::collected;
  for (const auto& round : rounds_of(pattern_of(cell.path), ranks)) {
    const auto number = static_cast<std::int64_t>(schedule.rounds.size());
    const std::int64_t place = is_collected ? number : number % 2;
    const auto rows = [&](std::int64_t part) {
      return Rect{0, part * shape.rows, shape.row_bytes, (part + 1) * shape.rows};
    };
    Round& messages = schedule.rounds.emplace_back();
    for (const auto& [sender, receiver] : round) {
      messages.push_back({sender, receiver, rows(is_collected ? 0 : place), rows(2 + place)});
      messages.back().granted = is_collected;
    }
  }
  return schedule;
}

/// Of the tile of schedule_of().
constexpr std::int64_t parts_of_tile(Path path, int ranks) {
  return path == Path::collected ? 2 + ranks : 4;
}

/// Where ranks share memory, it counts whether what they exchange, and what MPI has for that, is still in the cache
/// that cores share, as it is where images fit into it. The longer rows are, the larger is the image: a message of four
/// rows of n bytes in all is of an image of n^2 / 64 bytes of floats, and a computation reads one and writes another.
/// Between nodes the wire takes most of the time, and where the processor is rationed sweeping would take the messages'
/// share.
std::int64_t swept_bytes(const MessageTeam& team, std::int64_t message_bytes) {
  const bool share_memory = team.within_node || team.communicator.nodes() == 1;
  if (!share_memory || team.communicator.ration_period_s() > 0) return least_swept_bytes;
  if (message_bytes > most_swept_bytes) return most_swept_bytes;
  const std::int64_t row_bytes = message_bytes / rows_of_exchange;
  return std::clamp(2 * row_bytes * row_bytes / value_bytes, least_swept_bytes, most_swept_bytes);
}

/// Every rank to the one `distance` further, as on a ring.
std::vector<std::pair<int, int>> around(int ranks, int distance) {
  std::vector<std::pair<int, int>> round;
  for (int rank = 0; rank < ranks; ++rank) round.emplace_back(rank, (rank + distance) % ranks);
  return round;
}

}  // namespace

PatternRounds rounds_of(Path pattern, int ranks) {
  PatternRounds rounds;
  switch (pattern) {
    case Path::shift:
      rounds.resize(2);
      for (int rank = 0; rank + 1 < ranks; ++rank) {
        rounds[0].emplace_back(rank, rank + 1);
        rounds[1].emplace_back(rank + 1, rank);
      }
      return rounds;
    case Path::swap:
      rounds.resize(2);
      for (int rank = 0; rank + 1 < std::min(ranks, most_in_pairs); rank += 2) {
        rounds[0].emplace_back(rank, rank + 1);
        rounds[1].emplace_back(rank + 1, rank);
      }
      return rounds;
    case Path::one_to_one:
      return PatternRounds(static_cast<std::size_t>(ranks - 1), around(ranks, ranks / 2));
    case Path::all_to_all:
      for (int distance = 1; distance < ranks; ++distance) rounds.push_back(around(ranks, distance));
      return rounds;
    case Path::one_to_all:
      for (int rank = 1; rank < ranks; ++rank) rounds.push_back({{0, rank}});
      return rounds;
    case Path::all_to_one:
      for (int rank = 1; rank < ranks; ++rank) rounds.push_back({{rank, 0}});
      return rounds;
    case Path::all_to_one_to_all:
      for (int rank = 1; rank < ranks; ++rank) rounds.push_back({{0, rank}, {ranks - rank, 0}});
      return rounds;
    default:
      throw InternalError(fmt::format("{} is no pattern", to_string(pattern)));
  }
}

Pattern::Pattern(const MessageTeam& team, const std::vector<PathCell>& all)
    : team_(team), communicator_(team.communicator), start_(communicator_), watch_(switches_of(communicator_)) {
  std::int64_t largest = 0;
  for (const PathCell& cell : all) {
    largest = std::max(largest, parts_of_tile(cell.path, team.ranks) * sender_shape(cell).extent_bytes());
  }
  memory_.resize(static_cast<std::size_t>(std::max(largest, rotated_bytes)) + 1);
}

MarkedSample Pattern::sample(const PathCell& cell, int repeats) {
  ++turn_;
  watch_.begin();
  if (passes_meanwhile(cell.path)) return sample_overlapped(cell, repeats);
  std::optional<Schedule> schedule;
  if (cell.path != Path::barrier) schedule = schedule_of(cell, team_.ranks);
  const ScheduleBuffers buffers{.tile = tile_of(cell)};
  if (is_of_exchange(cell.path)) {
    rest();
    sweep_caches(swept_bytes(team_, cell.bytes));
  }
  const auto repeated = [&] {
    for (int i = 0; i < repeats; ++i) {
      schedule ? exchange(*schedule, buffers) : communicator_.barrier();
    }
  };
  const auto [slowest_s, disturbed] = start_.together(repeated, [&] { return was_disturbed(); });
  last_s_ = slowest_s;
  return {(is_of_exchange(cell.path) ? slowest_s / 2 : slowest_s) / repeats, disturbed};
}

/// What is left of a transfer: less what it saves to begin it before so many turns of work, and not to wait for it
/// before them. Half of it of an exchange, for that has two steps. Who waits for long yields its core to anybody, so
/// only those who work tell of strangers.
MarkedSample Pattern::sample_overlapped(const PathCell& cell, int turns) {
  const Schedule schedule = schedule_of(cell, team_.ranks);
  const ScheduleBuffers buffers{.tile = tile_of(cell)};
  const bool works = is_left_of_exchange(cell.path) || communicator_.is_root();
  const int repeats = repeats_of_overlapped(turns);
  const double alone_s = start_.slowest_s([&] { exchange(schedule, buffers); });
  const double waiting_s = start_.slowest_s([&] {
    for (int i = 0; i < repeats; ++i) {
      exchange(schedule, buffers);
      if (works) work(turns);
    }
  });
  const auto overlapped = [&] {
    for (int i = 0; i < repeats && takes_part(); ++i) {
      ScheduleUnderWay messages(schedule, buffers, communicator_);
      if (works) work(turns);
      messages.finish();
    }
  };
  const auto [both_s, disturbed] = start_.together(overlapped, [&] { return works && was_disturbed(); });
  const double left_s = std::max(0.0, alone_s - (waiting_s - both_s) / repeats);
  return {is_left_of_exchange(cell.path) ? left_s / 2 : left_s, disturbed};
}

/// So many that a rationed processor is beyond what it had saved; all ranks count alike. Collective.
int Pattern::repeats_of_overlapped(int turns) {
  const double once_s = start_.slowest_s([&] { work(turns); });
  const double repeats = std::clamp(steady_sample_s / std::max(1e-9, once_s), 1.0, most_repeats);
  return communicator_.of_root(static_cast<int>(repeats));
}

int Pattern::repeats_of(const PathCell& cell) {
  if (passes_meanwhile(cell.path)) return turns_for(cell);
  const double once_s = sample(cell, 1).seconds;  // connections are made at their first use
  if (is_of_exchange(cell.path)) return repeats_of_exchange;
  const double wanted = std::clamp(shortest_sample_s / once_s, 1.0, most_repeats);
  return communicator_.of_root(static_cast<int>(wanted));
}

void Pattern::exchange(const Schedule& schedule, const ScheduleBuffers& buffers) const {
  if (takes_part()) run_schedule(schedule, buffers, communicator_);
}

/// Where the processor is rationed, an image waits for the wire before and after its borders are exchanged, and what
/// ranks have saved meanwhile they spend on the exchange. Here they would have spent it on the samples before, and each
/// would wait for all others' rations.
void Pattern::rest() const {
  std::this_thread::sleep_for(std::chrono::duration<double>(rest_in_periods * communicator_.ration_period_s()));
}

/// As a computation does.
void Pattern::sweep_caches(std::int64_t bytes) {
  swept_.resize(std::max(swept_.size(), static_cast<std::size_t>(bytes)));
  pass_lines(swept_.data(), bytes);
}

/// Of the processor alone: a long sum in a register.
void Pattern::work(int turns) {
  if (!takes_part()) return;
  constexpr int additions_a_turn = 1000;
  double sum = static_cast<double>(memory_[0]);
  for (int i = 0; i < turns * additions_a_turn; ++i) sum += 1.0 / (1.0 + sum);
  memory_[0] = sum > 0 ? std::byte{1} : std::byte{0};
}

/// Of work, that take as long as the messages need. Collective.
int Pattern::turns_for(const PathCell& cell) {
  const double first_s = start_.slowest_s([&] { work(some_turns); });
  const double wanted = some_turns * steady_work_s / std::max(1e-9, first_s);
  const int turns_a_sample = communicator_.of_root(static_cast<int>(std::clamp(wanted, 1.0, 1e6)));
  const Schedule schedule = schedule_of(cell, team_.ranks);
  const ScheduleBuffers buffers{.tile = tile_of(cell)};
  double exchange_s = 0;
  double work_s = 0;
  for (int i = 0; i < 2; ++i) {  // the first one warms up
    exchange_s = start_.slowest_s([&] { exchange(schedule, buffers); });
    work_s = start_.slowest_s([&] { work(turns_a_sample); });
  }
  const double turns = exchange_s / std::max(1e-9, work_s / turns_a_sample);
  return communicator_.of_root(static_cast<int>(std::clamp(turns, 1.0, 1e6)));
}

MutableView Pattern::tile_of(const PathCell& cell) {
  const MessageShape shape = sender_shape(cell);
  const Rect area{0, 0, shape.pitch_bytes, parts_of_tile(cell.path, team_.ranks) * shape.rows};
  return {memory_.data() + place_of_turn(turn_, area.pixels(), std::ssize(memory_)), area, area, {PixelType::u8, 1}};
}

}  // namespace tilewright
