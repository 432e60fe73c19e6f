#include "tilewright/calibrate/calibrate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "operator_calibration.hpp"
#include "path_calibration.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

/// What an effort means.
struct EffortTraits {
  Effort effort;
  std::string_view name;
  double budget_s;
  int passes;                         // over all messages; an odd number has a middle
  int operator_samples;               // of a cell, at most
  std::array<std::int64_t, 7> sides;  // of tiles; 0: none
};

constexpr std::array<EffortTraits, 3> efforts{{
    {Effort::quick, "quick", 13, 11, 9, {64, 256, 1024}},
    {Effort::standard, "standard", 170, 31, 25, {64, 128, 256, 512, 1024, 2048}},
    {Effort::thorough, "thorough", 900, 101, 51, {32, 64, 128, 256, 512, 1024, 2048}},
}};

/// The share of the budget that the messages get where there are partners to send them to.
constexpr double share_of_paths = 0.4;

const EffortTraits& traits_of(Effort effort) {
  for (const EffortTraits& traits : efforts) {
    if (traits.effort == effort) return traits;
  }
  throw InternalError("calibrate: effort outside its enumeration");
}

std::vector<std::int64_t> sides_of(const EffortTraits& traits) {
  std::vector<std::int64_t> sides(traits.sides.begin(), traits.sides.end());
  std::erase(sides, 0);
  return sides;
}

void check(const CalibrationOptions& options) {
  for (const std::int64_t size : options.sizes) {
    if (size < 0) throw ParameterError(fmt::format("calibrate: message size {} is negative: give 0 or more", size));
  }
  if (options.budget_s && !(*options.budget_s >= 0 && std::isfinite(*options.budget_s))) {
    throw ParameterError(fmt::format("calibrate: a budget of {} s is none: give 0 or more", *options.budget_s));
  }
}

/// The measuring itself; ends with all ranks in step.
Calibration measure(const Communicator& communicator, const CalibrationOptions& options) {
  const EffortTraits& traits = traits_of(options.effort);
  const double budget_s = options.budget_s.value_or(traits.budget_s);
  const Deadline deadline(budget_s);
  SampleLog log;
  Progress progress(communicator.is_root() ? options.on_progress : nullptr, budget_s);

  std::vector<PathCell> paths;
  if (communicator.ranks() > 1 && communicator.rank() < 2) {
    paths = calibrate_paths(communicator, options.sizes, traits.passes, share_of_paths * budget_s, log, progress);
  }
  if (!communicator.is_root()) return {};

  const double operators_s = std::max(deadline.remaining_s(), (1 - share_of_paths) * budget_s);
  std::vector<OperatorCell> operators = calibrate_operators(
      operator_benchmarks(), {sides_of(traits), traits.operator_samples, operators_s}, log, progress);
  Fingerprint fingerprint = fingerprint_of(communicator);
  fingerprint.effort = to_string(options.effort);
  progress.finish();
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
