#include "path_calibration.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "path_bench.hpp"
#include "path_sampling.hpp"
#include "refinement.hpp"
#include "tilewright/calibrate/message_shape.hpp"
#include "tilewright/model/cell_names.hpp"

namespace tilewright {
namespace {

/// Of a message alone the start-up tells; a long one waits for the wire as it does in a stream.
constexpr std::int64_t most_values_alone = 4096;
/// LogP's: 1 KiB.
constexpr std::int64_t values_of_short_message = 256;
/// Shorter messages travel in one piece.
constexpr std::int64_t smallest_blocked_bytes = 64 * 1024;
/// Even when the time is up, the first passes grant each burst this share of the budget.
constexpr double reserved_share = 0.001;
/// A message that tells what blocks cost may take this share of their time, for there are hundreds of cells.
constexpr double longest_share = 1e-3;
/// Of the time for blocks.
struct BlockShares {
  double of_paper = 0;   ///< added to that of the paper's cells
  double given = 0;      ///< the sizes that every machine measures
  double more = 0;       ///< others
  double both_ends = 0;  ///< of all these, at both ends
  double others = 0;     ///< what other models want to know
};
constexpr BlockShares shares_where_rationed{0.3, 0.54, 0, 0, 0.16};
constexpr BlockShares shares_else{0, 0.3, 0.3, 0.3, 0.1};
/// Of a group's time, what its given cells get before sizes are added in rounds, which share the rest.
constexpr double share_of_given = 0.6;
/// What a group's cells have of its time before all groups share the rest: a machine that goes from one state to
/// another for seconds or minutes is to meet every cell in each, not some in one and some in the other. Where
/// processors are rationed there is no time for more passes.
constexpr double share_alone = 0.55;
/// How many sizes a row may have, and more for each round. Then only steps are narrowed down.
constexpr int longest_row = 16;
constexpr int longer_by_round = 2;

void append(std::vector<PathCell>& cells, const std::vector<PathCell>& more) {
  cells.insert(cells.end(), more.begin(), more.end());
}

/// The cells of P-3PC's Fig. 8, and those of what travels in pieces.
std::vector<PathCell> paper_cells(const std::vector<std::int64_t>& sizes) {
  std::vector<PathCell> all;
  for (const Path path : all_paths) append(all, row_cells(path, Layout::cc, sizes, Packing::blocked));
  for (const Path path : all_paths) {
    for (const Layout layout : all_layouts) append(all, row_cells(path, layout, sizes));
  }
  return all;
}

std::vector<PathCell> block_cells(const std::vector<Layout>& layouts, const std::vector<std::int64_t>& sizes,
                                  std::int64_t growth) {
  std::vector<PathCell> all;
  for (const Path path : all_paths) {
    for (const Layout layout : layouts) {
      for (const Packing packing : all_packings) {
        for (const std::int64_t bytes : sizes) {
          if (packing == Packing::blocked && bytes < smallest_blocked_bytes) continue;
          for (const BlockShape& shape : measured_blocks(bytes, growth)) {
            all.push_back({path, layout, shape.bytes, {}, packing, shape.block_bytes, shape.stride_bytes});
          }
        }
      }
    }
  }
  return all;
}

/// What LogP and log_3P want to know: messages alone, messages to oneself, contiguous and in blocks, and copies.
std::vector<PathCell> cells_of_other_models(const PathEffort& effort) {
  std::vector<std::int64_t> alone{values_of_short_message};
  std::copy_if(effort.sizes.begin(), effort.sizes.end(), std::back_inserter(alone),
               [](std::int64_t values) { return values <= most_values_alone; });
  std::vector<PathCell> all = row_cells(Path::overhead, Layout::cc, alone);
  append(all, row_cells(Path::to_self, Layout::cc, effort.sizes));
  append(all, row_cells(Path::copy, Layout::cc, effort.sizes));
  for (const std::int64_t bytes : effort.block_message_sizes) {
    for (const BlockShape& shape : measured_blocks(bytes, effort.block_growth)) {
      all.push_back(
          {Path::to_self, Layout::nn, shape.bytes, {}, Packing::datatype, shape.block_bytes, shape.stride_bytes});
    }
  }
  return all;
}

std::int64_t longest_extent(const std::vector<PathCell>& cells) {
  std::int64_t longest = 0;
  for (const PathCell& cell : cells) {
    longest = std::max({longest, sender_shape(cell).extent_bytes(), receiver_shape(cell).extent_bytes()});
  }
  return longest;
}

/// The cells of the paper's blocks that make one row of a profile.
using RowKey = std::tuple<Path, Layout, Packing, bool>;

bool is_refined(const PathCell& cell) {
  return cell.has_paper_blocks() && is_of_two_ranks(cell.path);
}

/// What the rows want to be measured next.
std::vector<PathCell> cells_to_refine(const PathSampling& sampling, const std::vector<PathSeries>& all,
                                      const Refinement& refinement) {
  std::map<RowKey, std::vector<RowPoint>> rows;
  for (const PathSeries& series : all) {
    const auto cell = sampling.fitted(series);
    if (!cell || !is_refined(*cell)) continue;
    rows[{cell->path, cell->layout, cell->packing, cell->within_node}].push_back({cell->bytes, cell->time});
  }
  std::vector<PathCell> wanted;
  for (auto& [key, points] : rows) {
    std::sort(points.begin(), points.end(), [](const RowPoint& a, const RowPoint& b) { return a.bytes < b.bytes; });
    const auto& [path, layout, packing, within_node] = key;
    const std::int64_t unit = layout == Layout::cc ? value_bytes : default_blocks * value_bytes;
    const bool is_long = std::ssize(points) >= longest_row + refinement.rounds * longer_by_round;
    for (const std::int64_t bytes :
         is_long ? sizes_within_steps(points, unit) : sizes_to_refine(points, refinement.chord_tolerance, unit)) {
      wanted.push_back({path, layout, bytes, {}, packing, 0, 0, within_node});
    }
  }
  return wanted;
}

/// And the sizes that were added to their rows before an interruption, or in rounds before: they would not settle else.
std::vector<PathCell> with_added_before(std::vector<PathCell> cells, const SampleLog& log) {
  std::set<std::string> known;
  for (const PathCell& cell : cells) known.insert(cell_name(cell));
  const bool within_node = !cells.empty() && cells.front().within_node;
  for (const std::string& name : log.cells_before()) {
    const auto cell = path_cell_named(name);
    if (cell && is_refined(*cell) && cell->within_node == within_node && !known.contains(name)) cells.push_back(*cell);
  }
  return cells;
}

/// The given cells; then, in rounds, sizes where the rows are not straight; then all again until the time is up.
std::vector<PathSeries> sample(PathSampling& sampling, const CellGroup& group, const SampleLog& log) {
  const Deadline deadline(group.budget_s);
  std::vector<PathCell> cells = group.refinement.rounds > 0 ? with_added_before(group.cells, log) : group.cells;
  if (group.longest_message_s > 0) {
    std::erase_if(cells, [&](const PathCell& cell) {
      const bool is_too_long = sampling.contiguous_seconds(cell.bytes) > group.longest_message_s;
      return is_too_long && cell.bytes > longest_on_any_wire && log.of_cell(cell_name(cell)).empty();
    });
  }
  std::vector<PathSeries> all = series_of(cells, log);
  const double given_s = group.refinement.rounds > 0 ? share_of_given * group.budget_s : group.budget_s;
  sampling.measure(all, given_s, group.need,
                   group.longest_message_s > 0 ? group.longest_message_s : std::numeric_limits<double>::infinity());
  for (int round = 0; round < group.refinement.rounds; ++round) {
    if (round >= group.refinement.fewest_rounds && deadline.remaining_s() <= 0) break;
    std::vector<PathSeries> added = series_of(cells_to_refine(sampling, all, group.refinement), log);
    if (added.empty()) break;
    sampling.measure(added, (group.budget_s - given_s) / group.refinement.rounds);
    all.insert(all.end(), added.begin(), added.end());
  }
  if (deadline.remaining_s() > 0) sampling.measure(all, deadline.remaining_s());
  return all;
}

/// What blocks cost at one end: there it is told alone.
const std::vector<Layout> one_end{Layout::cn, Layout::nc};
/// And at both at once, where one rank packs while the other one unpacks.
const std::vector<Layout> both_ends{Layout::nn};

/// What blocks cost is a difference to the paper's messages. Measured in the same passes, both have had the same
/// minutes of a machine whose speed changes.
std::vector<CellGroup> groups_to_begin_with(CellGroup paper, CellGroup blocks, bool is_rationed) {
  if (is_rationed) return {std::move(paper), std::move(blocks)};
  append(paper.cells, blocks.cells);
  paper.budget_s += blocks.budget_s;
  return {std::move(paper)};
}

/// Short messages in blocks and very long ones.
CellGroup more_blocks(const PathEffort& effort, double budget_s) {
  CellGroup more{block_cells(one_end, effort.more_block_sizes, effort.block_growth), budget_s};
  more.longest_message_s = budget_s * longest_share;
  more.need = Need::if_there_is_time;
  return more;
}

CellGroup blocks_at_both_ends(const PathEffort& effort, double budget_s) {
  std::vector<std::int64_t> sizes = effort.block_message_sizes;
  sizes.insert(sizes.end(), effort.more_block_sizes.begin(), effort.more_block_sizes.end());
  CellGroup group{block_cells(both_ends, sizes, effort.block_growth), budget_s};
  group.longest_message_s = budget_s * longest_share;
  group.need = Need::all_or_none;
  return group;
}

CellGroup other_models(const PathEffort& effort, double budget_s) {
  CellGroup others{cells_of_other_models(effort), budget_s};
  others.need = Need::if_there_is_time;
  return others;
}

/// So many rounds find a step. Where processors are rationed there is no time for more than a few, and three samples of
/// a time, which is all there are, may lie that far from any line.
Refinement refinement_of(const PathEffort& effort, bool is_rationed) {
  return is_rationed ? Refinement{5, effort.fewest_refinements, 0.3} : Refinement{8, 0, 0.04};
}

/// In the order in which they are measured. Where processors are rationed each cell takes a long burst: the paper's
/// messages and blocks together would leave no time for more sizes, and neither would more blocks. Three bursts of a
/// short message tell less of what its blocks cost, some microseconds, than longer ones do, a byte: they differ by how
/// long the processor was waited for.
std::vector<CellGroup> groups_of(const PathEffort& effort, const MessageTeam& team) {
  const bool is_rationed = team.ration_period_s > 0;
  const BlockShares& shares = is_rationed ? shares_where_rationed : shares_else;
  const double budget_s = effort.block_budget_s;
  std::vector<CellGroup> groups = groups_to_begin_with(
      {paper_cells(effort.sizes), effort.budget_s + shares.of_paper * budget_s, refinement_of(effort, is_rationed),
       effort.longest_message_s},
      {block_cells(one_end, effort.block_message_sizes, effort.block_growth), shares.given * budget_s}, is_rationed);
  if (!is_rationed) {
    groups.push_back(more_blocks(effort, shares.more * budget_s));
    groups.push_back(blocks_at_both_ends(effort, shares.both_ends * budget_s));
  }
  if (!team.within_node) groups.push_back(other_models(effort, shares.others * budget_s));
  for (CellGroup& group : groups) group.cells = team.of_team(std::move(group.cells));
  return groups;
}

}  // namespace

std::vector<TimedMessage> measure_groups(const MessageTeam& team, const std::vector<CellGroup>& groups,
                                         const SamplingEffort& effort, SampleLog& log, Progress& progress) {
  const Communicator& communicator = team.communicator;
  std::int64_t extent = 0;
  for (const CellGroup& group : groups) extent = std::max(extent, longest_extent(group.cells));
  PathBench bench(communicator, communicator.is_root() ? team.partners : std::vector<int>{0}, extent);
  if (!communicator.is_root()) {
    bench.serve();
    return {};
  }
  PathSampling sampling(bench, effort, groups.front().budget_s * reserved_share, switches_of(communicator),
                        team.ration_period_s, log, progress);
  std::vector<PathSeries> all;
  const double alone = groups.size() > 1 && team.ration_period_s == 0 ? share_alone : 1;
  double together_s = 0;
  for (CellGroup group : groups) {
    together_s += (1 - alone) * group.budget_s;
    group.budget_s *= alone;
    std::vector<PathSeries> own = sample(sampling, group, log);
    if (alone == 1) sampling.keep_pilots(own);  // nobody comes back to them
    std::ranges::move(own, std::back_inserter(all));
  }
  if (together_s > 0) sampling.measure(all, together_s, Need::if_there_is_time);
  sampling.keep_pilots(all);
  bench.release();
  std::vector<TimedMessage> messages;
  for (const PathSeries& series : all) {
    const auto cell = sampling.fitted(series);
    if (!cell) continue;
    const auto in_state = static_cast<std::int64_t>(sampling.samples_in_state(series));
    messages.push_back({*cell, sampling.fitted_of_any_state(series)->time, in_state});
  }
  return messages;
}

void calibrate_paths(const MessageTeam& team, const PathEffort& effort, SampleLog& log, Progress& progress) {
  (void)measure_groups(team, groups_of(effort, team), {effort.passes, effort.seed, 0, effort.granted_samples}, log,
                       progress);
}

}  // namespace tilewright
