#include "pattern_calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <set>

#include "disturbance.hpp"
#include "marked_samples.hpp"
#include "path_sampling.hpp"
#include "places.hpp"
#include "shuffled.hpp"
#include "stopwatch.hpp"
#include "tilewright/calibrate/fit.hpp"
#include "tilewright/calibrate/message_shape.hpp"
#include "tilewright/calibrate/messages.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/core/units.hpp"
#include "tilewright/model/cell_names.hpp"
#include "tilewright/runtime/common_start.hpp"
#include "tilewright/runtime/schedule_runner.hpp"

namespace tilewright {
namespace {

constexpr double shortest_sample_s = 1e-3;
/// Between two exchanges a plan computes: so much passes through the caches before each, at least.
constexpr std::int64_t least_swept_bytes = std::int64_t{4} << 20;
constexpr std::int64_t most_swept_bytes = std::int64_t{32} << 20;
constexpr double most_repeats = 100;
/// Of shifts and swaps: a plan has an exchange between two computations, and begins it so.
constexpr int repeats_of_exchange = 1;
/// Longer messages, which would use up the others' time, have their turn in few of the passes.
constexpr std::int64_t longest_of_every_pass = 128 * 1024;
constexpr int passes_a_turn_of_long = 3;
/// Of the messages of patterns, beside the sizes that tell what blocks cost: start-ups dominate.
constexpr std::int64_t smallest_of_patterns = 1024;
/// No plan is priced by the other patterns unless it is asked for.
constexpr int fewest_passes_of_others = 2;
/// Ranks that take part in a swap: as many as a grid has of which none has two neighbours in a direction. The more
/// there are the longer the slowest takes.
constexpr int most_in_pairs = 4;
constexpr double share_of_exchanges = 0.7;
/// A sample of overlapped exchanges takes at least so long: where the processor is rationed, in shares of some
/// milliseconds, one alone might find its share used up, or untouched.
constexpr double steady_sample_s = 50e-3;
constexpr double share_of_overlapped = 0.15;
constexpr std::array<Layout, 2> layouts{Layout::cc, Layout::nn};  // what an exchange consists of

/// Evenly over all, the first and the last among them. A sample of all ranks takes some barriers, which are slow where
/// processors are rationed.
std::vector<std::int64_t> some_of(const std::vector<std::int64_t>& sizes, int most) {
  const auto last = static_cast<std::int64_t>(sizes.size()) - 1;
  if (most < 2 || last < most) return sizes;
  std::vector<std::int64_t> some;
  for (int i = 0; i < most; ++i) some.push_back(sizes[static_cast<std::size_t>(i * last / (most - 1))]);
  return some;
}

/// Of a shift or a swap.
std::vector<PathCell> cells_of(Path path, const PathEffort& effort) {
  const std::vector<std::int64_t> sizes = some_of(effort.sizes, effort.most_exchange_sizes);
  std::vector<PathCell> all;
  for (const Layout layout : layouts) {
    for (const PathCell& cell : row_cells(path, layout, sizes)) all.push_back(cell);
  }
  for (const PathCell& cell : row_cells(path, Layout::cc, sizes, Packing::blocked)) all.push_back(cell);
  for (const Packing packing : {Packing::datatype, Packing::manual}) {
    for (const std::int64_t bytes : effort.block_message_sizes) {
      for (const BlockShape& shape : measured_blocks(bytes, effort.block_growth)) {
        all.push_back({path, Layout::nn, bytes, {}, packing, shape.block_bytes, shape.stride_bytes});
      }
    }
  }
  return all;
}

/// Swaps; of three ranks or more, one of which has two neighbours, shifts as well.
std::vector<PathCell> exchange_cells(const PathEffort& effort, int ranks) {
  std::vector<PathCell> all = cells_of(Path::swap, effort);
  if (ranks < 3) return all;
  const std::vector<PathCell> shifts = cells_of(Path::shift, effort);
  all.insert(all.end(), shifts.begin(), shifts.end());
  return all;
}

std::vector<PathCell> pattern_cells(const PathEffort& effort) {
  std::vector<PathCell> all{{Path::barrier, Layout::cc, 0, {}}};
  for (const Path pattern : all_patterns) {
    all.push_back({pattern, Layout::cc, smallest_of_patterns, {}});
    for (const std::int64_t bytes : effort.block_message_sizes) all.push_back({pattern, Layout::cc, bytes, {}});
  }
  return all;
}

/// What is left of them is measured while ranks work.
constexpr bool passes_meanwhile(Path path) {
  return is_left_of_exchange(path) || path == Path::collected;
}

/// Of swaps; of three ranks or more, one of which has two neighbours, of shifts as well.
std::vector<PathCell> overlapped_cells(const PathEffort& effort, int ranks) {
  std::vector<PathCell> all;
  for (const std::int64_t bytes : effort.overlapped_sizes) {
    all.push_back({Path::exposed_swap, Layout::cc, bytes, {}, Packing::blocked});
    if (ranks >= 3) all.push_back({Path::exposed, Layout::cc, bytes, {}, Packing::blocked});
  }
  for (const std::int64_t bytes : effort.collected_sizes) {
    all.push_back({Path::collected, Layout::cc, bytes, {}, Packing::blocked});
  }
  return all;
}

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
  return std::clamp(message_bytes * message_bytes / 32, least_swept_bytes, most_swept_bytes);
}

/// One rank's part.
class Pattern {
 public:
  Pattern(const MessageTeam& team, const std::vector<PathCell>& all)
      : team_(team), communicator_(team.communicator), start_(communicator_), watch_(switches_of(communicator_)) {
    std::int64_t largest = 0;
    for (const PathCell& cell : all) {
      largest = std::max(largest, parts_of_tile(cell.path, team.ranks) * sender_shape(cell).extent_bytes());
    }
    memory_.resize(static_cast<std::size_t>(std::max(largest, rotated_bytes)) + 1);
  }

