// Every cost model against what was measured: how far off it is, and whether it ranks as the machine does.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/compare/measurements.hpp"
#include "tilewright/scheduler/cost_model.hpp"

namespace tilewright {

/// Relative errors |predicted - measured| / measured, as fractions.
struct Errors {
  std::size_t count = 0;
  double median = 0;
  double median_low = 0;  ///< of the interval that holds the median with 95 %
  double median_high = 0;
  double p90 = 0;
  double worst = 0;
};

/// How well a model chooses between alternatives: whether it ranks algorithms as the machine does (Juurlink and
/// Rieping). Where it predicts the same least time for several choices it takes any of them: what they are worth on
/// average counts.
struct Ranking {
  std::size_t questions = 0;
  std::size_t undecided = 0;  ///< of those, the ones that have several such choices: the model cannot tell
  double hits = 0;            ///< the chosen one was the fastest, or not slower by more than their spreads
  double kendall_tau = 0;     ///< mean over the questions
  double mean_regret = 0;     ///< measured time of the chosen one over that of the fastest, less 1
  double worst_regret = 0;    ///< of one question
};

struct ModelComparison {
  std::string model;
  /// Why the profile does not give the model's parameters, or the times of what was measured; then there is nothing
  /// else.
  std::string missing;
  ModelStatement statement;
  std::map<std::string, Errors> messages;  ///< by group: "contiguous", "strided, paper's blocks", ...
  /// The same against the times from samples of all states of the machine (TimedMessage).
  std::map<std::string, Errors> messages_of_any_state;
  /// The same against what messages would take if the machine were as it was calibrated; empty where that is not known.
  std::map<std::string, Errors> messages_without_drift;
  std::map<std::string, Errors> transfers;  ///< by operation
  std::map<std::string, Ranking> rankings;  ///< by what is chosen: "broadcast", "scatter", ..., "packing"
  std::vector<double> message_seconds;      ///< predicted, in the order of the measurements
  std::vector<double> transfer_seconds;
};

/// T(full, layout, n) of the paper's blocks as a model has it.
struct Curve {
  std::string model;
  Layout layout = Layout::cc;
  std::vector<std::pair<double, double>> points;  ///< bytes, seconds
};

struct Comparison {
  std::string machine;
  Measurements measurements;
  std::vector<ModelComparison> models;  ///< in the order of cost_model_names()
  std::vector<Curve> curves;            ///< of those that can be made
  std::vector<std::string> remarks;     ///< where a simple model does as well as a better informed one
};

/// `states`: the profile, and the same machine in other states (profiles_of_states()); what was measured in one of them
/// is predicted by that one, and all else is told of the first. Pure: the same inputs give the same comparison.
[[nodiscard]] Comparison compare(const std::vector<MachineProfile>& states, const Measurements& measurements);
[[nodiscard]] inline Comparison compare(const MachineProfile& profile, const Measurements& measurements) {
  return compare(std::vector{profile}, measurements);
}

/// For people.
[[nodiscard]] std::string to_text(const Comparison& comparison);
/// {"schema": "tilewright.compare/1", ...}: all figures, and the measurements, which measurements_from() reads back.
[[nodiscard]] std::string to_json(const Comparison& comparison);
/// Throws ParameterError for what to_json() has not written.
[[nodiscard]] Measurements measurements_from(std::string_view json);
/// The name of the machine that they were compared with. Throws ParameterError as measurements_from() does.
[[nodiscard]] std::string machine_of(std::string_view json);
/// One page with plots; needs no other file.
[[nodiscard]] std::string to_html(const Comparison& comparison);

}  // namespace tilewright
