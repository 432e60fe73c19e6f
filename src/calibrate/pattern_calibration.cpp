#include "pattern_calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "common_cells.hpp"
#include "passes.hpp"
#include "path_sampling.hpp"
#include "pattern.hpp"
#include "pattern_cells.hpp"
#include "shuffled.hpp"
#include "tilewright/calibrate/fit.hpp"
#include "tilewright/calibrate/messages.hpp"
#include "tilewright/core/units.hpp"
#include "tilewright/model/cell_names.hpp"

namespace tilewright {
namespace {

/// Longer messages, which would use up the others' time, have their turn in few of the passes.
constexpr std::int64_t longest_of_every_pass = 128 * 1024;
constexpr int passes_a_turn_of_long = 3;
/// No plan is priced by the other patterns unless it is asked for.
constexpr int fewest_passes_of_others = 2;
constexpr double share_of_exchanges = 0.7;
constexpr int fewest_passes_of_refresh = 5;
constexpr double share_of_overlapped = 0.15;

struct PassEffort {
  double budget_s = 0;
  int fewest_passes = 1;
  int most_passes = 1;
  std::uint64_t seed = 1;        ///< of the order in which cells are measured; all ranks have the same
  double longest_message_s = 0;  ///< as of PathEffort
};

/// What a message that takes too long is left out with.
bool may_be_left_out(const PathCell& cell) {
  return cell.bytes > longest_on_any_wire && !passes_meanwhile(cell.path);
}

/// Whether an interrupted calibration has come to the end of these. Without time left, what it had left out is no
/// reason to go on.
bool are_done(const SampleLog& log, const std::vector<PathCell>& cells, double budget_s) {
  std::vector<PathCell> needed = cells;
  if (budget_s <= 0) std::erase_if(needed, may_be_left_out);
  return log.is_done(needed, budget_s);
}

/// How often each cell is repeated in a sample; 0: it would leave no time for the others. Collective.
std::vector<int> repeats_of_cells(const Communicator& communicator, Pattern& pattern,
                                  const std::vector<PathCell>& cells, double longest_s) {
  std::vector<int> repeats;
  std::set<Path> connected;
  std::int64_t too_long = std::numeric_limits<std::int64_t>::max();
  for (const PathCell& cell : cells) {
    const bool is_optional = longest_s > 0 && may_be_left_out(cell);
    if (repeats.emplace_back(0); is_optional && cell.bytes >= too_long) continue;
    const bool is_connected = !connected.insert(cell.path).second;
    const bool is_known = is_of_exchange(cell.path) && is_connected && !is_optional;
    repeats.back() = is_known ? repeats_of_exchange : pattern.repeats_of(cell);
    if (!is_optional) continue;
    const bool is_long = pattern.last_seconds() > longest_s;
    if (!communicator.of_root(is_long)) continue;
    too_long = cell.bytes;
    repeats.back() = 0;
  }
  return repeats;
}

/// Passes over the cells, each in another order, until the time is up. Collective.
void sample_in_passes(const Communicator& communicator, Pattern& pattern, const std::vector<PathCell>& cells,
                      const PassEffort& effort, SampleLog& log, Progress& progress) {
  const std::vector<int> repeats = repeats_of_cells(communicator, pattern, cells, effort.longest_message_s);
  ShuffleEngine engine(effort.seed);
  in_passes(communicator, {effort.fewest_passes, effort.most_passes, effort.budget_s}, [&](int pass) {
    for (const std::size_t i : shuffled(cells.size(), engine)) {
      const PathCell& cell = cells[i];
      const bool waits = cell.bytes > longest_of_every_pass && pass % passes_a_turn_of_long != 0;
      if (waits || repeats[i] == 0) continue;
      progress.tell(fmt::format("{} {}, {}", to_string(cell.path), to_string(cell.layout), format_bytes(cell.bytes)));
      const auto [seconds, disturbed] = pattern.sample(cell, repeats[i]);
      if (communicator.is_root()) log.add(cell_name(cell), seconds, disturbed);
    }
  });
}

}  // namespace

void calibrate_patterns(const MessageTeam& team, const PathEffort& effort, SampleLog& log, Progress& progress) {
  if (team.ranks < 2) return;
  const Communicator& communicator = team.communicator;
  const std::vector<PathCell> exchanges = team.of_team(exchange_cells(effort, team.ranks));
  const std::vector<PathCell> overlapped =
      team.within_node ? std::vector<PathCell>() : overlapped_cells(effort, team.ranks);
  const std::vector<PathCell> others = team.within_node ? std::vector<PathCell>() : pattern_cells(effort);
  std::vector<PathCell> all = exchanges;
  all.insert(all.end(), overlapped.begin(), overlapped.end());
  all.insert(all.end(), others.begin(), others.end());
  if (communicator.of_root(are_done(log, all, effort.budget_s))) return;
  Pattern pattern(team, all);
  // One after the other: what all ranks send to all leaves them in debt, where their processor time is rationed, and
  // the next sample would pay for it.
  const double share = team.within_node ? 1 : share_of_exchanges;
  const PassEffort of_exchanges{share * effort.budget_s, effort.fewest_passes, effort.passes, effort.seed,
                                effort.longest_message_s};
  sample_in_passes(communicator, pattern, exchanges, of_exchanges, log, progress);
  if (team.within_node) return;
  const PassEffort of_overlapped{share_of_overlapped * effort.budget_s, effort.fewest_overlapped_passes, effort.passes,
                                 effort.seed, effort.longest_message_s};
  sample_in_passes(communicator, pattern, overlapped, of_overlapped, log, progress);
  const PassEffort of_others{(1 - share_of_exchanges - share_of_overlapped) * effort.budget_s, fewest_passes_of_others,
                             effort.passes, effort.seed, effort.longest_message_s};
  sample_in_passes(communicator, pattern, others, of_others, log, progress);
}

std::vector<PathCell> measure_exchanges(const Communicator& communicator, std::vector<PathCell> cells, int passes,
                                        double budget_s) {
  cells = common_cells(communicator, cells);
  if (cells.empty() || communicator.ranks() < 2) return {};
  const MessageTeam team{communicator, communicator.ranks()};
  Pattern pattern(team, cells);
  for (const PathCell& cell : cells) (void)pattern.sample(cell, repeats_of_exchange);  // connections and pages
  std::vector<std::vector<MarkedSample>> samples(cells.size());
  in_passes(communicator, {fewest_passes_of_refresh, passes, budget_s}, [&](int /*pass*/) {
    for (std::size_t i = 0; i < cells.size(); ++i) samples[i].push_back(pattern.sample(cells[i], repeats_of_exchange));
  });
  if (!communicator.is_root()) return {};
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i].time = fit(counted(samples[i]));
  return cells;
}

Estimate measure_pattern(const Communicator& communicator, Path path, std::int64_t bytes, int samples) {
  const PathCell cell{path, Layout::cc, bytes, {}};
  const MessageTeam team{communicator, communicator.ranks()};
  Pattern pattern(team, {cell});
  const int repeats = pattern.repeats_of(cell);
  std::vector<double> seconds;
  for (int i = 0; i < std::max(1, samples); ++i) seconds.push_back(pattern.sample(cell, repeats).seconds);
  return communicator.is_root() ? fit(seconds) : Estimate{};
}

}  // namespace tilewright
