#include "operator_calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "operator_order.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/model/cell_names.hpp"

namespace tilewright {
namespace {

/// Several runs make up a sample, so that what befalls a computation now and then, as cold caches after somebody else's
/// turn, is in every sample as it is in every longer run.
constexpr double shortest_sample_s = 1e-3;
/// Of the processor, before the first sample counts: after other cells, whose images have passed through the caches, it
/// takes so long until runs are as fast as in a pipeline.
constexpr double warm_up_s = 2e-3;
/// A filter makes floats of whatever it reads, so most of what pipelines compute is on floats: their cells get as many
/// times the share of others.
constexpr double weight_of_floats = 4;
constexpr double most_runs = 1e4;
/// A cell may take this many times its share of the budget while others wait for theirs.
constexpr double patience = 8;

/// Seconds that visiting a cell takes at least, preparation and warm-up counted, a pixel of its tile.
struct Experience {
  double parameter = 0;
  double seconds_a_pixel = 0;
};

/// A cell on its way.
struct Entry {
  OperatorTask task;
  std::vector<OperatorSample> samples = {};

  [[nodiscard]] OperatorCell cell(const OperatorEffort& effort) const {
    const auto pixels = static_cast<double>(task.side * task.side);
    return {task.benchmark->key, task.type, task.parameter, pixels, {}, effort.ranks, effort.threads};
  }
};

class OperatorCalibration {
 public:
  OperatorCalibration(const std::vector<OperatorTask>& tasks, const OperatorEffort& effort, Progress& progress)
      : effort_(effort), deadline_(effort.budget_s), watch_(effort.switches), progress_(progress) {
    for (const OperatorTask& task : tasks) {
      if (effort.ranks > 1 || !task.benchmark->of_all_ranks) entries_.push_back({task});
    }
  }

  OperatorMeasurement run() {
    visit_all();
    if (effort_.every_kind) visit_missing_kinds();
    while (visit_neediest()) {
    }
    OperatorMeasurement measurement;
    for (const Entry& entry : entries_) {
      if (entry.samples.empty()) continue;
      const OperatorBenchmark& benchmark = *entry.task.benchmark;
      measurement.series.push_back(
          {entry.cell(effort_), benchmark.waits_for_files, entry.samples, benchmark.of_all_ranks});
    }
    measurement.computing = computing_;
    return measurement;
  }

 private:
  using Kind = std::pair<std::string, PixelType>;

  /// In the order of the tasks. Costly cells wait.
  void visit_all() {
    double weight_left = 0;
    for (const Entry& entry : entries_) weight_left += weight_of(entry.task);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const OperatorTask& task = entries_[i].task;
      const double share_s = deadline_.remaining_s() * weight_of(task) / weight_left;
      weight_left -= weight_of(task);
      if (share_s > 0 && expected_s(task) <= patience * share_s) visit(entries_[i], share_s);
    }
  }

  /// Those that the time did not suffice for: the profile needs one cell of each, and the smallest tile takes least.
  void visit_missing_kinds() {
    std::map<Kind, Entry*> smallest;
    std::set<Kind> known;
    for (Entry& entry : entries_) {
      const Kind kind(entry.task.benchmark->key, entry.task.type);
      if (!entry.samples.empty()) known.insert(kind);
      Entry*& best = smallest.try_emplace(kind, &entry).first->second;
      if (entry.task.side < best->task.side) best = &entry;
    }
    for (const auto& [kind, entry] : smallest) {
      if (!known.contains(kind)) visit(*entry, 0);
    }
  }

  static double weight_of(const OperatorTask& task) { return task.type == PixelType::f32 ? weight_of_floats : 1; }

  /// What the first visits left of the time: for the cells that had to wait, and for those with few samples. False if
  /// nothing is left to do, or no time for it.
  bool visit_neediest() {
    std::vector<Entry*> needy;
    for (Entry& entry : entries_) {
      if (static_cast<int>(entry.samples.size()) < effort_.samples) needy.push_back(&entry);
    }
    std::stable_sort(needy.begin(), needy.end(),
                     [](const Entry* a, const Entry* b) { return a->samples.size() < b->samples.size(); });
    bool visited = false;
    for (std::size_t i = 0; i < needy.size(); ++i) {
      const double remaining_s = deadline_.remaining_s();
      if (remaining_s <= 0 || expected_s(needy[i]->task) > remaining_s) continue;
      visit(*needy[i], remaining_s / static_cast<double>(needy.size() - i));
      visited = true;
    }
    return visited;
  }

  /// From the cell of the nearest parameter so far, as if the cost were proportional to it.
  [[nodiscard]] double expected_s(const OperatorTask& task) const {
    const auto known = experience_.find(Kind(task.benchmark->key, task.type));
    if (known == experience_.end()) return 0;
    const auto nearest =
        std::min_element(known->second.begin(), known->second.end(), [&](const Experience& a, const Experience& b) {
          return std::abs(a.parameter - task.parameter) < std::abs(b.parameter - task.parameter);
        });
    const double growth = nearest->parameter > 0 ? std::max(1.0, task.parameter / nearest->parameter) : 1.0;
    return nearest->seconds_a_pixel * growth * static_cast<double>(task.side * task.side);
  }

