#include "sharing_runs.hpp"

#include <algorithm>
#include <cmath>

#include "places.hpp"
#include "tilewright/calibrate/message_shape.hpp"
#include "tilewright/core/rounding.hpp"
#include "tilewright/runtime/schedule_runner.hpp"

namespace tilewright {
namespace {

/// A program holds the results of a run until the next one is done, so images lie where those of the run before the
/// last did, unless one of them alone fits no cache.
constexpr std::int64_t places_in_turn = 2;
constexpr std::int64_t border_bytes = 64;
/// Between two transfers operators write so many, and at most so much, which few caches hold.
constexpr std::int64_t tiles_passing = 16;
constexpr std::int64_t most_passing = std::int64_t{32} << 20;
/// Until memory is where runs find it that follow each other; a single one of images that no cache holds.
constexpr int runs_before = 6;

/// Of a square image of floats, in bytes: its rows are cut (nn), or lie together in strips (cc). As in most images no
/// line is of two tiles. Scattered tiles have a border, as what filters work on; results have none. An empty copy is of
/// a single byte.
TransferSpec transfer_of(const PathCell& cell, int ranks) {
  const TransferKind kind = cell.path == Path::shared_gather ? TransferKind::gather : TransferKind::scatter;
  TransferSpec spec{kind, Algorithm::shared, {}, {{}, {PixelType::u8, 1}}};
  const std::int64_t bytes = std::max<std::int64_t>(1, cell.bytes);
  const double side = std::sqrt(static_cast<double>(bytes * ranks) / value_bytes);
  const bool is_cut = cell.layout == Layout::nn;
  const auto row = static_cast<std::int64_t>(value_bytes * (is_cut ? side / ranks : side));
  const std::int64_t row_bytes = row < line_bytes ? std::min(bytes, line_bytes) : row / line_bytes * line_bytes;
  const std::int64_t rows = rounded_up(bytes, row_bytes) / row_bytes;
  spec.grid = is_cut ? ProcessGrid{ranks, 1} : ProcessGrid{1, ranks};
  spec.image.extent = is_cut ? Extent{row_bytes * ranks, rows} : Extent{row_bytes, rows * ranks};
  if (kind == TransferKind::scatter) spec.storage = {border_bytes, 0};
  return spec;
}

/// As images have them: in lines of their own, and in huge pages.
Raster bytes(std::int64_t count) {
  Raster raster(Rect{0, 0, count, 1}, {}, {PixelType::u8, 1});
  raster.touch();
  return raster;
}

std::byte* begin_of(Raster& raster) {
  return raster.view().bytes_at(0, 0);
}

}  // namespace

PathCell gather_of(PathCell scatter) {
  scatter.path = Path::shared_gather;
  return scatter;
}

SharingRuns::SharingRuns(const Communicator& communicator, const std::vector<PathCell>& scatters)
    : communicator_(communicator), start_(communicator), watch_(switches_of(communicator)) {
  std::int64_t image_bytes = rotated_bytes;
  for (const PathCell& scatter : scatters) {
    const TransferSpec spec = transfer_of(scatter, communicator.sharing_ranks());
    image_bytes = std::max(image_bytes, place_bytes(spec.image.bytes()));
  }
  memory_ = shared_memory(communicator, image_bytes);
  passing_ = bytes(most_passing);
  if (communicator.is_root()) source_ = bytes(image_bytes);
}

SharingRuns::Samples SharingRuns::sample(const PathCell& cell) {
  const Schedule scatter = make_schedule(transfer_of(cell, communicator_.sharing_ranks()));
  const Schedule gather = make_schedule(transfer_of(gather_of(cell), communicator_.sharing_ranks()));
  const bool fits_no_cache = scatter.spec.image.bytes() > most_passing;
  for (int i = 0; i < (fits_no_cache ? 1 : runs_before); ++i) {
    put_image(scatter);
    run_scatter(scatter);
    compute(gather);
    run_gather(gather);
  }
  put_image(scatter);
  const MarkedSample scattered = timed([&] { run_scatter(scatter); });
  compute(gather);
  return {scattered, timed([&] { run_gather(gather); })};
}

bool SharingRuns::takes_part() const {
  return communicator_.rank() < communicator_.sharing_ranks();
}

void SharingRuns::put_image(const Schedule& scatter) {
  ++turn_;
  if (!communicator_.is_root()) return;
  const MutableView image = image_of(scatter);
  copy_pixels(ConstView(begin_of(source_), image.stored(), image.area(), image.format()), image, image.area());
}

void SharingRuns::run_scatter(const Schedule& scatter) {
  if (!takes_part()) return;
  scattered_ = new_tile(scatter);
  run(scatter, scattered_);
}

/// As an operator does, and those beside it, whose images pass through the caches.
void SharingRuns::compute(const Schedule& gather) {
  if (!takes_part()) return;
  const std::int64_t passing = std::min(most_passing, tiles_passing * scattered_.bytes());
  for (std::int64_t byte = 0; byte < passing; byte += line_bytes) begin_of(passing_)[byte] ^= std::byte{1};
  computed_ = new_tile(gather);
  copy_pixels(scattered_.view(), computed_.view(), scattered_.area());
  scattered_ = {};
}

void SharingRuns::run_gather(const Schedule& gather) {
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
  buffers.shared = image_of(schedule);
  buffers.tile = tile.view();
  run_schedule(schedule, buffers, communicator_);
}

MarkedSample SharingRuns::timed(const std::function<void()>& part) {
  watch_.begin();
  const auto [slowest_s, disturbed] = start_.together(part, [&] { return takes_part() && watch_.was_disturbed(); });
  return {slowest_s, disturbed};
}

MutableView SharingRuns::image_of(const Schedule& schedule) const {
  const Rect stored = schedule.stored(0, Buffer::shared);
  std::byte* const begin = memory_->data() + place_of_turn(turn_, stored.pixels(), rotated_bytes, places_in_turn);
  return {begin, stored, stored, schedule.spec.image.format};
}

}  // namespace tilewright
