#include "path_sampling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "marked_samples.hpp"
#include "settled.hpp"
#include "stopwatch.hpp"
#include "tilewright/calibrate/fit.hpp"
#include "tilewright/core/rounding.hpp"
#include "tilewright/core/units.hpp"
#include "tilewright/model/cell_names.hpp"

namespace tilewright {
namespace {

/// Long streams are cut here, so that the partners are in step again before buffers run over.
constexpr std::int64_t most_rounds = 1000;
/// Two messages of a stream are under way at a time. Long ones within a node take turns in fours: two that take a
/// message's time each, one that takes two, and one that has arrived with it. Any other number of them would time more
/// or less than its share.
constexpr std::int64_t rounds_in_step = 4;
/// Where the processor is rationed a burst of long messages over a wire may have no time for more than a pair.
constexpr std::int64_t fewest_rounds_where_rationed = 2;
/// Of each burst, the messages that bring the stream into its steady state: one, and a share of the timed ones.
constexpr std::int64_t rounds_per_warm_up = 4;
/// Those that are timed, those that warm up, and the one more.
constexpr double messages_of_pilot = 3;
/// Where the processor is rationed, the passes that a budget is to be enough for.
constexpr int passes_of_a_budget = 3;
/// Where the processor is rationed: periods that a burst lasts, and the passes that there are in any case. Messages
/// fall in step with their rations, in one way for as long as a burst lasts and in another one in the next, so that the
/// number of bursts tells, not their length.
constexpr double rations_of_burst = 10;
constexpr int fewest_passes = 3;
/// And that it lasts where so many cells would take far longer than their time.
constexpr double fewest_rations_of_burst = 5;
/// A burst that ends before this share of that is too short to tell.
constexpr double share_of_long_enough = 0.8;
/// Elsewhere a burst lasts so long, for code that has just been entered, and the touching of its memory before, which
/// takes about as long, tell of no message; and there are as many passes as that leaves time for.
constexpr double shortest_burst_s = 1e-3;
constexpr double shortest_visit_s = 2.5e-3;
/// The machine's state is looked at once in so many times as long as that takes, and not more often than that.
constexpr double share_of_looks = 0.05;
constexpr double least_between_looks_s = 0.1;
/// Of the budget, for what was never measured in the state that counts.
constexpr double share_of_retakes = 0.1;
/// How often measurements that contradict each other are repeated, and with how many round trips, at least.
constexpr int most_repetitions = 50;
constexpr std::int64_t rounds_of_repetition = 20;

bool is_empty_full(const PathCell& cell) {
  return cell.path == Path::full && cell.bytes == 0 && cell.packing == Packing::datatype;
}

/// Whether there is nothing but a pilot to tell its time.
bool is_pilot_alone(const PathSeries& series) {
  return series.samples.empty() && series.pilot_s > 0;
}

/// Whether the two differ in their packing only.
bool are_rivals(const PathCell& a, const PathCell& b) {
  return a.packing != b.packing && a.path == b.path && a.layout == b.layout && a.bytes == b.bytes &&
         a.block_bytes == b.block_bytes && a.stride_bytes == b.stride_bytes;
}

}  // namespace

std::vector<PathSeries> series_of(const std::vector<PathCell>& cells, const SampleLog& log) {
  std::vector<PathSeries> all;
  for (const PathCell& cell : cells) {
    PathSeries& series = all.emplace_back();
    series.cell = cell;
    for (const RawSample& sample : log.of_cell(cell_name(cell))) {
      series.samples.push_back({sample.seconds, sample.disturbed});
    }
  }
  return all;
}

PathSampling::PathSampling(PathBench& bench, const SamplingEffort& effort, double reserve_s, Switches switches,
                           double ration_period_s, SampleLog& log, Progress& progress)
    : bench_(bench),
      effort_(effort),
      reserve_s_(reserve_s),
      engine_(effort.seed),
      watch_(switches),
      ration_period_s_(ration_period_s),
      log_(log),
      progress_(progress) {}

/// What a burst lasts at least. Where the processor is rationed, a short one runs at full speed until the ration is
/// used up, and the next one may find none left: of such bursts neither the median nor the least tells what a message
/// takes in the long run. Shorter only where so many cells would take far longer than their time.
double PathSampling::least_burst_s(std::size_t cells, double budget_s) const {
  if (!is_rationed() || cells == 0) return shortest_burst_s;
  const double fair_s = budget_s / static_cast<double>(cells * passes_of_a_budget);
  return std::clamp(fair_s, std::min(reserve_s_, fewest_rations_of_burst * ration_period_s_),
                    std::min(reserve_s_, rations_of_burst * ration_period_s_));
}

/// As many as there is time for.
int PathSampling::passes_over(std::size_t cells, double budget_s) const {
  if (cells == 0) return effort_.passes;
  const double visit_s = is_rationed() ? rations_of_burst * ration_period_s_ : shortest_visit_s;
  const double passes = budget_s / (static_cast<double>(cells) * visit_s);
  return static_cast<int>(
      std::clamp(passes, static_cast<double>(std::min(fewest_passes, effort_.passes)), 1.0 * effort_.passes));
}

void PathSampling::measure(std::vector<PathSeries>& all, double budget_s, Need need, double longest_s) {
  const Deadline deadline(budget_s);
  const bool is_optional = need != Need::always;
  const double least_s = is_rationed() && is_optional ? 0 : least_burst_s(all.size(), budget_s);
  const int passes = passes_over(all.size(), budget_s);
  const double fair_s = budget_s / (static_cast<double>(std::max<std::size_t>(1, all.size())) * passes);
  std::int64_t too_long = std::numeric_limits<std::int64_t>::max();
  const bool is_over = budget_s <= 0 && std::any_of(all.begin(), all.end(), [](const PathSeries& series) {
                         return !series.samples.empty();  // of an interrupted calibration
                       });
  bool is_any_new = budget_s > 0;
  bool are_all = true;
  for (const std::size_t i : shuffled(all.size(), engine_)) {
    PathSeries& series = all[i];
    const bool is_left_out = is_over && series.cell.bytes > longest_on_any_wire && std::isfinite(longest_s);
    const bool is_done = is_left_out || (budget_s <= 0 && !series.samples.empty());
    if (series.pilot_s != 0 || is_done || series.cell.bytes >= too_long) continue;
    if (is_optional && deadline.remaining_s() <= 0) {
      are_all = are_all && !series.samples.empty();
      continue;
    }
    pilot(series);
    is_any_new = true;
    if (series.seconds_a_round <= longest_s || series.cell.bytes <= longest_on_any_wire) continue;
    const bool is_by_bytes = messages_of_pilot * contiguous_seconds(series.cell.bytes) > longest_s;
    if (is_optional && !is_by_bytes) {
      series.pilot_s = 0;
    } else {
      too_long = series.cell.bytes;
    }
  }
  for (PathSeries& series : all) {
    const bool is_left_out = series.cell.bytes >= too_long || (need == Need::all_or_none && !are_all);
    if (is_left_out && series.samples.empty()) series.pilot_s = 0;
  }
  for (int pass = 0; pass < passes && budget_s > 0; ++pass) {
    std::vector<std::size_t> order = shuffled(all.size(), engine_);
    std::erase_if(order, [&](std::size_t i) { return all[i].pilot_s == 0 || !needs_more(all[i], all); });
    if (order.empty()) break;
    for (std::size_t done = 0; done < order.size(); ++done) {
      PathSeries& series = all[order[done]];
      const double turns = std::clamp(fair_s / series.shortest_burst_s, 1.0 / std::max(1, passes / 2), 1.0);
      if (pass % static_cast<int>(1 / turns) != 0) continue;
      const double left = static_cast<double>(order.size()) * (passes - pass) - static_cast<double>(done);
      const double remaining_s = deadline.remaining_s();
      const bool is_granted = !is_optional && std::ssize(series.samples) < effort_.granted_samples;
      visit(series, {remaining_s, remaining_s / left, least_s, is_granted});
    }
  }
  if (budget_s > 0) retake(all, share_of_retakes * budget_s, least_burst_s(all.size(), budget_s));
  std::erase_if(all, [](const PathSeries& series) { return series.samples.empty() && !is_pilot_alone(series); });
  if (is_any_new) repeat_contradictions(all);
  for (const PathSeries& series : all) {
    const PathCell& cell = series.cell;
    if (is_empty_full(cell)) empty_[cell.layout] = series;
    if (cell.path == Path::full && cell.layout == Layout::cc)
      contiguous_s_[cell.bytes] = fit(counted_in(state_, series)).seconds;
  }
}

void PathSampling::keep_pilots(std::vector<PathSeries>& all) {
  for (PathSeries& series : all) {
    if (is_pilot_alone(series)) keep(series, {series.pilot_s, false, series.pilot_moment});
  }
}

double PathSampling::contiguous_seconds(std::int64_t bytes) const {
  const auto above = contiguous_s_.upper_bound(bytes);
  return above == contiguous_s_.begin() ? 0 : std::prev(above)->second;
}

std::optional<PathCell> PathSampling::fitted_in(const MachineState& state, const PathSeries& series) const {
  const auto known = empty_.find(series.cell.layout);
  std::vector<double> empty;
  if (known != empty_.end()) empty = counted_in(state, known->second);
  const auto time = fit_path(series.cell, counted_in(state, series), empty.empty() ? nullptr : &empty);
  if (!time) return std::nullopt;
  PathCell cell = series.cell;
  cell.time = *time;
  return cell;
}

std::size_t PathSampling::samples_in_state(const PathSeries& series) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      series.samples, [&](const PathSample& sample) { return states_.was_in(state_, sample.moment); }));
}

