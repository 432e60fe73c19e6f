#include "tilewright/compare/comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "drift.hpp"
#include "tilewright/calibrate/states.hpp"
#include "tilewright/core/statistics.hpp"
#include "tilewright/core/units.hpp"
#include "tilewright/model/not_measured.hpp"
#include "tilewright/scheduler/rounding.hpp"

namespace tilewright {
namespace {

/// Models that know more come before those that know less, which do as well at less cost.
constexpr std::string_view by_knowledge[] = {"p3pc-stride", "p3pc",    "lognp", "log3p", "3pc",
                                             "loggp-star",  "loggp",   "logp",  "e-bsp", "bsp-star",
                                             "bsp",         "hockney", "pram"};

MessageForm form_of(const PathCell& cell) {
  MessageForm form{cell.layout,       cell.bytes,   cell.block_bytes, cell.stride_bytes,
                   cell.stride_bytes, cell.packing, cell.within_node};
  if (!cell.has_paper_blocks()) return form;
  const BlockShape blocks = paper_blocks(cell.bytes);
  form.block_bytes = cell.layout == Layout::cc ? cell.bytes : blocks.block_bytes;
  form.sender_stride = form.receiver_stride = cell.layout == Layout::cc ? cell.bytes : blocks.stride_bytes;
  return form;
}

std::string group_of(const PathCell& cell) {
  if (cell.layout == Layout::cc) return "contiguous";
  if (cell.has_paper_blocks()) return "strided, 100 blocks";
  return fmt::format("strided, {}", to_string(cell.packing));
}

Errors errors_of(const std::vector<double>& values) {
  const Interval interval = median_interval_95(values);
  return {values.size(), median(values), interval.low, interval.high, quantile(values, 0.9), quantile(values, 1)};
}

/// Errors by group, and of all together.
class GroupedErrors {
 public:
  void add(const std::string& group, double predicted, double measured) {
    if (!(measured > 0)) return;
    const double error = std::abs(relative_error(predicted, measured));
    groups_[group].push_back(error);
    groups_["all"].push_back(error);
  }
  [[nodiscard]] std::map<std::string, Errors> errors() const {
    std::map<std::string, Errors> errors;
    for (const auto& [group, values] : groups_) errors.emplace(group, errors_of(values));
    return errors;
  }

 private:
  std::map<std::string, std::vector<double>> groups_;
};

/// One question: indices of transfers to choose from.
struct Question {
  std::string what;
  std::vector<std::size_t> choices;
};

/// What of a transfer does not differ between the choices of a question.
auto given(const MeasuredTransfer& transfer) {
  const TransferSpec& spec = transfer.spec;
  return std::tuple(transfer.launch, spec.kind, spec.image.extent.width, spec.image.extent.height, spec.grid.ranks());
}

void add_question(std::vector<Question>& questions, Question question) {
  if (question.choices.size() > 1) questions.push_back(std::move(question));
}

/// Grid and tree, with derived datatypes: one question an operation and image. The packing: one a grid and tree.
std::vector<Question> questions_of(const std::vector<MeasuredTransfer>& transfers) {
  std::map<decltype(given(transfers.front())), Question> algorithms;
  std::map<std::string, Question> packings;
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    const TransferSpec& spec = transfers[i].spec;
    if (spec.packing == Packing::datatype) {
      Question& question = algorithms[given(transfers[i])];
      question.what = to_string(spec.kind);
      question.choices.push_back(i);
    }
    if (spec.kind == TransferKind::broadcast) continue;  // nothing to pack
    const std::string tree = spec.algorithm ? std::string(to_string(*spec.algorithm)) : "";
    Question& question = packings[fmt::format("{} {} {} {} {}", transfers[i].launch, to_string(spec.kind),
                                              to_string(spec.image.extent), to_string(spec.grid), tree)];
    question.what = "packing";
    question.choices.push_back(i);
  }
  std::vector<Question> questions;
  for (const auto& [key, question] : algorithms) add_question(questions, question);
  for (const auto& [key, question] : packings) add_question(questions, question);
  return questions;
}

/// Predictions of which equal ones are the same number: sums of the same times in another order differ by rounding.
std::vector<double> without_rounding(std::vector<double> predicted) {
  for (auto value = predicted.begin(); value != predicted.end(); ++value) {
    const auto equal = std::find_if(predicted.begin(), value, [&](double earlier) {
      return std::abs(*value - earlier) <= rounding * std::max(std::abs(*value), std::abs(earlier));
    });
    *value = *equal;
  }
  return predicted;
}

/// Adds up how a model answers questions of one kind.
struct Score {
  std::vector<double> taus;
  std::vector<double> regrets;
  std::size_t undecided = 0;
  double hits = 0;

