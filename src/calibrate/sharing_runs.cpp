#include "sharing_runs.hpp"

#include <algorithm>

#include "places.hpp"
#include "stopwatch.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/core/rounding.hpp"
#include "tilewright/runtime/schedule_runner.hpp"
#include "tilewright/transfers/small_runs.hpp"

namespace tilewright {
namespace {

constexpr std::int64_t page = 4096;
/// Larger images have a single place: they are in hardly any cache, wherever they lie.
constexpr std::int64_t largest_with_places = std::int64_t{32} << 20;
/// What all ranks write between two transfers of a run that leaves nothing in the caches, and each of them at least:
/// with what such a run touches by itself, as much as the largest last caches drop. Hardly a run of short tiles touches
/// more than the least.
constexpr std::int64_t cold_bytes = std::int64_t{128} << 20;
constexpr std::int64_t least_cold_share = std::int64_t{32} << 20;

/// One kind of small runs.
struct Kind {
  int runs_before = 1;              ///< until the caches hold what they hold where such runs go on
  double run_s = 0;                 ///< in which tiles are made
  std::int64_t passing_before = 0;  ///< tiles are made, in bytes
  std::int64_t passing_after = 0;   ///< that, and again after the gather
};

std::int64_t cold_share(std::int64_t tile_bytes, int ranks) {
  return tile_bytes < shortest_rested ? least_cold_share : std::max(least_cold_share, cold_bytes / ranks);
}

Kind kind_of(const PathCell& cell, int ranks) {
  switch (warm_path(cell.path).warm) {
    case Warm::no:
      return {1, 0, cold_share(cell.bytes, ranks)};
    case Warm::yes:
      return {12};
    case Warm::rested:
      return {6, rested_run_s};
    case Warm::spilled:
      return {12, 0, 0, spilling_bytes};
  }
  throw InternalError("a small run of an unknown kind");
}

/// As images have them: in lines of their own, and in huge pages.
Raster bytes(std::int64_t count) {
  Raster raster(Rect{0, 0, count, 1}, {}, {PixelType::u8, 1});
  raster.touch();
  return raster;
}

std::int64_t places_of(std::int64_t image_bytes) {
  return image_bytes <= largest_with_places ? places_of_small_runs : 1;
}

/// From one place to the next: as images of plans, they begin with a page.
std::int64_t pages_of(std::int64_t image_bytes) {
  return rounded_up(image_bytes, page);
}

std::byte* begin_of(Raster& raster) {
  return raster.view().bytes_at(0, 0);
}

}  // namespace

std::optional<PathCell> gather_of(PathCell scatter, const std::vector<PathCell>& scatters) {
  const Path by_messages = path_of(Path::message_scatter, warm_path(scatter.path).warm).value();
  const bool is_by_messages = scatter.path == by_messages;
  const bool has_another = std::ranges::any_of(scatters, [&](const PathCell& other) {
    return other.path == by_messages && other.layout == scatter.layout && other.bytes == scatter.bytes;
  });
  if (has_another && !is_by_messages) return std::nullopt;
  scatter.path = path_of(Path::shared_gather, warm_path(scatter.path).warm).value();
  scatter.packing = Packing::datatype;
  return scatter;
}

SharingRuns::SharingRuns(const Communicator& communicator, const std::vector<PathCell>& scatters)
    : communicator_(communicator), start_(communicator), watch_(switches_of(communicator)) {
  std::int64_t image_bytes = 1, shared_bytes = 1, longest_bytes = 0;
  for (const PathCell& scatter : scatters) {
    longest_bytes = std::max(longest_bytes, scatter.bytes);
    const TransferSpec spec = transfer_of_small_run(scatter, TransferKind::scatter, communicator.sharing_ranks());
    const std::int64_t bytes = spec.image.bytes();
    image_bytes = std::max(image_bytes, bytes);
    shared_bytes = std::max(shared_bytes, places_of(bytes) * pages_of(bytes));
  }
  memory_ = shared_memory(communicator, shared_bytes);
  passing_ = bytes(cold_share(longest_bytes, communicator.sharing_ranks()));
  if (communicator.is_root()) source_ = bytes(image_bytes);
}

SharingRuns::Samples SharingRuns::sample(const PathCell& cell) {
  const int ranks = communicator_.sharing_ranks();
  const Schedule scatter = make_schedule(transfer_of_small_run(cell, TransferKind::scatter, ranks));
  const Schedule gather = make_schedule(transfer_of_small_run(cell, TransferKind::gather, ranks));
  const Kind kind = kind_of(cell, ranks);
  const auto make_tiles = [&] {
    pass(kind.passing_before);
    compute(gather, kind.run_s);
    pass(kind.passing_after);
  };
  for (int i = 0; i < kind.runs_before; ++i) {
    put_image(scatter);
    run_scatter(scatter);
    make_tiles();
    run_gather(gather);
    pass(kind.passing_after);
  }
  put_image(scatter);
  const MarkedSample scattered = timed([&] { run_scatter(scatter); });
  make_tiles();
  return {scattered, timed([&] { run_gather(gather); })};
}

bool SharingRuns::takes_part() const {
  return communicator_.rank() < communicator_.sharing_ranks();
}

void SharingRuns::put_image(const Schedule& scatter) {
  if (!communicator_.is_root() || scatter.spec.algorithm != Algorithm::shared) return;
  const MutableView image = shared_image(scatter);
  copy_pixels(source_of(scatter), image, image.area());
}

void SharingRuns::run_scatter(const Schedule& scatter) {
  if (!takes_part()) return;
  scattered_ = new_tile(scatter);
  run(scatter, scattered_);
}

/// As others beside it do, whose images pass through the caches.
void SharingRuns::pass(std::int64_t count) {
  if (!takes_part()) return;
  pass_lines(begin_of(passing_), count);
}

/// As operators do, each of which makes a tile of the one before: once at least.
void SharingRuns::compute(const Schedule& gather, double seconds) {
  if (!takes_part()) return;
  const Deadline end(seconds);
  computed_ = std::move(scattered_);
  do {
    Raster next = new_tile(gather);
    copy_pixels(computed_.view(), next.view(), computed_.area());
    computed_ = std::move(next);
  } while (end.remaining_s() > 0);
}

void SharingRuns::run_gather(const Schedule& gather) {
  ++turn_;
  if (!takes_part()) return;
  run(gather, computed_);
  computed_ = {};
}

/// Where a run's tiles come to lie, too.
Raster SharingRuns::new_tile(const Schedule& schedule) const {
  const auto rank = static_cast<std::size_t>(communicator_.rank());
  return {schedule.tiles[rank], schedule.spec.storage, schedule.spec.image.format};
}

void SharingRuns::run(const Schedule& schedule, Raster& tile) {
  ScheduleBuffers buffers;
  buffers.shared = shared_image(schedule);
  if (communicator_.is_root()) buffers.whole = source_of(schedule);
  buffers.tile = tile.view();
  run_schedule(schedule, buffers, communicator_);
}

MarkedSample SharingRuns::timed(const std::function<void()>& part) {
  watch_.begin();
  const auto [slowest_s, disturbed] = start_.together(part, [&] { return takes_part() && watch_.was_disturbed(); });
  return {slowest_s, disturbed};
}

/// The root's, as the program has it.
MutableView SharingRuns::source_of(const Schedule& schedule) {
  const Rect stored = schedule.stored(0, Buffer::whole);
  return {begin_of(source_), stored, stored, schedule.spec.image.format};
}

/// What is scattered, and in its place what is gathered.
MutableView SharingRuns::shared_image(const Schedule& schedule) const {
  const Rect stored = schedule.stored(0, Buffer::shared);
  const std::int64_t bytes = stored.pixels();  // of a byte each
  const std::int64_t place = turn_ % places_of(bytes);
  return {memory_->data() + place * pages_of(bytes), stored, stored, schedule.spec.image.format};
}

}  // namespace tilewright
