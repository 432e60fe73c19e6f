#include "path_calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

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
/// How often measurements that contradict each other are repeated, and with how many round trips.
constexpr int most_repetitions = 50;
constexpr std::int64_t rounds_of_repetition = 20;

/// The samples of one cell: times of messages, or round trips for Path::full.
struct Series {
  Path path = Path::send;
  Layout layout = Layout::cc;
  std::int64_t sent = 0;
  double pilot_s = 0;          // the first message's time, which counts only where there is no other
  double seconds_a_round = 0;  // what a message takes of the budget, warm-up and handshake counted
  std::vector<double> seconds;

  [[nodiscard]] PathCell cell() const { return {path, layout, sent * value_bytes, {}}; }
};

std::vector<Series> series_of(const std::vector<std::int64_t>& sizes) {
  std::vector<Series> all;
  for (const Path path : all_paths) {
    for (const Layout layout : all_layouts) {
      std::set<std::int64_t> sent = {0};
      for (const std::int64_t values : sizes) sent.insert(values_sent(layout, values));
      for (const std::int64_t values : sent) all.push_back({path, layout, values, 0, 0, {}});
    }
  }
  return all;
}

class PathCalibration {
 public:
  PathCalibration(PathBench& bench, std::vector<Series> series, double budget_s, SampleLog& log, Progress& progress)
      : bench_(bench),
        series_(std::move(series)),
        budget_s_(budget_s),
        deadline_(budget_s),
        log_(log),
        progress_(progress) {}

  void run(int passes) {
    for (Series& series : series_) series.pilot_s = burst(series, 1);
    for (int pass = 0; pass < passes; ++pass) {
      for (std::size_t i = 0; i < series_.size(); ++i) {
        const double left = static_cast<double>(series_.size()) * (passes - pass) - static_cast<double>(i);
        visit(series_[i], deadline_.remaining_s() / left, pass < reserved_passes ? budget_s_ * reserved_share : 0);
      }
    }
    for (Series& series : series_) {
      if (series.seconds.empty()) keep(series, series.pilot_s);
    }
    repeat_contradictions();
  }

  [[nodiscard]] std::vector<PathCell> cells() const {
    std::vector<PathCell> cells;
    const Series* empty = nullptr;
    for (const Series& series : series_) {  // the empty message comes first of its path and layout
      if (series.sent == 0) empty = &series;
      PathCell cell = series.cell();
      if (series.path != Path::full) {
        cell.time = fit(series.seconds);
      } else if (series.sent == 0) {
        cell.time = fit_empty_full(series.seconds);
      } else {
        cell.time = fit_full(series.seconds, empty->seconds);
      }
      cells.push_back(cell);
    }
    return cells;
  }

 private:
  double burst(Series& series, std::int64_t rounds) {
    progress_.tell(fmt::format("{} {}, {}", to_string(series.path), to_string(series.layout),
                               format_bytes(series.sent * value_bytes)));
    if (series.path != Path::full) rounds += rounds % 2;  // the two messages under way arrive together
    const std::int64_t warm_up = 1 + rounds / rounds_per_warm_up;
    const double start_s = now_s();
    const double seconds = bench_.measure({series.path, series.layout, series.sent, warm_up, rounds});
    series.seconds_a_round = (now_s() - start_s) / static_cast<double>(rounds);
    return seconds;
  }

  /// A burst that takes about `share_s`, unless not even a single message fits into what remains. Where large messages
  /// have used up the budget, `reserve_s` is still there for small ones.
  void visit(Series& series, double share_s, double reserve_s) {
    if (series.seconds_a_round > std::max(deadline_.remaining_s(), reserve_s)) return;
    const double rounds = std::floor(std::max(share_s, reserve_s) / series.seconds_a_round);
    const double most = static_cast<double>(most_rounds);
    keep(series, burst(series, static_cast<std::int64_t>(std::clamp(rounds, 1.0, most))));
  }

  /// Where ranks share a core, a few round trips may be mostly waiting for it. More of them tell.
  void repeat_contradictions() {
    for (int attempt = 0; attempt < most_repetitions; ++attempt) {
      bool found = false;
      Series* empty = nullptr;
      for (Series& series : series_) {
        if (series.sent == 0) empty = &series;
        if (series.path != Path::full || series.sent == 0) continue;
        if (is_plausible_full(series.seconds, empty->seconds)) continue;
        found = true;
        for (Series* repeated : {&series, empty}) keep(*repeated, burst(*repeated, rounds_of_repetition));
      }
      if (!found) return;
    }
  }

  void keep(Series& series, double seconds) {
    series.seconds.push_back(seconds);
    log_.add(cell_name(series.cell()), seconds);
  }

  PathBench& bench_;
  std::vector<Series> series_;
  double budget_s_;
  Deadline deadline_;
  SampleLog& log_;
  Progress& progress_;
};

}  // namespace

std::vector<PathCell> calibrate_paths(const Communicator& communicator, int partner,
                                      const std::vector<std::int64_t>& sizes, int passes, double budget_s,
                                      SampleLog& log, Progress& progress) {
  const std::int64_t largest = sizes.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end());
  PathBench bench(communicator, communicator.is_root() ? partner : 0, largest);
  if (!communicator.is_root()) {
    bench.serve();
    return {};
  }
  PathCalibration calibration(bench, series_of(sizes), budget_s, log, progress);
  calibration.run(passes);
  bench.release();
  return calibration.cells();
}

}  // namespace tilewright