  void add(const Question& question, const std::vector<double>& predicted,
           const std::vector<MeasuredTransfer>& transfers) {
    std::vector<double> guesses, times;
    std::vector<Estimate> measured;
    for (const std::size_t choice : question.choices) {
      guesses.push_back(predicted[choice]);
      measured.push_back(transfers[choice].time);
      times.push_back(measured.back().seconds);
    }
    guesses = without_rounding(std::move(guesses));
    add_chosen(guesses, measured);
    const double tau = kendall_tau_b(guesses, times);
    taus.push_back(std::isnan(tau) ? 0 : tau);  // a model that finds all equal ranks nothing
  }
  [[nodiscard]] Ranking ranking() const {
    return {regrets.size(), undecided, hits, mean(taus), mean(regrets), quantile(regrets, 1)};
  }

 private:
  /// All choices of the least prediction: the model cannot tell which of them to take.
  void add_chosen(const std::vector<double>& guesses, const std::vector<Estimate>& measured) {
    const double least = *std::ranges::min_element(guesses);
    const Estimate& fastest = *std::ranges::min_element(measured, {}, &Estimate::seconds);
    double right = 0, lost_s = 0, chosen = 0;
    for (std::size_t i = 0; i < guesses.size(); ++i) {
      if (guesses[i] != least) continue;
      const double more_s = measured[i].seconds - fastest.seconds;
      ++chosen;
      lost_s += more_s;
      if (more_s <= measured[i].spread_s + fastest.spread_s) ++right;
    }
    if (chosen > 1) ++undecided;
    hits += right / chosen;
    regrets.push_back(lost_s / chosen / fastest.seconds);
  }
};

void add_rankings(const Measurements& measurements, ModelComparison& comparison) {
  std::map<std::string, Score> scores;
  for (const Question& question : questions_of(measurements.transfers)) {
    scores[question.what].add(question, comparison.transfer_seconds, measurements.transfers);
  }
  for (const auto& [what, score] : scores) comparison.rankings.emplace(what, score.ranking());
}

/// The machine in the state in which each launch met it.
class LaunchProfiles {
 public:
  LaunchProfiles(const std::vector<MachineProfile>& states, const Measurements& measurements) : states_(states) {
    for (const auto* messages : {&measurements.messages, &measurements.known}) {
      for (const MeasuredMessage& message : *messages) add(message);
    }
  }
  /// Number of the state.
  [[nodiscard]] std::size_t state(int launch) const {
    const auto known = by_launch_.find(launch);
    return known == by_launch_.end() ? 0 : known->second;
  }
  [[nodiscard]] const MachineProfile& operator[](int launch) const { return states_[state(launch)]; }
  [[nodiscard]] const std::vector<MachineProfile>& states() const { return states_; }

 private:
  /// All messages of a launch are of one state.
  void add(const MeasuredMessage& message) {
    if (by_launch_.contains(message.launch) || !(message.state_s > 0)) return;
    by_launch_[message.launch] = static_cast<std::size_t>(&nearest_state(states_, message.state_s) - states_.data());
  }

