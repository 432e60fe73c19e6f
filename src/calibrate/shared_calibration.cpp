#include "shared_calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "disturbance.hpp"
#include "marked_samples.hpp"
#include "places.hpp"
#include "shuffled.hpp"
#include "stopwatch.hpp"
#include "tilewright/calibrate/message_shape.hpp"
#include "tilewright/core/units.hpp"
#include "tilewright/model/cell_names.hpp"
#include "tilewright/runtime/common_start.hpp"
#include "tilewright/runtime/schedule_runner.hpp"
#include "tilewright/runtime/shared_memory.hpp"

namespace tilewright {
namespace {

constexpr int fewest_passes = 4;
/// Longer copies, which would use up the others' time, have their turn in few of the passes.
constexpr std::int64_t longest_of_every_pass = 512 * 1024;
constexpr int passes_a_turn_of_long = 3;
/// An image that fits no cache is measured, too: its copies are not as fast as the others'.
constexpr std::int64_t largest_image = std::int64_t{64} << 20;
/// An image lies where the one before the last did: tiles and images have two places in turn, as the results of
/// calibrated operators do, unless one of them alone fits no cache.
constexpr std::int64_t places_in_turn = 2;
/// What is gathered goes where an image has lain before: since then a program has used so many times its size.
constexpr std::int64_t images_between = 32;

std::vector<PathCell> cells_of(const PathEffort& effort, int ranks) {
  std::vector<std::int64_t> sizes = effort.sizes;
  std::erase_if(sizes, [&](std::int64_t values) { return values * value_bytes * ranks >= largest_image; });
  sizes.push_back(largest_image / value_bytes / ranks);
  std::vector<PathCell> cells;
  for (const Path path : {Path::shared, Path::shared_gather}) {
    for (const Layout layout : {Layout::cc, Layout::nn}) {
      const std::vector<PathCell> row = row_cells(path, layout, sizes);
      cells.insert(cells.end(), row.begin(), row.end());
    }
  }
  return cells;
}

/// A scatter or gather of rows, or of columns of tiles whose rows are as far apart as the paper's blocks. An empty copy
/// is of a single byte.
TransferSpec transfer_of(const PathCell& cell, int ranks) {
  const TransferKind kind = cell.path == Path::shared_gather ? TransferKind::gather : TransferKind::scatter;
  TransferSpec spec{kind, Algorithm::shared, {1, ranks}, {{}, {PixelType::u8, 1}}};
  const MessageShape shape = sender_shape(cell);
  const std::int64_t row = std::max<std::int64_t>(1, shape.row_bytes);
  if (cell.layout == Layout::cc) {
    spec.image.extent = {row, ranks};
    return spec;
  }
  spec.grid = {ranks, 1};
  spec.image.extent = {row * ranks, std::max<std::int64_t>(1, shape.rows)};
  spec.storage = {(row + 1) / 2, 0};
  return spec;
}

/// One rank's part.
class Sharing {
 public:
  Sharing(const Communicator& communicator, const std::vector<PathCell>& cells)
      : communicator_(communicator), start_(communicator), watch_(switches_of(communicator)) {
    std::int64_t image_bytes = rotated_bytes;
    std::int64_t tile_bytes = rotated_bytes;
    for (const PathCell& cell : cells) {
      const Schedule schedule = make_schedule(transfer_of(cell, communicator.sharing_ranks()));
      image_bytes = std::max(image_bytes, place_bytes(schedule.spec.image.bytes()));
      tile_bytes = std::max(tile_bytes, place_bytes(schedule.stored(0, Buffer::tile).pixels()));
    }
    memory_ = shared_memory(communicator, image_bytes);
    tiles_.assign(static_cast<std::size_t>(tile_bytes), std::byte{1});
    if (communicator.is_root()) std::memset(memory_->data(), 1, static_cast<std::size_t>(memory_->bytes()));
    image_bytes_ = image_bytes;
  }

