#include "path_calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "path_bench.hpp"
#include "tilewright/calibrate/fit.hpp"
#include "tilewright/calibrate/message_shape.hpp"
#include "tilewright/core/units.hpp"

namespace tilewright {
namespace {

/// Long streams are cut here, so that the partners are in step again before buffers run over.
constexpr std::int64_t most_rounds = 1000;
/// Of each burst, the messages that bring the stream into its steady state: one, and a share of the timed ones.
constexpr std::int64_t rounds_per_warm_up = 4;
/// Even when the time is up, this many passes grant each burst this share of the budget.
constexpr int reserved_passes = 3;
constexpr double reserved_share = 0.001;
/// LogP's: 1 KiB.
constexpr std::int64_t values_of_short_message = 256;
/// Shorter messages travel in one piece.
constexpr std::int64_t smallest_blocked_bytes = 64 * 1024;
/// How often measurements that contradict each other are repeated, and with how many round trips.
constexpr int most_repetitions = 50;
constexpr std::int64_t rounds_of_repetition = 20;

/// The samples of one cell: times of messages, or round trips for Path::full.
struct Series {
  PathCell cell;
  double pilot_s = 0;          // the first message's time, which counts only where there is no other
  double seconds_a_round = 0;  // what a message takes of the budget, warm-up and handshake counted
  double shortest_burst_s = 0;
  std::vector<double> seconds = {};
};

std::vector<Series> series_of(const std::vector<PathCell>& cells) {
  std::vector<Series> all;
  for (const PathCell& cell : cells) all.push_back({cell});
  return all;
}

void append(std::vector<PathCell>& cells, const std::vector<PathCell>& more) {
  cells.insert(cells.end(), more.begin(), more.end());
}

/// The cells of P-3PC's Fig. 8, those of what travels in pieces, and what LogP and log_3P want to know.
std::vector<PathCell> paper_cells(const std::vector<std::int64_t>& sizes) {
  std::vector<PathCell> all = row_cells(Path::overhead, Layout::cc, {0, values_of_short_message});
  append(all, row_cells(Path::to_self, Layout::cc, sizes));
  append(all, row_cells(Path::copy, Layout::cc, sizes));
  for (const Path path : all_paths) append(all, row_cells(path, Layout::cc, sizes, Packing::blocked));
  for (const Path path : all_paths) {
    for (const Layout layout : all_layouts) append(all, row_cells(path, layout, sizes));
  }
  return all;
}

/// One end is contiguous: what the other one costs is to be told alone. But of a message to oneself, as log_3P has it.
std::vector<PathCell> block_cells(const std::vector<std::int64_t>& sizes) {
  std::vector<PathCell> all;
  for (const std::int64_t bytes : sizes) {
    for (const BlockShape& shape : measured_blocks(bytes)) {
      all.push_back({Path::to_self, Layout::nn, bytes, {}, Packing::datatype, shape.block_bytes, shape.stride_bytes});
    }
  }
  for (const Path path : all_paths) {
    for (const Layout layout : {Layout::cn, Layout::nc}) {
      for (const Packing packing : all_packings) {
        for (const std::int64_t bytes : sizes) {
          if (packing == Packing::blocked && bytes < smallest_blocked_bytes) continue;
          for (const BlockShape& shape : measured_blocks(bytes)) {
            all.push_back({path, layout, bytes, {}, packing, shape.block_bytes, shape.stride_bytes});
          }
        }
      }
    }
  }
  return all;
}

std::int64_t longest_extent(const std::vector<PathCell>& cells) {
  std::int64_t longest = 0;
  for (const PathCell& cell : cells) {
    longest = std::max({longest, sender_shape(cell).extent_bytes(), receiver_shape(cell).extent_bytes()});
  }
  return longest;
}

class PathCalibration {
 public:
  PathCalibration(PathBench& bench, const PathEffort& effort, SampleLog& log, Progress& progress)
      : bench_(bench), effort_(effort), log_(log), progress_(progress) {}

  std::vector<PathCell> run() {
    std::vector<Series> paper = series_of(paper_cells(effort_.sizes));
    std::vector<Series> blocks = series_of(block_cells(effort_.block_message_sizes));
    measure(paper, effort_.budget_s);
    for (const Series& series : paper) {
      if (is_empty_full(series.cell)) empty_.emplace(series.cell.layout, series.seconds);
    }
    measure(blocks, effort_.block_budget_s);
    std::vector<PathCell> cells;
    for (const std::vector<Series>* all : {&paper, &blocks}) {
      for (const Series& series : *all) cells.push_back(fitted(series));
    }
    return cells;
  }

 private:
  static bool is_empty_full(const PathCell& cell) {
    return cell.path == Path::full && cell.bytes == 0 && cell.packing == Packing::datatype;
  }