std::vector<double> PathSampling::counted_in(const MachineState& state, const PathSeries& series) const {
  if (is_pilot_alone(series)) return {series.pilot_s};
  return counted(in_state(series.samples, states_, state));
}

bool PathSampling::needs_more(const PathSeries& series, const std::vector<PathSeries>& all) const {
  std::vector<std::vector<double>> times;
  for (const PathSeries& other : all) {
    if (are_rivals(series.cell, other.cell)) times.push_back(counted_in(state_, other));
  }
  return !is_settled(counted_in(state_, series), {times.begin(), times.end()});
}

/// Of a burst of about so many.
std::int64_t PathSampling::rounds_of(const PathCell& cell, std::int64_t rounds) const {
  if (cell.path == Path::full) return rounds;
  if (is_rationed() && rounds <= fewest_rounds_where_rationed) return fewest_rounds_where_rationed;
  return rounded_up(rounds, rounds_in_step);
}

/// Now and then, before a message of those ends.
void PathSampling::look(bool within_node) {
  const double begin_s = now_s();
  if (begin_s < next_look_s_) return;
  next_look_s_ = std::numeric_limits<double>::infinity();  // the bursts below are no occasion to look again
  PathSeries& message = message_of_state_;
  message.cell = message_of_state(within_node);
  if (message.seconds_a_round == 0) pilot(message);
  const PathSample sample = burst_of(message, least_burst_s(1, std::numeric_limits<double>::infinity()));
  log_.add(cell_name(message.cell), sample.seconds, sample.disturbed);
  states_.add(sample.seconds);
  state_ = effort_.state_s > 0 ? states_.of(effort_.state_s) : states_.prevailing();
  next_look_s_ = begin_s + std::max(least_between_looks_s, (now_s() - begin_s) / share_of_looks);
}