  /// Seconds, and whether any rank was disturbed; on the root. Once only, for what is shared has just been made.
  /// Collective.
  MarkedSample sample(const PathCell& cell) {
    watch_.begin();
    const Schedule schedule = make_schedule(transfer_of(cell, communicator_.sharing_ranks()));
    ++turn_;
    make_source(schedule);
    const auto [slowest_s, disturbed] =
        start_.together([&] { run(schedule); }, [&] { return takes_part() && watch_.was_disturbed(); });
    return {slowest_s, disturbed};
  }

 private:
  [[nodiscard]] bool takes_part() const { return communicator_.rank() < communicator_.sharing_ranks(); }

  void run(const Schedule& schedule) {
    if (!takes_part()) return;
    ScheduleBuffers buffers;
    buffers.shared = image_of(schedule);
    buffers.tile = tile_of(schedule);
    run_schedule(schedule, buffers, communicator_);
  }

  /// In the caches of who has made it: of a scatter the root has just put the image there, of a gather each rank has
  /// computed its tile.
  void make_source(const Schedule& schedule) {
    if (!takes_part()) return;
    const bool is_gather = schedule.spec.kind == TransferKind::gather;
    if (is_gather || communicator_.is_root()) fill(is_gather ? tile_of(schedule) : image_of(schedule));
  }

  static void fill(const MutableView& view) {
    const Rect& stored = view.stored();
    std::memset(view.bytes_at(stored.x0, stored.y0), 1, static_cast<std::size_t>(stored.pixels()));
  }

  [[nodiscard]] MutableView image_of(const Schedule& schedule) const {
    const Rect stored = schedule.stored(0, Buffer::shared);
    if (schedule.spec.kind == TransferKind::scatter)
      return view(memory_->data(), rotated_bytes, stored, stored, places_in_turn);
    return view(memory_->data(), std::min(image_bytes_, images_between * stored.pixels()), stored, stored);
  }

  [[nodiscard]] MutableView tile_of(const Schedule& schedule) {
    const int rank = communicator_.rank();
    return view(tiles_.data(), rotated_bytes, schedule.stored(rank, Buffer::tile),
                schedule.tiles[static_cast<std::size_t>(rank)], places_in_turn);
  }

  /// The place whose turn it is, of those within so many bytes.
  [[nodiscard]] MutableView view(std::byte* memory, std::int64_t bytes, const Rect& stored, const Rect& area,
                                 std::int64_t most_places = std::numeric_limits<std::int64_t>::max()) const {
    return {memory + place_of_turn(turn_, stored.pixels(), bytes, most_places), stored, area, {PixelType::u8, 1}};
  }

  const Communicator& communicator_;
  CommonStart start_;
  DisturbanceWatch watch_;
  std::shared_ptr<SharedMemory> memory_;
  std::vector<std::byte> tiles_;
  std::int64_t image_bytes_ = 0;
  std::int64_t turn_ = 0;
};

}  // namespace

void calibrate_sharing(const Communicator& communicator, const PathEffort& effort, SampleLog& log, Progress& progress) {
  if (communicator.sharing_ranks() < 2) return;
  const std::vector<PathCell> cells = cells_of(effort, communicator.sharing_ranks());
  if (communicator.of_root(log.is_done(cells, effort.budget_s))) return;
  Sharing sharing(communicator, cells);
  for (const PathCell& cell : cells) (void)sharing.sample(cell);  // code and pages are had at their first use
  const Deadline deadline(effort.budget_s);
  ShuffleEngine engine(effort.seed);
  for (int pass = 0; pass < std::max(fewest_passes, effort.passes); ++pass) {
    const bool enough = pass >= fewest_passes && deadline.remaining_s() <= 0;
    if (communicator.of_root(enough)) break;
    for (const std::size_t i : shuffled(cells.size(), engine)) {
      const PathCell& cell = cells[i];
      if (cell.bytes > longest_of_every_pass && pass % passes_a_turn_of_long != 0) continue;
      progress.tell(fmt::format("{} {}, {}", to_string(cell.path), to_string(cell.layout), format_bytes(cell.bytes)));
      const auto [seconds, disturbed] = sharing.sample(cell);
      if (communicator.is_root()) log.add(cell_name(cell), seconds, disturbed);
    }
  }
}

}  // namespace tilewright
