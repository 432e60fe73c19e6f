#include "operator_phase.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <exception>
#include <filesystem>
#include <optional>
#include <utility>

#include "operator_calibration.hpp"
#include "operator_merge.hpp"
#include "operator_order.hpp"
#include "operator_rounds.hpp"
#include "overhead_calibration.hpp"
#include "step_calibration.hpp"
#include "stopwatch.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/model/cell_names.hpp"

namespace tilewright {
namespace {

/// The share of the operators' budget in which all ranks work at once: it yields as many samples a second as there are
/// ranks, and of smaller tiles.
constexpr double share_of_together = 0.3;
/// And the share, of the whole, in which the root's threads share the work, where it can have several.
constexpr double share_of_threads = 0.15;
/// The side from which tiles are measured with the root alone at work, too; smaller ones fit its own caches.
constexpr std::int64_t smallest_whole_image = 256;

/// What the operators get of a round.
struct OperatorEfforts {
  OperatorEffort together;                   ///< all ranks at once
  OperatorEffort alone;                      ///< the root after them
  std::vector<OperatorEffort> with_threads;  ///< of the root, after that

  /// Threads take the cores of ranks that rest, which take them back to look for messages: of their switches nothing
  /// is known.
  void watch(Switches switches) { together.switches = alone.switches = switches; }
};

/// Those that plans may choose from, but for one: all that the root can have, and the powers of two below.
std::vector<int> counts_of_threads(int cores) {
  std::vector<int> counts;
  if (cores > 1) counts.push_back(cores);
  for (int fewer = static_cast<int>(std::bit_floor(static_cast<unsigned>(cores))); fewer > 1; fewer /= 2) {
    if (fewer < cores) counts.push_back(fewer);
  }
  return counts;
}

/// All ranks are at work at once on tiles of which the largest image has one for each. The root alone works on larger
/// ones, and on all that may be a whole image: what one rank does while the others wait has the caches and the memory
/// of its node to itself. That is also how its threads share the work, on tiles of all sizes.
OperatorEfforts efforts_of(const EffortTraits& traits, const OperatorRounds& rounds, int ranks, int cores,
                           double budget_s, bool every_kind) {
  const int samples = (traits.operator_samples + rounds.most() - 1) / rounds.most();
  const std::vector<int> counts = counts_of_threads(cores);
  const double threads_s = counts.empty() ? 0 : share_of_threads * budget_s;
  const double one_thread_s = budget_s - threads_s;
  OperatorEffort together{{}, samples, one_thread_s, every_kind, ranks};
  OperatorEffort alone{{}, samples, 0, false, 1};
  const std::vector<std::int64_t> sides = without_zeros(traits.sides);
  for (const std::int64_t side : sides) {
    const double tiles = std::pow(static_cast<double>(sides.back()) / static_cast<double>(side), 2);
    if (tiles >= ranks) together.sides.push_back(side);
    if (ranks > 1 && (tiles < ranks || side >= smallest_whole_image)) alone.sides.push_back(side);
  }
  if (!alone.sides.empty()) {
    together.budget_s = one_thread_s * share_of_together;
    alone.budget_s = one_thread_s - together.budget_s;
  }
  OperatorEfforts round{together, alone, {}};
  for (const int count : counts) {
    round.with_threads.push_back({sides, samples, threads_s / static_cast<double>(counts.size()), false, 1, count});
  }
  return round;
}

/// What one rank does, by itself and with several threads.
void measure_on_root(const OperatorEfforts& round, OperatorMeasurement& own, Progress& progress) {
  own.add(calibrate_operators(operator_benchmarks(), round.alone, progress).alone());
  own.add(calibrate_steps(round.alone.switches).alone());
  const std::vector<OperatorBenchmark> shared = benchmarks_for_threads(operator_benchmarks());
  for (const OperatorEffort& effort : round.with_threads) {
    own.add(calibrate_operators(shared, effort, progress).alone());
  }
}

/// Asleep, for the root's threads want all cores.
void wait_for_root(const Communicator& communicator) {
  std::optional<Rest> rest;
  if (!communicator.is_root()) rest.emplace(communicator);
  communicator.barrier();
}

/// A folder that ranks of a node have in common, which goes when the last of them leaves it. Collective.
class CommonFolder {
 public:
  explicit CommonFolder(const Communicator& communicator)
      : communicator_(communicator), exceptions_(std::uncaught_exceptions()) {
    const auto now = std::chrono::system_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
    const std::string name = fmt::format("tilewright-team-{}-{}", ::getpid(), now);
    path_ = (std::filesystem::temp_directory_path() / communicator.broadcast(name)).string();
    std::error_code error;
    std::filesystem::create_directories(path_, error);
    if (error) throw RuntimeError(fmt::format("cannot make the folder {}: {}", path_, error.message()));
  }
  /// Whom an exception drives out waits for nobody: the others are elsewhere, and wait for what it will not do.
  ~CommonFolder() {
    if (std::uncaught_exceptions() == exceptions_) communicator_.barrier();
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  CommonFolder(const CommonFolder&) = delete;
  CommonFolder& operator=(const CommonFolder&) = delete;

  [[nodiscard]] BenchmarkTeam team() const { return {path_, communicator_.rank(), communicator_.ranks()}; }

 private:
  const Communicator& communicator_;
  int exceptions_;  ///< that were on their way when it was made
  std::string path_;
};

/// One round of all operators on all ranks, each on its own share of its node; merged on the root, where the samples
/// are logged. Collective.
void measure_operators(const Communicator& communicator, const OperatorEfforts& round, const Fingerprint& fingerprint,
                       SampleLog& log, Progress& progress) {
  communicator.barrier();
  OperatorMeasurement own = calibrate_operators(operator_benchmarks(), round.together, progress);
  communicator.barrier();
  own.add(calibrate_overheads(communicator));
  if (communicator.is_root()) measure_on_root(round, own, progress);
  wait_for_root(communicator);
  std::vector<OperatorMeasurement> by_rank;
  for (const std::string& text : communicator.gather(to_text(own))) by_rank.push_back(operator_measurement_from(text));
  if (!communicator.is_root()) return;
  const double takers =
      std::max(1.0, static_cast<double>(communicator.ranks_per_node()) / std::max(1, fingerprint.cores_per_node));
  std::vector<MergedSeries> all = merge(by_rank, takers);
  for (MergedSeries& pace : node_paces(by_rank, communicator.node_of_rank())) all.push_back(std::move(pace));
  for (const MergedSeries& series : all) {
    for (const MarkedSample& sample : series.samples) {
      log.add(cell_name(series.cell), sample.seconds, sample.disturbed);
    }
  }
  log.checkpoint();
}

}  // namespace

void measure_operators_in_rounds(const Communicator& communicator, const EffortTraits& traits, double phase_s,
                                 double unused_s, const Fingerprint& fingerprint, SampleLog& log, Progress& progress) {
  const Deadline deadline(unused_s);
  const OperatorRounds rounds(traits.operator_rounds, phase_s);
  const bool is_done = log.operators_are_done(unused_s >= rounds.least_s());
  if (communicator.of_root(is_done)) return;
  const CommonFolder folder(communicator);
  for (int round = 0; round < rounds.most(); ++round) {
    const double left_s = communicator.of_root(deadline.remaining_s());
    if (round > 0 && left_s < rounds.least_s()) return;
    const double share_s = rounds.share_s(round, left_s);
    const int cores = std::min(fingerprint.cores_per_node, communicator.cores_per_rank());
    OperatorEfforts of_round = efforts_of(traits, rounds, communicator.ranks(), cores, share_s, round == 0);
    of_round.together.team = folder.team();
    of_round.watch(switches_of(communicator));
    measure_operators(communicator, of_round, fingerprint, log, progress);
  }
}

}  // namespace tilewright
