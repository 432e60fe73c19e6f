#include "tilewright/calibrate/calibrate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <exception>
#include <filesystem>
#include <optional>
#include <utility>

#include "launch_settings.hpp"
#include "message_team.hpp"
#include "operator_calibration.hpp"
#include "operator_merge.hpp"
#include "operator_order.hpp"
#include "operator_rounds.hpp"
#include "overhead_calibration.hpp"
#include "path_calibration.hpp"
#include "pattern_calibration.hpp"
#include "refit.hpp"
#include "shared_calibration.hpp"
#include "stopwatch.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/model/cell_names.hpp"

namespace tilewright {
namespace {

/// What an effort means.
struct EffortTraits {
  Effort effort;
  std::string_view name;
  double budget_s;
  /// Over everything: for half a minute and longer a virtual machine may be in one state, in which messages take twice
  /// the time of the other. A thorough calibration has rounds of its own.
  int goes;
  int passes;                                       // over all messages; an odd number has a middle
  int fewest_passes;                                // over those of patterns, even if there is no time left
  int fewest_overlapped_passes;                     // the same, over those that pass while ranks work
  int most_exchange_sizes;                          // 0: all
  int operator_samples;                             // of a cell, at most
  int operator_rounds;                              // over all operators, at least, which share its time
  std::array<std::int64_t, 7> sides;                // of tiles; 0: none
  std::array<std::int64_t, 2> block_message_sizes;  // in bytes; 0: none
  std::int64_t block_growth;                        // as of PathEffort
  std::array<std::int64_t, 3> overlapped_sizes;     // the same
  /// From what a tile has that is worth being served in turn to what a system may have no room for.
  std::array<std::int64_t, 2> collected_sizes;
};

constexpr std::array<EffortTraits, 3> efforts{{
    {.effort = Effort::quick,
     .name = "quick",
     .budget_s = 13,
     .goes = 1,
     .passes = 11,
     .fewest_passes = 2,
     .fewest_overlapped_passes = 1,
     .most_exchange_sizes = 6,
     .operator_samples = 9,
     .operator_rounds = 1,
     .sides = {64, 256, 1024},
     .block_message_sizes = {16384},
     .block_growth = 16,
     .overlapped_sizes = {4096, 262144},
     .collected_sizes = {32768, 131072}},
    {.effort = Effort::standard,
     .name = "standard",
     .budget_s = 170,
     .goes = 3,
     .passes = 31,
     .fewest_passes = 3,
     .fewest_overlapped_passes = 3,
     .most_exchange_sizes = 0,
     .operator_samples = 24,
     .operator_rounds = 3,
     .sides = {64, 128, 256, 512, 1024, 2048},
     .block_message_sizes = {16384, 131072},
     .block_growth = 4,
     .overlapped_sizes = {4096, 32768, 262144},
     .collected_sizes = {131072, 524288}},
    {.effort = Effort::thorough,
     .name = "thorough",
     .budget_s = 4 * 3600,
     .goes = 1,
     .passes = 101,
     .fewest_passes = 4,
     .fewest_overlapped_passes = 4,
     .most_exchange_sizes = 0,
     .operator_samples = 50,
     .operator_rounds = 5,
     .sides = {32, 64, 128, 256, 512, 1024, 2048},
     .block_message_sizes = {16384, 131072},
     .block_growth = 4,
     .overlapped_sizes = {4096, 32768, 262144},
     .collected_sizes = {131072, 524288}},
}};

/// The shares of the budget that messages get where there are partners to send them to: the paper's, those that tell
/// what blocks cost, the patterns of all ranks, and shared memory.
constexpr double share_of_paths = 0.23;
constexpr double share_of_blocks = 0.18;
constexpr double share_of_patterns = 0.12;
constexpr double share_of_sharing = 0.02;
/// A message may take this share of the time of the paper's messages, or so long at least: over a slow wire the longest
/// would leave a quick calibration no time for the others, and they take as much longer as they are.
constexpr double share_of_message = 0.02;
constexpr double least_longest_message_s = 0.05;
/// Of that of messages, where those within a node are measured beside others: they are quicker.
constexpr double share_within_node = 0.35;
constexpr double share_of_all_messages = share_of_paths + share_of_blocks + share_of_patterns + share_of_sharing;
/// The share of the operators' budget in which all ranks work at once: it yields as many samples a second as there are
/// ranks, and of smaller tiles.
constexpr double share_of_together = 0.3;
/// And the share, of the whole, in which the root's threads share the work, where it can have several.
constexpr double share_of_threads = 0.15;
/// A go that has less time than this is not worth making: every cell is measured at least once in each.
constexpr double shortest_go_s = 15;
/// The side from which tiles are measured with the root alone at work, too; smaller ones fit its own caches.
constexpr std::int64_t smallest_whole_image = 256;

const EffortTraits& traits_of(Effort effort) {
  for (const EffortTraits& traits : efforts) {
    if (traits.effort == effort) return traits;
  }
  throw InternalError("calibrate: effort outside its enumeration");
}

/// Beside those of the efforts: short messages, whose blocks lie in the nearest cache, and long ones.
std::vector<std::int64_t> more_block_sizes() {
  return {1024, 1 << 20};
}

template <std::size_t N>
std::vector<std::int64_t> without_zeros(const std::array<std::int64_t, N>& values) {
  std::vector<std::int64_t> kept(values.begin(), values.end());
  std::erase(kept, 0);
  return kept;
}

void check(const CalibrationOptions& options) {
  for (const std::int64_t size : options.sizes) {
    if (size < 0) throw ParameterError(fmt::format("calibrate: message size {} is negative: give 0 or more", size));
  }
  if (options.budget_s && !(*options.budget_s >= 0 && std::isfinite(*options.budget_s))) {
    throw ParameterError(fmt::format("calibrate: a budget of {} s is none: give 0 or more", *options.budget_s));
  }
}

/// What the operators get of a round.
struct OperatorEfforts {
  OperatorEffort together;                   ///< all ranks at once
  OperatorEffort alone;                      ///< the root after them
  std::vector<OperatorEffort> with_threads;  ///< of the root, after that

