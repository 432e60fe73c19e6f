#include "passing_calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "disturbance.hpp"
#include "marked_samples.hpp"
#include "memory_limit.hpp"
#include "places.hpp"
#include "tilewright/core/raster.hpp"
#include "tilewright/core/units.hpp"
#include "tilewright/model/cell_names.hpp"
#include "tilewright/runtime/common_start.hpp"

namespace tilewright {
namespace {

/// Of a rank: the own cache of any core holds it, and no nearer one.
constexpr std::int64_t smallest_share = 256 * 1024;
/// Of all ranks: twice the largest caches that are built.
constexpr std::int64_t largest_bytes = std::int64_t{512} << 20;
/// Of the memory that there is.
constexpr std::int64_t parts_of_memory = 8;
constexpr int samples_in_a_go = 2;
/// Until caches hold of it what they hold where it goes on: times, and bytes at least. A cache that does not drop what
/// is oldest needs several.
constexpr std::int64_t times_before = 3;
constexpr std::int64_t bytes_before = std::int64_t{64} << 20;

std::vector<PathCell> passing_cells(int ranks, std::int64_t memory_bytes) {
  std::vector<PathCell> cells;
  const std::int64_t most = std::min(largest_bytes, memory_bytes / parts_of_memory);
  for (std::int64_t bytes = smallest_share * ranks; bytes <= most; bytes *= 2)
    cells.push_back({Path::passing, Layout::cc, bytes, {}});
  return cells;
}

/// One rank's part.
class Passing {
 public:
  Passing(const Communicator& communicator, std::int64_t most_bytes)
      : ranks_(communicator.ranks()),
        start_(communicator),
        watch_(switches_of(communicator)),
        memory_(Rect{0, 0, most_bytes / ranks_, 1}, {}, {PixelType::u8, 1}) {
    memory_.touch();
  }

  /// On the root. Collective.
  MarkedSample sample(std::int64_t bytes) {
    const std::int64_t times = std::max(times_before, bytes_before / bytes);
    for (std::int64_t i = 0; i < times; ++i) pass(bytes / ranks_);
    watch_.begin();
    const auto [slowest_s, disturbed] =
        start_.together([&] { pass(bytes / ranks_); }, [&] { return watch_.was_disturbed(); });
    return {slowest_s, disturbed};
  }

 private:
  void pass(std::int64_t bytes) { pass_lines(memory_.view().bytes_at(0, 0), bytes); }

  int ranks_;
  CommonStart start_;
  DisturbanceWatch watch_;
  Raster memory_;
};

}  // namespace

void calibrate_passing(const Communicator& communicator, const PathEffort& effort, SampleLog& log, Progress& progress) {
  const int ranks = communicator.ranks();
  if (ranks < 2 || communicator.sharing_ranks() < ranks) return;
  const std::vector<PathCell> cells = passing_cells(ranks, communicator.of_root(usable_memory(physical_memory(), "/")));
  if (cells.empty() || communicator.of_root(log.is_done(cells, effort.budget_s))) return;
  Passing passing(communicator, cells.back().bytes);
  // From the least to the most, for a cache that has had to drop nearly all keeps hardly anything for many times.
  for (int taken = 0; taken < samples_in_a_go; ++taken) {
    for (const PathCell& cell : cells) {
      progress.tell(fmt::format("{}, {}", to_string(cell.path), format_bytes(cell.bytes)));
      const auto [seconds, disturbed] = passing.sample(cell.bytes);
      if (communicator.is_root()) log.add(cell_name(cell), seconds, disturbed);
    }
  }
}

}  // namespace tilewright