PathSample PathSampling::burst(PathSeries& series, std::int64_t rounds) {
  look(series.cell.within_node);
  const PathCell& cell = series.cell;
  progress_.tell(fmt::format("{} {}, {}", to_string(cell.path), to_string(cell.layout), format_bytes(cell.bytes)));
  rounds = rounds_of(cell, rounds);
  const std::int64_t warm_up = 1 + rounds / rounds_per_warm_up;
  watch_.begin();
  const auto [seconds, burst_s] = bench_.measure({cell, warm_up, rounds});
  const PathSample sample{seconds, watch_.was_disturbed(), states_.moment()};
  series.seconds_a_round = burst_s / static_cast<double>(rounds);
  if (series.shortest_burst_s == 0 || burst_s < series.shortest_burst_s) series.shortest_burst_s = burst_s;
  return sample;
}

/// The first message. One that meets the end of a ration would pass for too long to be sent again when the time is up,
/// and would tell what a single one takes that fits into the system's buffers.
void PathSampling::pilot(PathSeries& series) {
  PathSample sample = burst(series, 1);
  const bool waited = is_rationed() && series.seconds_a_round > fewest_rations_of_burst * ration_period_s_;
  if (waited && series.cell.bytes <= longest_on_any_wire) sample = burst(series, 1);
  series.pilot_s = sample.seconds;
  series.pilot_moment = sample.moment;
}

