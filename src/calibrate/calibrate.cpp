#include "tilewright/calibrate/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "efforts.hpp"
#include "launch_settings.hpp"
#include "message_team.hpp"
#include "operator_phase.hpp"
#include "passing_calibration.hpp"
#include "path_calibration.hpp"
#include "pattern_calibration.hpp"
#include "refit.hpp"
#include "shared_calibration.hpp"
#include "stopwatch.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/runtime/pinned_rank.hpp"

namespace tilewright {
namespace {

/// A go that has less time than this is not worth making: every cell is measured at least once in each.
constexpr double shortest_go_s = 15;

/// Beside those of the efforts: messages that are sent at once, of which the shorter ones tell what is no byte's, and
/// long ones.
std::vector<std::int64_t> more_block_sizes() {
  return {256, 4096, 2 << 20};
}

/// Samples that each message gets even of a short budget: of several goes, each is but a part.
constexpr int granted_at_once = 3;
constexpr int granted_in_a_go = 1;

void check(const CalibrationOptions& options) {
  for (const std::int64_t size : options.sizes) {
    if (size < 0) throw ParameterError(fmt::format("calibrate: message size {} is negative: give 0 or more", size));
  }
  if (options.budget_s && !(*options.budget_s >= 0 && std::isfinite(*options.budget_s))) {
    throw ParameterError(fmt::format("calibrate: a budget of {} s is none: give 0 or more", *options.budget_s));
  }
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
  int rounds = 1;
  SampleLog& log;
  Progress& progress;
};

/// Of `all.rounds`, which have `budget_s` each. An interrupted calibration has used `measured_s` of it.
void measure_round(const RoundOfAll& all, int number, double budget_s, double measured_s, std::uint64_t seed) {
  const auto& [communicator, options, traits, fingerprint, rounds, log, progress] = all;
  Budget budget(measured_s);
  PathEffort effort{.sizes = options.sizes,
                    .block_message_sizes = without_zeros(traits.block_message_sizes),
                    .more_block_sizes = more_block_sizes(),
                    .block_growth = traits.block_growth,
                    .overlapped_sizes = without_zeros(traits.overlapped_sizes),
                    .collected_sizes = without_zeros(traits.collected_sizes),
                    .most_exchange_sizes = traits.most_exchange_sizes,
                    .fewest_refinements = traits.fewest_refinements,
                    .passes = traits.passes,
                    .fewest_passes = traits.fewest_passes,
                    .granted_samples = rounds > 1 ? granted_in_a_go : granted_at_once,
                    .fewest_overlapped_passes = traits.fewest_overlapped_passes,
                    .seed = seed + static_cast<std::uint64_t>(number)};
  if (communicator.ranks() > 1) {
    // In every other round ranks change places: what one packs on its core now the other one does then.
    std::optional<PinnedRank> pinned;
    if (rounds > 1) pinned.emplace(communicator, number % 2);
    const auto within = team_within_node(communicator);
    const double messages_s = (within ? 1 - share_within_node : 1) * budget_s;
    measure_messages(team_between_nodes(communicator), effort, messages_s, budget, log, progress);
    if (within) measure_messages(*within, effort, share_within_node * budget_s, budget, log, progress);
    effort.budget_s = budget.left_of(share_of_sharing * budget_s);
    calibrate_sharing(communicator, effort, log, progress);
    calibrate_passing(communicator, effort, log, progress);
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
  if (is_rationed) {
    traits.block_growth = traits.block_growth_where_rationed;
    traits.block_message_sizes = traits.block_message_sizes_where_rationed;
  }
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
  const RoundOfAll all{communicator, options, traits, fingerprint, rounds.count, log, progress};
  const int first = rounds.seconds > 0 ? static_cast<int>(std::min(before_s / rounds.seconds, rounds.count - 1.0)) : 0;
  for (int round = first; round < rounds.count; ++round) {
    const double measured_s = round == first ? before_s - first * rounds.seconds : 0;
    if (!is_open && rounds.count > 1) {
      begin_go(log, round == first, measured_s >= messages_seconds(communicator, rounds.seconds));
    }
    measure_round(all, round, rounds.seconds, measured_s, seed);
    if (!is_open || round + 1 == rounds.count) continue;
    if (all_is_settled(communicator, log)) break;
    if (communicator.is_root() && options.on_round) options.on_round(so_far());
  }
  progress.finish();
  return communicator.is_root() ? so_far() : Calibration{};
}

}  // namespace

Calibration calibrate(const Communicator& communicator, const CalibrationOptions& options) {
  check(options);
  communicator.barrier();
  Calibration calibration = measure(communicator, options);
  communicator.barrier();
  return calibration;
}

}  // namespace tilewright