  /// Takes samples for about `share_s`; a single one where there is no time.
  void visit(Entry& entry, double share_s) {
    const OperatorTask& task = entry.task;
    const std::string name = cell_name(entry.cell(effort_));
    progress_.tell(name);
    const double start_s = now_s();
    const double processor_start_s = processor_s();
    const PreparedBenchmark prepared = prepare(task);
    if (!(prepared.units > 0)) {
      throw InternalError(fmt::format("benchmark {} states {} units of work", name, prepared.units));
    }
    const bool is_on_clock = task.benchmark->waits_for_files || effort_.threads > 1;
    double once_s = run_seconds(prepared, 1, is_on_clock);
    // Sampling gets as long as preparing has taken, at least: where that is costly, another visit would be, too.
    const double preparing_s = now_s() - start_s;
    if (!task.benchmark->waits_for_files) once_s = warmed_up(prepared, once_s, is_on_clock);
    const int runs = runs_in(shortest_sample_s, once_s);
    const double end_s = share_s > 0 ? std::max(start_s + share_s, now_s() + preparing_s) : start_s;
    do {
      entry.samples.push_back(sample(prepared, runs));
      if (entry.samples.size() == 1) remember(task, now_s() - start_s);
    } while (now_s() < end_s && static_cast<int>(entry.samples.size()) < effort_.samples);
    if (is_on_clock) return;
    computing_.processor_s += processor_s() - processor_start_s;
    computing_.elapsed_s += now_s() - start_s;
  }

  /// Of the mean one of so many, by the clock or of the processor.
  [[nodiscard]] double run_seconds(const PreparedBenchmark& prepared, int runs, bool on_clock) {
    const OperatorSample taken = sample(prepared, runs);
    return std::max((on_clock ? taken.elapsed_s : taken.processor_s) * prepared.units, 1e-9);
  }

  /// What a run takes after the warm-up; nothing is done where one run is longer than that. The first one may have
  /// taken many times as long, for it wakes the threads.
  [[nodiscard]] double warmed_up(const PreparedBenchmark& prepared, double once_s, bool on_clock) {
    for (double left_s = warm_up_s; left_s >= once_s;) {
      const int runs = runs_in(left_s, once_s);
      once_s = run_seconds(prepared, runs, on_clock);
      left_s -= runs * once_s;
    }
    return once_s;
  }

  /// Runs that take so long together, one at least.
  [[nodiscard]] static int runs_in(double seconds, double once_s) {
    return static_cast<int>(std::ceil(std::clamp(seconds / once_s, 1.0, most_runs)));
  }

  [[nodiscard]] PreparedBenchmark prepare(const OperatorTask& task) const {
    const Extent tile{task.side, task.side};
    if (effort_.team.folder.empty() || !task.benchmark->prepare_in_team) {
      return task.benchmark->prepare(task.type, task.parameter, tile);
    }
    return task.benchmark->prepare_in_team(task.type, task.parameter, tile, effort_.team);
  }

  void remember(const OperatorTask& task, double visit_s) {
    experience_[Kind(task.benchmark->key, task.type)].push_back(
        {task.parameter, visit_s / static_cast<double>(task.side * task.side)});
  }

  [[nodiscard]] OperatorSample sample(const PreparedBenchmark& prepared, int runs) {
    watch_.begin();
    const double start_s = now_s();
    const double processor_start_s = processor_s();
    for (int run = 0; run < runs; ++run) {
      if (effort_.threads > 1) {
        prepared.run_shared(effort_.threads);
      } else {
        prepared.run();
      }
    }
    const double units = runs * prepared.units;
    const OperatorSample taken{(processor_s() - processor_start_s) / units, (now_s() - start_s) / units};
    return {taken.processor_s, taken.elapsed_s, watch_.was_disturbed()};
  }

  const OperatorEffort& effort_;
  Deadline deadline_;
  DisturbanceWatch watch_;
  Progress& progress_;
  OperatorSample computing_;  // all of it, in sum
  std::map<Kind, std::vector<Experience>> experience_;
  std::vector<Entry> entries_;
};

double slowdown_of(const OperatorSample& computing) {
  return computing.processor_s > 0 ? std::max(1.0, computing.elapsed_s / computing.processor_s) : 1;
}

void add_to(OperatorSample& sum, const OperatorSample& more) {
  sum.processor_s += more.processor_s;
  sum.elapsed_s += more.elapsed_s;
}

}  // namespace

double OperatorMeasurement::slowdown() const {
  return slowdown_of(computing);
}

double OperatorMeasurement::slowdown_alone() const {
  return slowdown_of(computing_alone);
}

OperatorMeasurement OperatorMeasurement::alone() && {
  return {std::move(series), {}, computing};
}

void OperatorMeasurement::add(const OperatorMeasurement& other) {
  for (const OperatorSeries& more : other.series) {
    const auto known =
        std::find_if(series.begin(), series.end(), [&](const auto& own) { return own.cell == more.cell; });
    if (known == series.end()) {
      series.push_back(more);
    } else {
      known->samples.insert(known->samples.end(), more.samples.begin(), more.samples.end());
    }
  }
  add_to(computing, other.computing);
  add_to(computing_alone, other.computing_alone);
}

OperatorMeasurement calibrate_operators(const std::vector<OperatorBenchmark>& benchmarks, const OperatorEffort& effort,
                                        Progress& progress) {
  return OperatorCalibration(ordered_tasks(benchmarks, effort.sides), effort, progress).run();
}

}  // namespace tilewright
