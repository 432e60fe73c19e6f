#include "tilewright/calibrate/calibrate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "operator_calibration.hpp"
#include "operator_merge.hpp"
#include "path_calibration.hpp"
#include "pattern_calibration.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

/// What an effort means.
struct EffortTraits {
  Effort effort;
  std::string_view name;
  double budget_s;
  int passes;                                       // over all messages; an odd number has a middle
  int operator_samples;                             // of a cell, at most
  int operator_rounds;                              // over all operators
  std::array<std::int64_t, 7> sides;                // of tiles; 0: none
  std::array<std::int64_t, 2> block_message_sizes;  // in bytes; 0: none
};

constexpr std::array<EffortTraits, 3> efforts{{
    {Effort::quick, "quick", 13, 11, 9, 1, {64, 256, 1024}, {16384}},
    {Effort::standard, "standard", 170, 31, 24, 3, {64, 128, 256, 512, 1024, 2048}, {16384, 131072}},
    {Effort::thorough, "thorough", 900, 101, 50, 5, {32, 64, 128, 256, 512, 1024, 2048}, {16384, 131072}},
}};

/// The shares of the budget that messages get where there are partners to send them to: the paper's, those that tell
/// what blocks cost, and the patterns of all ranks.
constexpr double share_of_paths = 0.25;
constexpr double share_of_blocks = 0.15;
constexpr double share_of_patterns = 0.1;
/// The share of the operators' budget in which all ranks work at once: it yields as many samples a second as there are
/// ranks, and of smaller tiles.
constexpr double share_of_together = 0.3;
/// The side from which tiles are measured with the root alone at work, too; smaller ones fit its own caches.
constexpr std::int64_t smallest_whole_image = 256;

const EffortTraits& traits_of(Effort effort) {
  for (const EffortTraits& traits : efforts) {
    if (traits.effort == effort) return traits;
  }
  throw InternalError("calibrate: effort outside its enumeration");
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

/// Whom the root exchanges messages with: the first rank on another node, for between nodes is where messages are dear;
/// rank 1 if there is one node only. Collective.
int partner_of_root(const Communicator& communicator, const std::string& host) {
  const std::vector<std::string> hosts = communicator.gather(host);
  const auto other = std::find_if(hosts.begin(), hosts.end(), [&](const std::string& name) { return name != host; });
  const auto partner = other == hosts.end() ? 1 : other - hosts.begin();
  return std::stoi(communicator.broadcast(std::to_string(partner)));
}

/// The efforts of all ranks together, and of the root after them. All ranks are at work at once on tiles of which the
/// largest image has one for each. The root alone works on larger ones, and on all that may be a whole image: what one
/// rank does while the others wait has the caches and the memory of its node to itself.
std::pair<OperatorEffort, OperatorEffort> efforts_of(const EffortTraits& traits, int ranks, double budget_s) {
  OperatorEffort together{{}, traits.operator_samples, budget_s, true, ranks};
  OperatorEffort alone{{}, traits.operator_samples, 0, false, 1};
  const std::vector<std::int64_t> sides = without_zeros(traits.sides);
  for (const std::int64_t side : sides) {
    const double tiles = std::pow(static_cast<double>(sides.back()) / static_cast<double>(side), 2);
    if (tiles >= ranks) together.sides.push_back(side);
    if (ranks > 1 && (tiles < ranks || side >= smallest_whole_image)) alone.sides.push_back(side);
  }
  if (!alone.sides.empty()) {
    together.budget_s = budget_s * share_of_together;
    alone.budget_s = budget_s - together.budget_s;
  }
  return {together, alone};
}

/// In rounds, each over all cells: what disturbs the machine for some seconds then spoils few samples of many cells,
/// and not all of some. Collective.
OperatorMeasurement measure_in_rounds(const Communicator& communicator, const EffortTraits& traits, double budget_s,
                                      Progress& progress) {
  auto [together, alone] = efforts_of(traits, communicator.ranks(), budget_s);
  const int rounds = traits.operator_rounds;
  for (OperatorEffort* effort : {&together, &alone}) {
    effort->samples = (effort->samples + rounds - 1) / rounds;
    effort->budget_s /= rounds;
  }
  OperatorMeasurement own;
  for (int round = 0; round < rounds; ++round) {
    communicator.barrier();
    own.add(calibrate_operators(operator_benchmarks(), together, progress));
    communicator.barrier();
    if (communicator.is_root()) own.add({calibrate_operators(operator_benchmarks(), alone, progress).series, {}});
    together.every_kind = false;
  }
  return own;
}

/// Each rank on its own share of its node; merged on the root, where the samples are logged.
std::vector<OperatorCell> measure_operators(const Communicator& communicator, const EffortTraits& traits,
                                            double budget_s, const Fingerprint& fingerprint, SampleLog& log,
                                            Progress& progress) {
  const OperatorMeasurement own = measure_in_rounds(communicator, traits, budget_s, progress);
  std::vector<OperatorMeasurement> by_rank;
  for (const std::string& text : communicator.gather(to_text(own))) by_rank.push_back(operator_measurement_from(text));
  if (!communicator.is_root()) return {};
  const double takers =
      std::max(1.0, static_cast<double>(communicator.ranks_per_node()) / std::max(1, fingerprint.cores_per_node));
  std::vector<OperatorCell> cells;
  for (const MergedSeries& series : merge(by_rank, takers)) {
    for (const double seconds : series.seconds) log.add(cell_name(series.cell), seconds);
    cells.push_back(series.cell);
  }
  return cells;
}

/// The measuring itself; ends with all ranks in step.
Calibration measure(const Communicator& communicator, const CalibrationOptions& options) {
  const EffortTraits& traits = traits_of(options.effort);
  const double budget_s = options.budget_s.value_or(traits.budget_s);
  SampleLog log;
  Progress progress(communicator.is_root() ? options.on_progress : nullptr, budget_s);
  Fingerprint fingerprint = fingerprint_of(communicator);
  fingerprint.effort = to_string(options.effort);

  std::vector<PathCell> paths;
  PathEffort effort{options.sizes, without_zeros(traits.block_message_sizes), traits.passes, share_of_paths * budget_s,
                    share_of_blocks * budget_s};
  const int partner = partner_of_root(communicator, fingerprint.host);
  if (communicator.ranks() > 1 && (communicator.is_root() || communicator.rank() == partner)) {
    paths = calibrate_paths(communicator, partner, effort, log, progress);
  }
  double operators_s = budget_s;
  if (communicator.ranks() > 1) operators_s -= (share_of_paths + share_of_blocks + share_of_patterns) * budget_s;
  effort.budget_s = share_of_patterns * budget_s;
  const std::vector<PathCell> patterns = calibrate_patterns(communicator, effort, log, progress);
  paths.insert(paths.end(), patterns.begin(), patterns.end());
  std::vector<OperatorCell> operators =
      measure_operators(communicator, traits, operators_s, fingerprint, log, progress);
  progress.finish();
  if (!communicator.is_root()) return {};
  return {MachineProfile(options.machine, std::move(fingerprint), std::move(paths), std::move(operators)), log.take()};
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