  void watch(Switches switches) {
    together.switches = alone.switches = switches;
    for (OperatorEffort& effort : with_threads) effort.switches = switches;
  }
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

/// What is left of a launch's budget for one phase after another, where an interrupted one goes on.
class Budget {
 public:
  explicit Budget(double measured_s) : measured_s_(measured_s) {}
  double left_of(double phase_s) {
    const double done_s = std::min(measured_s_, phase_s);
    measured_s_ -= done_s;
    constexpr double rounding_s = 1e-6;
    return phase_s - done_s < rounding_s ? 0 : phase_s - done_s;
  }

 private:
  double measured_s_;
};

/// What one rank does, by itself and with several threads.
void measure_on_root(const OperatorEfforts& round, OperatorMeasurement& own, Progress& progress) {
  own.add(calibrate_operators(operator_benchmarks(), round.alone, progress).alone());
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

/// In rounds, each over all cells: what disturbs the machine for some seconds then spoils few samples of many cells,
/// and not all of some. Where strangers share the processor it has fast minutes and slow ones, so that many short
/// rounds tell more than few long ones. Of the phase's time an interrupted calibration has used some. Collective.
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

/// The root's, on every rank.
std::uint64_t common_seed(const Communicator& communicator, const CalibrationOptions& options) {
  const auto clock = std::chrono::system_clock::now().time_since_epoch() / std::chrono::seconds(1);
  return communicator.of_root(options.seed.value_or(static_cast<std::uint64_t>(clock)));
}

/// What is known of the run before it is measured.
Fingerprint fingerprint_of_launch(const Communicator& communicator, const CalibrationOptions& options,
                                  std::uint64_t seed) {
  Fingerprint fingerprint = fingerprint_of(communicator, options);
  fingerprint.settings[seeds_setting] = text_of_seeds(options.seeds_before, options.launch, seed);
  fingerprint.settings[launches_setting] = std::to_string(options.launch + 1);
  return fingerprint;
}

/// Of a team. Collective, of all ranks of its communicator.
void measure_messages(const MessageTeam& team, PathEffort effort, double budget_s, Budget& budget, SampleLog& log,
                      Progress& progress) {
  effort.longest_message_s = std::max(least_longest_message_s, share_of_message * share_of_paths * budget_s);
  effort.budget_s = budget.left_of(share_of_paths * budget_s);
  effort.block_budget_s = budget.left_of(share_of_blocks * budget_s);
  if (team.pairs_this_rank()) calibrate_paths(team, effort, log, progress);
  effort.budget_s = budget.left_of(share_of_patterns * budget_s);
  calibrate_patterns(team, effort, log, progress);
}

/// Whether a thorough calibration has nothing left to do. What it has so far counts as known in its next round.
/// Collective.
bool all_is_settled(const Communicator& communicator, SampleLog& log) {
  bool settled = true;
  if (communicator.is_root()) settled = log.begin_round();
  return communicator.of_root(settled);
}

/// In which all is measured: those of a thorough calibration, or goes.
struct Rounds {
  int count = 1;
  double seconds = 0;  ///< of each
};

/// Where processors are rationed, the first samples of all messages take most of the time: there is none for several
/// goes, and neither is there in a small budget.
Rounds rounds_of(const EffortTraits& traits, const CalibrationOptions& options, bool is_rationed) {
  const double budget_s = options.budget_s.value_or(traits.budget_s);
  if (options.effort != Effort::thorough) {
    const double most_goes = is_rationed ? 1.0 : traits.goes;
    const double goes = std::clamp(std::floor(budget_s / shortest_go_s), 1.0, most_goes);
    return {static_cast<int>(goes), budget_s / goes};
  }
  const double count = std::clamp(std::ceil(budget_s / options.round_s), 1.0, 1e6);
  return {static_cast<int>(count), budget_s / count};
}

/// Of a round, those before the operators.
double messages_seconds(const Communicator& communicator, double budget_s) {
  return communicator.ranks() > 1 ? share_of_all_messages * budget_s : 0;
}

/// All that a round measures with.
struct RoundOfAll {
  const Communicator& communicator;
  const CalibrationOptions& options;
  const EffortTraits& traits;
  const Fingerprint& fingerprint;
  SampleLog& log;
  Progress& progress;
};

/// For `budget_s`, of which an interrupted calibration has used `measured_s`.
void measure_round(const RoundOfAll& round, double budget_s, double measured_s, std::uint64_t seed) {
  const auto& [communicator, options, traits, fingerprint, log, progress] = round;
  Budget budget(measured_s);
  PathEffort effort{.sizes = options.sizes,
                    .block_message_sizes = without_zeros(traits.block_message_sizes),
                    .more_block_sizes = more_block_sizes(),
                    .block_growth = traits.block_growth,
                    .overlapped_sizes = without_zeros(traits.overlapped_sizes),
                    .collected_sizes = without_zeros(traits.collected_sizes),
                    .most_exchange_sizes = traits.most_exchange_sizes,
                    .passes = traits.passes,
                    .fewest_passes = traits.fewest_passes,
                    .fewest_overlapped_passes = traits.fewest_overlapped_passes,
                    .seed = seed};
  if (communicator.ranks() > 1) {
    const auto within = team_within_node(communicator);
    const double messages_s = (within ? 1 - share_within_node : 1) * budget_s;
    measure_messages(team_between_nodes(communicator), effort, messages_s, budget, log, progress);
    if (within) measure_messages(*within, effort, share_within_node * budget_s, budget, log, progress);
    effort.budget_s = budget.left_of(share_of_sharing * budget_s);
    calibrate_sharing(communicator, effort, log, progress);
  }
  const double operators_s = budget_s - messages_seconds(communicator, budget_s);
  measure_operators_in_rounds(communicator, traits, operators_s, budget.left_of(operators_s), fingerprint, log,
                              progress);
}

void begin_go(SampleLog& log, bool is_first, bool in_operators) {
  if (is_first) {
    log.resume_go(in_operators);
  } else {
    log.begin_go();
  }
}

/// The measuring itself; ends with all ranks in step.
Calibration measure(const Communicator& communicator, const CalibrationOptions& options) {
  EffortTraits traits = traits_of(options.effort);
  const bool is_rationed = communicator.of_root(communicator.ration_period_s()) > 0;
  const Rounds rounds = rounds_of(traits, options, is_rationed);
  const bool is_open = options.effort == Effort::thorough;  // it ends when all is settled
  if (!is_open) traits.operator_rounds = std::max(1, traits.operator_rounds / rounds.count);
  const std::uint64_t seed = common_seed(communicator, options);
  const Fingerprint fingerprint = fingerprint_of_launch(communicator, options, seed);
  const double before_s = communicator.of_root(options.measured_s);
  const double start_s = now_s();
  SampleLog log(
      options.before, options.launch, !options.on_checkpoint ? SampleLog::Checkpoint() : [&](const auto& samples) {
        options.on_checkpoint({fitted_profile(options.machine, fingerprint, samples), samples},
                              before_s + now_s() - start_s);
      });
  Progress progress(communicator.is_root() ? options.on_progress : nullptr,
                    std::max(1e-9, rounds.count * rounds.seconds - before_s));
  log.checkpoint();
  const auto so_far = [&]() -> Calibration {
    return {fitted_profile(options.machine, fingerprint, log.samples()), log.samples()};
  };
  const RoundOfAll all{communicator, options, traits, fingerprint, log, progress};
  const int first = rounds.seconds > 0 ? static_cast<int>(std::min(before_s / rounds.seconds, rounds.count - 1.0)) : 0;
  for (int round = first; round < rounds.count; ++round) {
    const double measured_s = round == first ? before_s - first * rounds.seconds : 0;
    if (!is_open && rounds.count > 1) {
      begin_go(log, round == first, measured_s >= messages_seconds(communicator, rounds.seconds));
    }
    measure_round(all, rounds.seconds, measured_s, seed + static_cast<std::uint64_t>(round));
    if (!is_open || round + 1 == rounds.count) continue;
    if (all_is_settled(communicator, log)) break;
    if (communicator.is_root() && options.on_round) options.on_round(so_far());
  }
  progress.finish();
  return communicator.is_root() ? so_far() : Calibration{};
}

}  // namespace

Effort parse_effort(std::string_view text) {
  std::vector<std::string_view> known;
  for (const EffortTraits& traits : efforts) {
    if (traits.name == text) return traits.effort;
    known.push_back(traits.name);
  }
  throw ParameterError(fmt::format("'{}' is no effort that is known: give one of {}", text, fmt::join(known, " ")));
}

std::string_view to_string(Effort effort) {
  return traits_of(effort).name;
}

double budget_seconds(Effort effort) {
  return traits_of(effort).budget_s;
}

Calibration calibrate(const Communicator& communicator, const CalibrationOptions& options) {
  check(options);
  communicator.barrier();
  Calibration calibration = measure(communicator, options);
  communicator.barrier();
  return calibration;
}

}  // namespace tilewright