/// A burst that takes about its share, unless not even a single message fits into what remains. Where large messages
/// have used up the budget, the reserve is still there for small ones. Many short bursts, over all the time there is,
/// tell more than few long ones; but where the processor is rationed, one that is too short tells little.
void PathSampling::visit(PathSeries& series, const Turn& turn) {
  const double reserve_s = turn.is_granted ? reserve_s_ : 0;
  if (series.seconds_a_round > std::max(turn.remaining_s, reserve_s)) return;
  const double least_s = turn.remaining_s > 0 || is_rationed() ? turn.least_s : std::min(turn.least_s, reserve_s);
  const double burst_s = std::max(turn.share_s, least_s);
  if (is_rationed() && !turn.is_granted && burst_s > turn.remaining_s) return;
  keep(series, burst_of(series, burst_s));
}

/// Of about so many seconds, as the ones before it tell.
PathSample PathSampling::burst_of(PathSeries& series, double burst_s) {
  std::int64_t rounds = 0;
  PathSample sample;
  do {
    const double wanted = std::max(std::floor(burst_s / series.seconds_a_round), 2.0 * static_cast<double>(rounds));
    rounds = static_cast<std::int64_t>(std::clamp(wanted, 1.0, 1.0 * most_rounds));
    sample = burst(series, rounds);
  } while (is_too_short(series, rounds, burst_s));
  return sample;
}

/// Whether so many rounds, that were to last `burst_s`, were over before they told. The burst before, which had told
/// how long a round takes, had waited for its ration, or had entered code for the first time.
bool PathSampling::is_too_short(const PathSeries& series, std::int64_t rounds, double burst_s) const {
  const double lasted_s = series.seconds_a_round * static_cast<double>(rounds);
  const double telling_s = is_rationed() ? fewest_rations_of_burst * ration_period_s_ : shortest_burst_s;
  const double long_enough_s = std::min(burst_s, telling_s);
  return rounds < most_rounds && lasted_s < share_of_long_enough * long_enough_s;
}

/// Where ranks share a core, a few round trips may be mostly waiting for it. More of them tell, and more of the empty
/// messages that they contradict, be those of this call or of an earlier one.
void PathSampling::repeat_contradictions(std::vector<PathSeries>& all) {
  for (int attempt = 0; attempt < most_repetitions; ++attempt) {
    bool found = false;
    for (PathSeries& series : all) {
      if (series.cell.path != Path::full || series.cell.bytes == 0) continue;
      const auto of_this_call = std::find_if(all.begin(), all.end(), [&](const PathSeries& other) {
        return is_empty_full(other.cell) && other.cell.layout == series.cell.layout;
      });
      PathSeries& empty = of_this_call != all.end() ? *of_this_call : empty_.at(series.cell.layout);
      if (is_plausible_full(counted_in(state_, series), counted_in(state_, empty))) continue;
      found = true;
      repeat(series);
      repeat(empty);
    }
    if (!found) return;
  }
}

/// Where the processor is rationed, for as long as any burst should last: empty messages in short ones, at the full
/// core's speed, would take the place of what contradicts them.
void PathSampling::repeat(PathSeries& series) {
  const double long_enough = rations_of_burst * ration_period_s_ / std::max(series.seconds_a_round, 1e-9);
  const double rounds = std::clamp(long_enough, 1.0 * rounds_of_repetition, 1.0 * most_rounds);
  keep(series, burst(series, static_cast<std::int64_t>(rounds)));
}

/// Once each, what has no sample of the state that counts, while the machine is in it.
void PathSampling::retake(std::vector<PathSeries>& all, double budget_s, double least_s) {
  const Deadline deadline(budget_s);
  for (const std::size_t i : shuffled(all.size(), engine_)) {
    PathSeries& series = all[i];
    const bool is_left_out = series.samples.empty() || series.seconds_a_round == 0;
    if (is_left_out || samples_in_state(series) > 0 || !states_.was_in(state_, states_.moment())) continue;
    if (std::max(least_s, series.seconds_a_round) < deadline.remaining_s()) keep(series, burst_of(series, least_s));
  }
}

void PathSampling::keep(PathSeries& series, const PathSample& sample) {
  series.samples.push_back(sample);
  log_.add(cell_name(series.cell), sample.seconds, sample.disturbed);
}

}  // namespace tilewright
