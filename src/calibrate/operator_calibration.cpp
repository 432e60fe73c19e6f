#include "operator_calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "operator_order.hpp"
#include "tilewright/calibrate/fit.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

/// A sample shorter than this is mostly the clock's; several runs make up one.
constexpr double shortest_sample_s = 50e-6;
/// A cell may take this many times its share of the budget while others wait for theirs.
constexpr double patience = 8;

/// Seconds that visiting a cell takes at least, preparation and warm-up counted, a pixel of its tile.
struct Experience {
  double parameter = 0;
  double seconds_a_pixel = 0;
};

class OperatorCalibration {
 public:
  OperatorCalibration(const OperatorEffort& effort, SampleLog& log, Progress& progress)
      : effort_(effort), deadline_(effort.budget_s), log_(log), progress_(progress) {}

  std::vector<OperatorCell> run(const std::vector<OperatorTask>& tasks) {
    std::vector<OperatorTask> postponed;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const double share_s = deadline_.remaining_s() / static_cast<double>(tasks.size() - i);
      if (tasks[i].required || expected_s(tasks[i]) <= patience * share_s) {
        visit(tasks[i], share_s);
      } else {
        postponed.push_back(tasks[i]);
      }
    }
    for (std::size_t i = 0; i < postponed.size(); ++i) {
      const double share_s = deadline_.remaining_s() / static_cast<double>(postponed.size() - i);
      if (expected_s(postponed[i]) <= deadline_.remaining_s()) visit(postponed[i], share_s);
    }
    return std::move(cells_);
  }

 private:
  using Kind = std::pair<std::string, PixelType>;

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

  void visit(const OperatorTask& task, double share_s) {
    OperatorCell cell{task.benchmark->key, task.type, task.parameter, static_cast<double>(task.side * task.side), {}};
    progress_.tell(cell_name(cell));
    const double start_s = now_s();
    const PreparedBenchmark prepared = task.benchmark->prepare(task.type, task.parameter, Extent{task.side, task.side});
    if (!(prepared.units > 0)) {
      throw InternalError(fmt::format("benchmark {} states {} units of work", cell_name(cell), prepared.units));
    }
    const double prepared_s = now_s();
    prepared.run();  // warm-up
    const double once_s = std::max(now_s() - prepared_s, 1e-9);
    remember(task, now_s() - start_s + once_s);
    cell.time_per_unit = fit(sample(prepared, once_s, cell_name(cell), start_s + share_s));
    cells_.push_back(cell);
  }

  void remember(const OperatorTask& task, double visit_s) {
    experience_[Kind(task.benchmark->key, task.type)].push_back(
        {task.parameter, visit_s / static_cast<double>(task.side * task.side)});
  }

  /// Samples until `end_s`, one at least. Seconds a unit.
  std::vector<double> sample(const PreparedBenchmark& prepared, double once_s, const std::string& name, double end_s) {
    std::vector<double> samples;
    const auto runs = static_cast<int>(std::ceil(std::clamp(shortest_sample_s / once_s, 1.0, 1e4)));
    do {
      const double start_s = now_s();
      for (int run = 0; run < runs; ++run) prepared.run();
      samples.push_back((now_s() - start_s) / (runs * prepared.units));
      log_.add(name, samples.back());
    } while (now_s() < end_s && static_cast<int>(samples.size()) < effort_.samples);
    return samples;
  }

  const OperatorEffort& effort_;
  Deadline deadline_;
  SampleLog& log_;
  Progress& progress_;
  std::map<Kind, std::vector<Experience>> experience_;
  std::vector<OperatorCell> cells_;
};

}  // namespace

std::vector<OperatorCell> calibrate_operators(const std::vector<OperatorBenchmark>& benchmarks,
                                              const OperatorEffort& effort, SampleLog& log, Progress& progress) {
  return OperatorCalibration(effort, log, progress).run(ordered_tasks(benchmarks, effort.sides));
}

}  // namespace tilewright