  const std::vector<MachineProfile>& states_;
  std::map<int, std::size_t> by_launch_;
};

/// Of each launch: the machine may have gone from one speed to another meanwhile.
std::map<int, MessageDrift> drift_of_launches(const LaunchProfiles& profiles,
                                              const std::vector<MeasuredMessage>& known) {
  std::map<int, std::vector<MeasuredMessage>> by_launch;
  for (const MeasuredMessage& message : known) by_launch[message.launch].push_back(message);
  std::map<int, MessageDrift> drifts;
  for (const auto& [launch, messages] : by_launch) drifts.emplace(launch, MessageDrift(profiles[launch], messages));
  return drifts;
}

/// What each message would take if the machine were as it was calibrated; none where that is not known.
std::vector<std::optional<double>> seconds_without_drift(const LaunchProfiles& profiles,
                                                         const Measurements& measurements) {
  const std::map<int, MessageDrift> drifts = drift_of_launches(profiles, measurements.known);
  std::vector<std::optional<double>> seconds;
  for (const MeasuredMessage& message : measurements.messages) {
    const auto drift = drifts.find(message.launch);
    const bool is_known = drift != drifts.end() && drift->second.is_known();
    seconds.push_back(is_known ? std::optional(message.cell.time.seconds / drift->second.factor(message.cell))
                               : std::nullopt);
  }
  return seconds;
}

/// Adds what the model says of all that was measured. `models`: of each state. Throws NotMeasured if the profile lacks
/// what it takes for that, and then adds nothing.
void add_prices(const std::vector<CostModelIfMeasured>& models, const LaunchProfiles& profiles,
                const Measurements& measurements, ModelComparison& comparison) {
  std::vector<double> message_seconds, transfer_seconds;
  for (const MeasuredMessage& message : measurements.messages) {
    const CostModel& model = *models[profiles.state(message.launch)].model;
    message_seconds.push_back(model.message_seconds(message.cell.path, form_of(message.cell)));
  }
  for (const MeasuredTransfer& transfer : measurements.transfers) {
    const CostModel& model = *models[profiles.state(transfer.launch)].model;
    const Schedule schedule = make_schedule(transfer.spec);
    transfer_seconds.push_back(model.transfer_seconds(schedule) + copy_seconds(profiles[transfer.launch], schedule));
  }
  comparison.statement = models.front().model->statement();
  comparison.message_seconds = std::move(message_seconds);
  comparison.transfer_seconds = std::move(transfer_seconds);
}

void add_errors(const Measurements& measurements, const std::vector<std::optional<double>>& as_calibrated_s,
                ModelComparison& comparison) {
  GroupedErrors messages, of_any_state, without_drift, transfers;
  for (std::size_t i = 0; i < measurements.messages.size(); ++i) {
    const PathCell& cell = measurements.messages[i].cell;
    const double predicted_s = comparison.message_seconds[i];
    messages.add(group_of(cell), predicted_s, cell.time.seconds);
    of_any_state.add(group_of(cell), predicted_s, measurements.messages[i].of_any_state.seconds);
    if (as_calibrated_s[i]) without_drift.add(group_of(cell), predicted_s, *as_calibrated_s[i]);
  }
  for (std::size_t i = 0; i < measurements.transfers.size(); ++i) {
    const MeasuredTransfer& transfer = measurements.transfers[i];
    transfers.add(std::string(to_string(transfer.spec.kind)), comparison.transfer_seconds[i], transfer.time.seconds);
  }
  comparison.messages = messages.errors();
  comparison.messages_of_any_state = of_any_state.errors();
  comparison.messages_without_drift = without_drift.errors();
  comparison.transfers = transfers.errors();
}

ModelComparison compare_model(std::string_view name, const LaunchProfiles& profiles, const Measurements& measurements,
                              const std::vector<std::optional<double>>& as_calibrated_s) {
  ModelComparison comparison;
  comparison.model = name;
  std::vector<CostModelIfMeasured> models;
  for (const MachineProfile& state : profiles.states()) {
    CostModelIfMeasured& known = models.emplace_back(cost_model_if_measured(name, state));
    comparison.missing = known.why_not;
    if (!known.model) return comparison;
  }
  try {
    add_prices(models, profiles, measurements, comparison);
  } catch (const NotMeasured& lack) {
    comparison.missing = lack.what();
    return comparison;
  }
  add_errors(measurements, as_calibrated_s, comparison);
  add_rankings(measurements, comparison);
  return comparison;
}

/// Throws NotMeasured if the profile lacks that layout.
Curve curve_of(const CostModel& model, Layout layout) {
  constexpr double smallest = 64, largest = 4 << 20, step = 1.25;
  Curve curve{std::string(model.name()), layout, {}};
  for (double bytes = smallest; bytes < largest; bytes *= step) {
    const PathCell cell{Path::full, layout, static_cast<std::int64_t>(bytes), {}};
    curve.points.emplace_back(bytes, model.message_seconds(Path::full, form_of(cell)));
  }
  return curve;
}

void add_curves(const MachineProfile& profile, std::vector<Curve>& curves) {
  for (const std::string_view name : cost_model_names()) {
    const CostModelIfMeasured known = cost_model_if_measured(name, profile);
    if (!known.model) continue;
    try {
      for (const Layout layout : all_layouts) curves.push_back(curve_of(*known.model, layout));
    } catch (const NotMeasured&) {
      continue;  // said in its ModelComparison
    }
  }
}

const ModelComparison* find(const std::vector<ModelComparison>& models, std::string_view name) {
  const auto found = std::find_if(models.begin(), models.end(), [&](const auto& model) { return model.model == name; });
  return found != models.end() && found->missing.empty() ? &*found : nullptr;
}

/// The simplest model whose median error is not above the interval of the best one's.
void add_remark(const std::string& group, const std::vector<ModelComparison>& models,
                std::vector<std::string>& remarks) {
  const ModelComparison* best = nullptr;
  const auto errors = [&](const ModelComparison& model) { return model.messages.at(group); };
  for (const ModelComparison& model : models) {
    if (!model.messages.contains(group)) continue;
    if (best == nullptr || errors(model).median < errors(*best).median) best = &model;
  }
  if (best == nullptr) return;
  for (auto name = std::rbegin(by_knowledge); name != std::rend(by_knowledge) && *name != best->model; ++name) {
    const ModelComparison* simple = find(models, *name);
    if (simple == nullptr || errors(*simple).median > errors(*best).median_high) continue;
    remarks.push_back(fmt::format(
        "{}: {} does as well (median error {:.1f} %) as the best, {} ({:.1f} %, 95 % interval up to {:.1f} %)", group,
        simple->model, 100 * errors(*simple).median, best->model, 100 * errors(*best).median,
        100 * errors(*best).median_high));
    return;
  }
  remarks.push_back(fmt::format("{}: {} is the best (median error {:.1f} %), and no simpler model does as well", group,
                                best->model, 100 * errors(*best).median));
}

/// What was left out because the machine had changed, and what the best informed model's errors are with it.
std::optional<std::string> remark_on_states(const Comparison& comparison) {
  std::int64_t in_state = 0, all = 0;
  std::size_t never = 0;
  for (const MeasuredMessage& message : comparison.measurements.messages) {
    in_state += message.in_state;
    all += std::max(message.of_any_state.samples, message.in_state);  // which counts disturbed ones, too
    if (message.in_state == 0) ++never;
  }
  const ModelComparison* model = find(comparison.models, by_knowledge[0]);
  if (in_state == all || model == nullptr) return std::nullopt;
  const Errors& errors = model->messages_of_any_state.at("all");
  return fmt::format(
      "of {} samples {} were taken while the empty message took clearly longer or shorter than in the state that "
      "predicts them, and count only for the {} messages that have no others; were all to count, the errors of {} "
      "would be {:.1f} % in the median, {:.1f} % in nine of ten",
      all, all - in_state, never, model->model, 100 * errors.median, 100 * errors.p90);
}

/// Launches that are predicted by another state than the one that prevailed in the calibration.
std::vector<std::string> remarks_on_other_states(const LaunchProfiles& profiles, const Measurements& measurements) {
  std::vector<std::string> remarks;
  const MachineProfile& profile = profiles.states().front();
  for (int launch = 0; launch < measurements.launches(); ++launch) {
    const MachineProfile& state = profiles[launch];
    if (&state == &profile) continue;
    remarks.push_back(fmt::format(
        "launch {} met the machine in another state than the one that prevailed when it was calibrated: the empty "
        "message took about {} there and back, not {}; its messages are predicted by what was calibrated in that state",
        launch + 1, format_seconds(state_of(state)), format_seconds(state_of(profile))));
  }
  return remarks;
}

std::optional<std::string> remark_on_drift(const LaunchProfiles& profiles, const Measurements& measurements) {
  std::vector<double> factors;
  for (const MeasuredMessage& message : measurements.known) {
    const auto ratio = times_as_long(profiles[message.launch], message);
    if (ratio) factors.push_back(*ratio);
  }
  if (factors.empty()) return std::nullopt;
  return fmt::format(
      "messages of the profile, measured again, take {:.2f} times as long as when it was calibrated (the median of "
      "{}): errors without drift are those that are left when that is taken out",
      median(factors), factors.size());
}

}  // namespace

