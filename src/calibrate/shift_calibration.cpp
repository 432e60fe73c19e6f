#include "shift_calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "stopwatch.hpp"
#include "tilewright/calibrate/fit.hpp"
#include "tilewright/calibrate/message_shape.hpp"
#include "tilewright/core/units.hpp"
#include "tilewright/runtime/common_start.hpp"
#include "tilewright/runtime/point_to_point.hpp"

namespace tilewright {
namespace {

constexpr int tag = 21;
constexpr int fewest_passes = 4;
/// Longer messages, which would use up the others' time, have their turn in few of the passes.
constexpr std::int64_t longest_of_every_pass = 128 * 1024;
constexpr int passes_a_turn_of_long = 3;
constexpr std::array<Layout, 2> layouts{Layout::cc, Layout::nn};  // what an exchange consists of

struct Series {
  PathCell cell;
  std::vector<double> seconds = {};
};

std::vector<Series> series_of(const PathEffort& effort) {
  std::vector<Series> all;
  for (const Layout layout : layouts) {
    for (const PathCell& cell : row_cells(Path::shift, layout, effort.sizes)) all.push_back({cell});
  }
  for (const PathCell& cell : row_cells(Path::shift, Layout::cc, effort.sizes, Packing::blocked)) all.push_back({cell});
  for (const Packing packing : {Packing::datatype, Packing::manual}) {
    for (const std::int64_t bytes : effort.block_message_sizes) {
      for (const BlockShape& shape : measured_blocks(bytes)) {
        all.push_back({{Path::shift, Layout::nn, bytes, {}, packing, shape.block_bytes, shape.stride_bytes}});
      }
    }
  }
  return all;
}

/// One rank's part.
class Shift {
 public:
  Shift(const Communicator& communicator, const std::vector<Series>& all)
      : communicator_(communicator), start_(communicator) {
    std::int64_t largest = 0;
    for (const Series& series : all) {
      largest = std::max(largest, sender_shape(series.cell).extent_bytes());
    }
    sent_.resize(static_cast<std::size_t>(largest) + 1);
    received_.resize(sent_.size());
  }

  /// Seconds of one step, on the root. Collective.
  double sample(const Series& series) {
    const int rank = communicator_.rank();
    start_.wait();
    const double begin_s = now_s();
    step(series, rank + 1, rank - 1);
    step(series, rank - 1, rank + 1);
    double slowest_s = 0;
    for (const std::string& text : communicator_.gather(fmt::format("{}", now_s() - begin_s))) {
      slowest_s = std::max(slowest_s, std::stod(text));
    }
    return slowest_s / 2;
  }

 private:
  void step(const Series& series, int receiver, int sender) {
    const auto leg = [&](std::vector<std::byte>& memory, int peer) -> std::optional<Leg> {
      if (peer < 0 || peer >= communicator_.ranks()) return std::nullopt;
      const MessageShape shape = sender_shape(series.cell);  // both ends alike
      return Leg{{memory.data(), shape.rows, shape.row_bytes, shape.pitch_bytes}, peer, series.cell.packing};
    };
    const std::optional<Leg> receive = leg(received_, sender);
    const std::optional<Leg> send = leg(sent_, receiver);
    exchange_blocks(communicator_, receive ? &*receive : nullptr, send ? &*send : nullptr, tag);
  }

  const Communicator& communicator_;
  CommonStart start_;
  std::vector<std::byte> sent_;
  std::vector<std::byte> received_;
};

}  // namespace

std::vector<PathCell> calibrate_shifts(const Communicator& communicator, const PathEffort& effort, SampleLog& log,
                                       Progress& progress) {
  if (communicator.ranks() < 3) return {};
  std::vector<Series> all = series_of(effort);
  Shift shift(communicator, all);
  for (Series& series : all) (void)shift.sample(series);  // connections are made at their first use
  const Deadline deadline(effort.budget_s);
  for (int pass = 0; pass < effort.passes; ++pass) {
    const bool enough = pass >= fewest_passes && deadline.remaining_s() <= 0;
    if (communicator.broadcast(enough ? "enough" : "on") == "enough") break;
    for (Series& series : all) {
      if (series.cell.bytes > longest_of_every_pass && pass % passes_a_turn_of_long != 0) continue;
      progress.tell(fmt::format("shift {}, {}", to_string(series.cell.layout), format_bytes(series.cell.bytes)));
      series.seconds.push_back(shift.sample(series));
    }
  }
  std::vector<PathCell> cells;
  if (!communicator.is_root()) return cells;
  for (const Series& series : all) {
    PathCell cell = series.cell;
    for (const double seconds : series.seconds) log.add(cell_name(cell), seconds);
    cell.time = fit(series.seconds);
    cells.push_back(cell);
  }
  return cells;
}

}  // namespace tilewright