  /// In passes over all of them: a disturbance is spread over all cells. A message so long that it would use up the
  /// others' time has its turn in few of the passes.
  void measure(std::vector<Series>& all, double budget_s) {
    const Deadline deadline(budget_s);
    const double fair_s = budget_s / (static_cast<double>(all.size()) * effort_.passes);
    for (Series& series : all) series.pilot_s = burst(series, 1);
    for (int pass = 0; pass < effort_.passes; ++pass) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        const double turns = std::clamp(fair_s / all[i].shortest_burst_s, 1.0 / std::max(1, effort_.passes / 2), 1.0);
        if (pass % static_cast<int>(1 / turns) != 0) continue;
        const double left = static_cast<double>(all.size()) * (effort_.passes - pass) - static_cast<double>(i);
        const double reserve_s = pass < reserved_passes ? effort_.budget_s * reserved_share : 0;
        visit(all[i], deadline.remaining_s(), deadline.remaining_s() / left, reserve_s);
      }
    }
    for (Series& series : all) {
      if (series.seconds.empty()) keep(series, series.pilot_s);
    }
    repeat_contradictions(all);
  }

  [[nodiscard]] PathCell fitted(const Series& series) const {
    PathCell cell = series.cell;
    if (cell.path != Path::full) {
      cell.time = fit(series.seconds);
    } else if (cell.bytes == 0) {
      cell.time = fit_empty_full(series.seconds);
    } else {
      cell.time = fit_full(series.seconds, empty_.at(cell.layout));
    }
    return cell;
  }

  double burst(Series& series, std::int64_t rounds) {
    const PathCell& cell = series.cell;
    progress_.tell(fmt::format("{} {}, {}", to_string(cell.path), to_string(cell.layout), format_bytes(cell.bytes)));
    if (cell.path != Path::full) rounds += rounds % 2;  // the two messages under way arrive together
    const std::int64_t warm_up = 1 + rounds / rounds_per_warm_up;
    const double start_s = now_s();
    const double seconds = bench_.measure({cell, warm_up, rounds});
    const double burst_s = now_s() - start_s;
    series.seconds_a_round = burst_s / static_cast<double>(rounds);
    if (series.shortest_burst_s == 0 || burst_s < series.shortest_burst_s) series.shortest_burst_s = burst_s;
    return seconds;
  }

  /// A burst that takes about `share_s`, unless not even a single message fits into what remains. Where large messages
  /// have used up the budget, `reserve_s` is still there for small ones.
  void visit(Series& series, double remaining_s, double share_s, double reserve_s) {
    if (series.seconds_a_round > std::max(remaining_s, reserve_s)) return;
    const double rounds = std::floor(std::max(share_s, reserve_s) / series.seconds_a_round);
    const double most = static_cast<double>(most_rounds);
    keep(series, burst(series, static_cast<std::int64_t>(std::clamp(rounds, 1.0, most))));
  }

  /// Where ranks share a core, a few round trips may be mostly waiting for it. More of them tell. The empty messages of
  /// the same call are repeated with those that they contradict; those of an earlier one are settled.
  void repeat_contradictions(std::vector<Series>& all) {
    for (int attempt = 0; attempt < most_repetitions; ++attempt) {
      bool found = false;
      for (Series& series : all) {
        if (series.cell.path != Path::full || series.cell.bytes == 0) continue;
        const auto empty = std::find_if(all.begin(), all.end(), [&](const Series& other) {
          return is_empty_full(other.cell) && other.cell.layout == series.cell.layout;
        });
        const bool is_settled = empty == all.end();
        if (is_plausible_full(series.seconds, is_settled ? empty_.at(series.cell.layout) : empty->seconds)) continue;
        found = true;
        keep(series, burst(series, rounds_of_repetition));
        if (!is_settled) keep(*empty, burst(*empty, rounds_of_repetition));
      }
      if (!found) return;
    }
  }

  void keep(Series& series, double seconds) {
    series.seconds.push_back(seconds);
    log_.add(cell_name(series.cell), seconds);
  }

  PathBench& bench_;
  PathEffort effort_;
  std::map<Layout, std::vector<double>> empty_;  ///< round trips
  SampleLog& log_;
  Progress& progress_;
};

}  // namespace

std::vector<PathCell> calibrate_paths(const Communicator& communicator, int partner, const PathEffort& effort,
                                      SampleLog& log, Progress& progress) {
  const std::int64_t extent =
      std::max(longest_extent(paper_cells(effort.sizes)), longest_extent(block_cells(effort.block_message_sizes)));
  PathBench bench(communicator, communicator.is_root() ? partner : 0, extent);
  if (!communicator.is_root()) {
    bench.serve();
    return {};
  }
  const std::vector<PathCell> cells = PathCalibration(bench, effort, log, progress).run();
  bench.release();
  return cells;
}

}  // namespace tilewright
