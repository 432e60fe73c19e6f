#include "banded_computation.hpp"

#include <fmt/format.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "restricted.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/core/grid.hpp"
#include "tilewright/model/concurrent_steps.hpp"

namespace tilewright {
namespace {

using Clock = std::chrono::steady_clock;

/// Memory for all results of one band.
class BandMemory {
 public:
  BandMemory(const BandedComputation& computation, const Extent& largest_band) {
    for (const ImageShape& shape : computation.results) rasters_.emplace_back(ImageShape{largest_band, shape.format});
  }

  [[nodiscard]] std::vector<MutableView> views(const Rect& band) {
    std::vector<MutableView> views;
    for (Raster& raster : rasters_) views.emplace_back(raster.view().bytes_at(0, 0), band, band, raster.format());
    return views;
  }
  [[nodiscard]] ConstView view(std::size_t result, const Rect& band) const {
    const Raster& raster = rasters_[result];
    return {raster.view().bytes_at(0, 0), band, band, raster.format()};
  }

 private:
  std::vector<Raster> rasters_;
};

class BandedRun {
 public:
  explicit BandedRun(const BandedComputation& computation)
      : computation_(computation),
        extent_(computation.results.front().extent),
        grid_{1, computation.bands},
        is_computed_(static_cast<std::size_t>(computation.bands), false) {
    for (int i = 0; i < bands_in_memory(computation.bands, computation.threads); ++i) {
      memory_.emplace_back(computation, largest_tile(extent_, grid_));
    }
    for (const BandedOutput& output : computation.outputs) {
      outputs_.push_back({output.result, output.open(computation.results[output.result])});
    }
  }

  BandedSeconds run() {
    const int workers = std::min(computation_.threads, tbb::info::default_concurrency());
    tbb::task_arena(workers).execute([&] { tbb::parallel_for(0, workers, [&](int) { work(); }); });
    if (failure_) std::rethrow_exception(failure_);
    check_all_stored();
    for (Output& output : outputs_) output.timed([&] { output.writer->finish(); });
    for (Output& output : outputs_) output.timed([&] { output.writer->commit(); });
    BandedSeconds seconds{computing_seconds_, {}};
    for (const Output& output : outputs_) seconds.storing.push_back(output.seconds);
    return seconds;
  }

 private:
  struct Output {
    std::size_t result = 0;
    std::unique_ptr<ImageWriter> writer;
    int next_band = 0;
    bool is_busy = false;
    double seconds = 0;

    template <class Action>
    void timed(const Action& action) {
      const auto begin = Clock::now();
      action();
      seconds += std::chrono::duration<double>(Clock::now() - begin).count();
    }
  };

  /// An output that lacks bands must not take its place.
  void check_all_stored() const {
    for (const Output& output : outputs_) {
      if (output.next_band == computation_.bands) continue;
      throw InternalError(fmt::format("{} of {} bands have been stored", output.next_band, computation_.bands));
    }
  }

  /// What one thread does until nothing is left. It waits only while others are at work, so it cannot wait for ever,
  /// and one thread alone never waits.
  void work() {
    std::unique_lock lock(mutex_);
    while (!failure_) {
      if (Output* const output = storable()) {
        store(*output, lock);
      } else if (is_computable()) {
        compute(next_band_++, lock);
      } else if (at_work_ > 0) {
        changed_.wait(lock);
      } else {
        break;
      }
    }
    changed_.notify_all();
  }

  /// The output that has stored least of those for which a band is ready; of these, the slowest so far.
  [[nodiscard]] Output* storable() {
    Output* best = nullptr;
    for (Output& output : outputs_) {
      const bool is_ready = !output.is_busy && output.next_band < computation_.bands &&
                            is_computed_[static_cast<std::size_t>(output.next_band)];
      const auto urgency = [](const Output& o) { return std::pair(-o.next_band, o.seconds); };
      if (is_ready && (best == nullptr || urgency(output) > urgency(*best))) best = &output;
    }
    return best;
  }

  /// Whether there is a band left, and memory for it.
  [[nodiscard]] bool is_computable() const {
    if (next_band_ == computation_.bands) return false;
    const int stored = std::min_element(outputs_.begin(), outputs_.end(), [](const Output& a, const Output& b) {
                         return a.next_band < b.next_band;
                       })->next_band;
    return next_band_ - stored < static_cast<int>(memory_.size());
  }

  void store(Output& output, std::unique_lock<std::mutex>& lock) {
    const int band = output.next_band;
    output.is_busy = true;
    unlocked(lock,
             [&] { output.timed([&] { output.writer->put(memory_of(band).view(output.result, area_of(band))); }); });
    output.is_busy = false;
    ++output.next_band;
  }

  void compute(int band, std::unique_lock<std::mutex>& lock) {
    const auto begin = Clock::now();
    unlocked(lock, [&] {
      const Rect area = area_of(band);
      const std::vector<ConstView> inputs = restricted(std::span<const ConstView>(computation_.inputs), area);
      computation_.op->compute_all(inputs, memory_of(band).views(area), {});
    });
    computing_seconds_ += std::chrono::duration<double>(Clock::now() - begin).count();
    is_computed_[static_cast<std::size_t>(band)] = true;
  }

  /// Calls `action` while others may do something else; the first that fails ends it all.
  template <class Action>
  void unlocked(std::unique_lock<std::mutex>& lock, const Action& action) {
    ++at_work_;
    lock.unlock();
    std::exception_ptr failure;
    try {
      // An operator of the program's that uses TBB itself might else be given this very work to do meanwhile, and wait
      // for itself.
      tbb::this_task_arena::isolate(action);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    --at_work_;
    if (failure && !failure_) failure_ = failure;
    changed_.notify_all();
  }

  [[nodiscard]] Rect area_of(int band) const { return tile_of(extent_, grid_, band); }
  [[nodiscard]] BandMemory& memory_of(int band) { return memory_[static_cast<std::size_t>(band) % memory_.size()]; }

  const BandedComputation& computation_;
  Extent extent_;
  ProcessGrid grid_;
  std::vector<BandMemory> memory_;  ///< bands take turns in it
  std::mutex mutex_;                ///< of all that follows
  std::condition_variable changed_;
  std::vector<Output> outputs_;
  std::vector<bool> is_computed_;
  int next_band_ = 0;  ///< to be computed
  int at_work_ = 0;    ///< threads
  double computing_seconds_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

BandedSeconds compute_in_bands(const BandedComputation& computation) {
  return BandedRun(computation).run();
}

}  // namespace tilewright