Comparison compare(const std::vector<MachineProfile>& states, const Measurements& measurements) {
  const MachineProfile& profile = states.front();
  Comparison comparison{profile.name(), measurements, {}, {}, {}};
  const LaunchProfiles profiles(states, measurements);
  const std::vector<std::optional<double>> as_calibrated_s = seconds_without_drift(profiles, measurements);
  for (const std::string_view name : cost_model_names()) {
    comparison.models.push_back(compare_model(name, profiles, measurements, as_calibrated_s));
  }
  add_curves(profile, comparison.curves);
  std::vector<std::string> groups;
  for (const MeasuredMessage& message : measurements.messages) {
    const std::string group = group_of(message.cell);
    if (std::find(groups.begin(), groups.end(), group) == groups.end()) groups.push_back(group);
  }
  std::sort(groups.begin(), groups.end());
  for (const std::string& group : groups) add_remark(group, comparison.models, comparison.remarks);
  if (auto remark = remark_on_states(comparison)) comparison.remarks.push_back(*std::move(remark));
  for (std::string& remark : remarks_on_other_states(profiles, measurements))
    comparison.remarks.push_back(std::move(remark));
  if (auto remark = remark_on_drift(profiles, measurements)) comparison.remarks.push_back(*std::move(remark));
  return comparison;
}

}  // namespace tilewright
