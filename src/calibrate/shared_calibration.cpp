#include "shared_calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "disturbance.hpp"
#include "marked_samples.hpp"
#include "places.hpp"
#include "shuffled.hpp"
#include "stopwatch.hpp"
#include "tilewright/calibrate/fit.hpp"
#include "tilewright/calibrate/message_shape.hpp"
#include "tilewright/core/rounding.hpp"
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
/// A program holds the results of a run until the next one is done, so images lie where those of the run before the
/// last did, unless one of them alone fits no cache.
constexpr std::int64_t places_in_turn = 2;
constexpr std::int64_t border_bytes = 64;
/// Between two transfers operators write so many, and at most so much, which few caches hold.
constexpr std::int64_t tiles_passing = 16;
constexpr std::int64_t most_passing = std::int64_t{32} << 20;
/// Until memory is where runs find it that follow each other; a single one of images that no cache holds.
constexpr int runs_before = 6;

/// Of the same tiles.
struct ThereAndBack {
  PathCell scatter;
  PathCell gather;
};

std::vector<ThereAndBack> cells_of(const PathEffort& effort, int ranks) {
  std::vector<std::int64_t> sizes = effort.sizes;
  std::erase_if(sizes, [&](std::int64_t values) { return values * value_bytes * ranks >= largest_image; });
  sizes.push_back(largest_image / value_bytes / ranks);
  std::vector<ThereAndBack> cells;
  for (const Layout layout : {Layout::cc, Layout::nn}) {
    const std::vector<PathCell> scatters = row_cells(Path::shared, layout, sizes);
    const std::vector<PathCell> gathers = row_cells(Path::shared_gather, layout, sizes);
    for (std::size_t i = 0; i < scatters.size(); ++i) cells.push_back({scatters[i], gathers[i]});
  }
  return cells;
}

std::vector<PathCell> all_of(const std::vector<ThereAndBack>& cells) {
  std::vector<PathCell> all;
  for (const auto& [scatter, gather] : cells) {
    all.push_back(scatter);
    all.push_back(gather);
  }
  return all;
}

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

/// One rank's part of runs as a program repeats them: the root puts an image into the memory, all copy their tiles out
/// of it, make others of them, and copy those to where the image was. What of it is in whose caches decides what copies
/// take: they take half as long again or twice as long after something else has run.
class SharingRuns {
 public:
  SharingRuns(const Communicator& communicator, const std::vector<ThereAndBack>& cells)
      : communicator_(communicator), start_(communicator), watch_(switches_of(communicator)) {
    std::int64_t image_bytes = rotated_bytes;
    for (const ThereAndBack& cell : cells) {
      const TransferSpec spec = transfer_of(cell.scatter, communicator.sharing_ranks());
      image_bytes = std::max(image_bytes, place_bytes(spec.image.bytes()));
    }
    memory_ = shared_memory(communicator, image_bytes);
    passing_ = bytes(most_passing);
    if (communicator.is_root()) source_ = bytes(image_bytes);
  }

  struct Samples {
    MarkedSample scatter;
    MarkedSample gather;
  };