  /// Seconds of a sample, the mean of `repeats` without a pause, and whether any rank was disturbed; on the root.
  /// Collective.
  MarkedSample sample(const PathCell& cell, int repeats) {
    ++turn_;
    watch_.begin();
    if (passes_meanwhile(cell.path)) return sample_overlapped(cell, repeats);
    std::optional<Schedule> schedule;
    if (cell.path != Path::barrier) schedule = schedule_of(cell, team_.ranks);
    const ScheduleBuffers buffers{.tile = tile_of(cell)};
    if (is_of_exchange(cell.path)) sweep_caches(swept_bytes(team_, cell.bytes));
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
  /// before them. Half of it of an exchange, for that has two steps.
  MarkedSample sample_overlapped(const PathCell& cell, int turns) {
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
    const auto [both_s, disturbed] = start_.together(overlapped, [&] { return was_disturbed(); });
    const double left_s = std::max(0.0, alone_s - (waiting_s - both_s) / repeats);
    return {is_left_of_exchange(cell.path) ? left_s / 2 : left_s, disturbed};
  }

  /// So many that a rationed processor is beyond what it had saved; all ranks count alike. Collective.
  int repeats_of_overlapped(int turns) {
    const double once_s = start_.slowest_s([&] { work(turns); });
    const double repeats = std::clamp(steady_sample_s / std::max(1e-9, once_s), 1.0, most_repeats);
    return communicator_.of_root(static_cast<int>(repeats));
  }

  /// What the last sample took by itself, without what was made ready for it; on the root.
  [[nodiscard]] double last_seconds() const { return last_s_; }

  /// How often a pattern is repeated in a sample, so that where ranks begin a little apart does not tell. Collective.
  int repeats_of(const PathCell& cell) {
    if (passes_meanwhile(cell.path)) return turns_for(cell);
    const double once_s = sample(cell, 1).seconds;  // connections are made at their first use
    if (is_of_exchange(cell.path)) return repeats_of_exchange;
    const double wanted = std::clamp(shortest_sample_s / once_s, 1.0, most_repeats);
    return communicator_.of_root(static_cast<int>(wanted));
  }

 private:
  [[nodiscard]] bool takes_part() const { return team_.has_this_rank(); }
  [[nodiscard]] bool was_disturbed() const { return takes_part() && watch_.was_disturbed(); }

  void exchange(const Schedule& schedule, const ScheduleBuffers& buffers) const {
    if (takes_part()) run_schedule(schedule, buffers, communicator_);
  }

  /// As a computation does.
  void sweep_caches(std::int64_t bytes) {
    swept_.resize(std::max(swept_.size(), static_cast<std::size_t>(bytes)));
    for (std::size_t i = 0; i < static_cast<std::size_t>(bytes); i += line_bytes)
      swept_[i] = swept_[i] == std::byte{0} ? std::byte{1} : std::byte{0};
  }

  /// Of the processor alone: a long sum in a register.
  void work(int turns) {
    if (!takes_part()) return;
    constexpr int additions_a_turn = 1000;
    double sum = static_cast<double>(memory_[0]);
    for (int i = 0; i < turns * additions_a_turn; ++i) sum += 1.0 / (1.0 + sum);
    memory_[0] = sum > 0 ? std::byte{1} : std::byte{0};
  }

  /// Of work, that take as long as the messages need. Collective.
  static constexpr int some_turns = 200;
  static constexpr double steady_work_s = 10e-3;  // of a processor that may be rationed, so some times as long
  int turns_for(const PathCell& cell) {
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

  MutableView tile_of(const PathCell& cell) {
    const MessageShape shape = sender_shape(cell);
    const Rect area{0, 0, shape.pitch_bytes, parts_of_tile(cell.path, team_.ranks) * shape.rows};
    return {memory_.data() + place_of_turn(turn_, area.pixels(), std::ssize(memory_)), area, area, {PixelType::u8, 1}};
  }

  const MessageTeam& team_;
  const Communicator& communicator_;
  CommonStart start_;
  DisturbanceWatch watch_;
  std::vector<std::byte> memory_;
  std::vector<std::byte> swept_;
  double last_s_ = 0;
  std::int64_t turn_ = 0;
};

/// Every rank to the one `distance` further, as on a ring.
std::vector<std::pair<int, int>> around(int ranks, int distance) {
  std::vector<std::pair<int, int>> round;
  for (int rank = 0; rank < ranks; ++rank) round.emplace_back(rank, (rank + distance) % ranks);
  return round;
}

struct PassEffort {
  double budget_s = 0;
  int fewest_passes = 1;
  int most_passes = 1;
  std::uint64_t seed = 1;        ///< of the order in which cells are measured; all ranks have the same
  double longest_message_s = 0;  ///< as of PathEffort
};

/// How often each cell is repeated in a sample; 0: it would leave no time for the others. Collective.
std::vector<int> repeats_of_cells(const Communicator& communicator, Pattern& pattern,
                                  const std::vector<PathCell>& cells, double longest_s) {
  std::vector<int> repeats;
  std::set<Path> connected;
  std::int64_t too_long = std::numeric_limits<std::int64_t>::max();
  for (const PathCell& cell : cells) {
    const bool may_be_left_out = longest_s > 0 && cell.bytes > longest_on_any_wire && !passes_meanwhile(cell.path);
    if (repeats.emplace_back(0); may_be_left_out && cell.bytes >= too_long) continue;
    const bool is_connected = !connected.insert(cell.path).second;
    const bool is_known = is_of_exchange(cell.path) && is_connected && !may_be_left_out;
    repeats.back() = is_known ? repeats_of_exchange : pattern.repeats_of(cell);
    if (!may_be_left_out) continue;
    const bool is_long = pattern.last_seconds() > longest_s;
    if (!communicator.of_root(is_long)) continue;
    too_long = cell.bytes;
    repeats.back() = 0;
  }
  return repeats;
}

/// Passes over the cells, each in another order, until the time is up. Collective.
void sample_in_passes(const Communicator& communicator, Pattern& pattern, const std::vector<PathCell>& cells,
                      const PassEffort& effort, SampleLog& log, Progress& progress) {
  const std::vector<int> repeats = repeats_of_cells(communicator, pattern, cells, effort.longest_message_s);
  const Deadline deadline(effort.budget_s);
  ShuffleEngine engine(effort.seed);
  for (int pass = 0; pass < effort.most_passes; ++pass) {
    const bool enough = pass >= effort.fewest_passes && deadline.remaining_s() <= 0;
    if (communicator.of_root(enough)) break;
    for (const std::size_t i : shuffled(cells.size(), engine)) {
      const PathCell& cell = cells[i];
      const bool waits = cell.bytes > longest_of_every_pass && pass % passes_a_turn_of_long != 0;
      if (waits || repeats[i] == 0) continue;
      progress.tell(fmt::format("{} {}, {}", to_string(cell.path), to_string(cell.layout), format_bytes(cell.bytes)));
      const auto [seconds, disturbed] = pattern.sample(cell, repeats[i]);
      if (communicator.is_root()) log.add(cell_name(cell), seconds, disturbed);
    }
  }
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

void calibrate_patterns(const MessageTeam& team, const PathEffort& effort, SampleLog& log, Progress& progress) {
  if (team.ranks < 2) return;
  const Communicator& communicator = team.communicator;
  const std::vector<PathCell> exchanges = team.of_team(exchange_cells(effort, team.ranks));
  const std::vector<PathCell> overlapped =
      team.within_node ? std::vector<PathCell>() : overlapped_cells(effort, team.ranks);
  const std::vector<PathCell> others = team.within_node ? std::vector<PathCell>() : pattern_cells(effort);
  std::vector<PathCell> all = exchanges;
  all.insert(all.end(), overlapped.begin(), overlapped.end());
  all.insert(all.end(), others.begin(), others.end());
  if (communicator.of_root(log.is_done(all, effort.budget_s))) return;
  Pattern pattern(team, all);
  // One after the other: what all ranks send to all leaves them in debt, where their processor time is rationed, and
  // the next sample would pay for it.
  const double share = team.within_node ? 1 : share_of_exchanges;
  const PassEffort of_exchanges{share * effort.budget_s, effort.fewest_passes, effort.passes, effort.seed,
                                effort.longest_message_s};
  sample_in_passes(communicator, pattern, exchanges, of_exchanges, log, progress);
  if (team.within_node) return;
  const PassEffort of_overlapped{share_of_overlapped * effort.budget_s, effort.fewest_overlapped_passes, effort.passes,
                                 effort.seed, effort.longest_message_s};
  sample_in_passes(communicator, pattern, overlapped, of_overlapped, log, progress);
  const PassEffort of_others{(1 - share_of_exchanges - share_of_overlapped) * effort.budget_s, fewest_passes_of_others,
                             effort.passes, effort.seed, effort.longest_message_s};
  sample_in_passes(communicator, pattern, others, of_others, log, progress);
}

Estimate measure_pattern(const Communicator& communicator, Path path, std::int64_t bytes, int samples) {
  const PathCell cell{path, Layout::cc, bytes, {}};
  const MessageTeam team{communicator, communicator.ranks()};
  Pattern pattern(team, {cell});
  const int repeats = pattern.repeats_of(cell);
  std::vector<double> seconds;
  for (int i = 0; i < std::max(1, samples); ++i) seconds.push_back(pattern.sample(cell, repeats).seconds);
  return communicator.is_root() ? fit(seconds) : Estimate{};
}

}  // namespace tilewright