  /// Seconds, and whether any rank was disturbed; on the root. Collective.
  Samples sample(const ThereAndBack& cells) {
    const Schedule scatter = make_schedule(transfer_of(cells.scatter, communicator_.sharing_ranks()));
    const Schedule gather = make_schedule(transfer_of(cells.gather, communicator_.sharing_ranks()));
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

 private:
  [[nodiscard]] bool takes_part() const { return communicator_.rank() < communicator_.sharing_ranks(); }

  void put_image(const Schedule& schedule) {
    ++turn_;
    if (!communicator_.is_root()) return;
    const MutableView image = image_of(schedule);
    copy_pixels(ConstView(begin_of(source_), image.stored(), image.area(), image.format()), image, image.area());
  }

  void run_scatter(const Schedule& schedule) {
    if (!takes_part()) return;
    scattered_ = new_tile(schedule);
    run(schedule, scattered_);
  }

  /// As an operator does, and those beside it, whose images pass through the caches.
  void compute(const Schedule& gather) {
    if (!takes_part()) return;
    const std::int64_t passing = std::min(most_passing, tiles_passing * scattered_.bytes());
    for (std::int64_t byte = 0; byte < passing; byte += line_bytes) begin_of(passing_)[byte] ^= std::byte{1};
    computed_ = new_tile(gather);
    copy_pixels(scattered_.view(), computed_.view(), scattered_.area());
    scattered_ = {};
  }

  void run_gather(const Schedule& schedule) {
    if (!takes_part()) return;
    run(schedule, computed_);
    computed_ = {};
  }

  /// Where a run's tiles come to lie, too.
  [[nodiscard]] Raster new_tile(const Schedule& schedule) const {
    const auto rank = static_cast<std::size_t>(communicator_.rank());
    return {schedule.tiles[rank], schedule.spec.storage, schedule.spec.image.format};
  }

  void run(const Schedule& schedule, Raster& tile) {
    ScheduleBuffers buffers;
    buffers.shared = image_of(schedule);
    buffers.tile = tile.view();
    run_schedule(schedule, buffers, communicator_);
  }

  MarkedSample timed(const std::function<void()>& part) {
    watch_.begin();
    const auto [slowest_s, disturbed] = start_.together(part, [&] { return takes_part() && watch_.was_disturbed(); });
    return {slowest_s, disturbed};
  }

  [[nodiscard]] MutableView image_of(const Schedule& schedule) const {
    const Rect stored = schedule.stored(0, Buffer::shared);
    std::byte* const begin = memory_->data() + place_of_turn(turn_, stored.pixels(), rotated_bytes, places_in_turn);
    return {begin, stored, stored, schedule.spec.image.format};
  }

  const Communicator& communicator_;
  CommonStart start_;
  DisturbanceWatch watch_;
  std::shared_ptr<SharedMemory> memory_;
  Raster source_;  ///< the root's
  Raster scattered_, computed_;
  Raster passing_;
  std::int64_t turn_ = 0;
};

/// The root's.
std::vector<PathCell> broadcast_cells(const Communicator& communicator, const std::vector<PathCell>& cells) {
  std::string names;
  for (const PathCell& cell : cells) names += cell_name(cell) + "\n";
  std::istringstream lines(communicator.broadcast(communicator.is_root() ? names : std::string()));
  std::vector<PathCell> all;
  for (std::string name; std::getline(lines, name);) all.push_back(*path_cell_named(name));
  return all;
}

struct Passes {
  int most = 1;
  double budget_s = 0;
  std::uint64_t seed = 1;
};

/// On the root.
using Keep = std::function<void(const PathCell&, const MarkedSample&)>;

void take_samples(const Communicator& communicator, const std::vector<ThereAndBack>& cells, const Passes& passes,
                  const Keep& keep) {
  SharingRuns runs(communicator, cells);
  for (const ThereAndBack& cell : cells) (void)runs.sample(cell);  // code and pages are had at their first use
  const Deadline deadline(passes.budget_s);
  ShuffleEngine engine(passes.seed);
  for (int pass = 0; pass < std::max(fewest_passes, passes.most); ++pass) {
    const bool enough = pass >= fewest_passes && deadline.remaining_s() <= 0;
    if (communicator.of_root(enough)) break;
    for (const std::size_t i : shuffled(cells.size(), engine)) {
      const auto& [scatter, gather] = cells[i];
      if (scatter.bytes > longest_of_every_pass && pass % passes_a_turn_of_long != 0) continue;
      const auto [scattered, gathered] = runs.sample(cells[i]);
      if (!communicator.is_root()) continue;
      keep(scatter, scattered);
      keep(gather, gathered);
    }
  }
}

}  // namespace

void calibrate_sharing(const Communicator& communicator, const PathEffort& effort, SampleLog& log, Progress& progress) {
  if (communicator.sharing_ranks() < 2) return;
  const std::vector<ThereAndBack> cells = cells_of(effort, communicator.sharing_ranks());
  if (communicator.of_root(log.is_done(all_of(cells), effort.budget_s))) return;
  const Passes passes{effort.passes, effort.budget_s, effort.seed};
  take_samples(communicator, cells, passes, [&](const PathCell& cell, const MarkedSample& sample) {
    progress.tell(fmt::format("{} {}, {}", to_string(cell.path), to_string(cell.layout), format_bytes(cell.bytes)));
    log.add(cell_name(cell), sample.seconds, sample.disturbed);
  });
}

std::vector<PathCell> measure_sharing(const Communicator& communicator, const std::vector<PathCell>& scatters,
                                      int passes, double budget_s) {
  std::vector<ThereAndBack> cells;
  for (const PathCell& scatter : broadcast_cells(communicator, scatters)) {
    cells.push_back({scatter, scatter});
    cells.back().gather.path = Path::shared_gather;
  }
  if (cells.empty() || communicator.sharing_ranks() < 2) return {};
  std::map<std::string, std::vector<MarkedSample>> samples;
  take_samples(communicator, cells, {passes, budget_s},
               [&](const PathCell& cell, const MarkedSample& sample) { samples[cell_name(cell)].push_back(sample); });
  std::vector<PathCell> now;
  for (const auto& [name, own] : samples) {
    now.push_back(*path_cell_named(name));
    now.back().time = fit(counted(own));
  }
  return now;
}

}  // namespace tilewright
