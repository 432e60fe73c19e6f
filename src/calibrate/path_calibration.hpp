// Measures the paths of all layouts and sizes, in passes over all cells.
#pragma once

#include <cstdint>
#include <vector>

#include "message_team.hpp"
#include "path_sampling.hpp"
#include "progress.hpp"
#include "sample_log.hpp"
#include "tilewright/calibrate/messages.hpp"
#include "tilewright/model/machine_profile.hpp"

namespace tilewright {

/// What is measured, and how long.
struct PathEffort {
  std::vector<std::int64_t> sizes;                ///< of P-3PC's messages, in values of 4 bytes
  std::vector<std::int64_t> block_message_sizes;  ///< of messages that tell what blocks cost, in bytes
  std::vector<std::int64_t> more_block_sizes;     ///< the same, where there is time
  std::int64_t block_growth = 4;                  ///< from one length of their blocks to the next
  std::vector<std::int64_t> overlapped_sizes;     ///< of exchanges that pass while ranks work, in bytes
  std::vector<std::int64_t> collected_sizes;      ///< of results that come in while the root works, in bytes
  int most_exchange_sizes = 0;                    ///< of `sizes`, those that exchanges are measured with
  int fewest_refinements = 0;                     ///< rounds that add sizes, where processors are rationed
  int passes = 1;
  int fewest_passes = 1;             ///< of patterns, whether there is time or not
  int granted_samples = 1;           ///< of SamplingEffort
  int fewest_overlapped_passes = 1;  ///< of those that pass while ranks work
  double budget_s = 0;               ///< for P-3PC's
  double block_budget_s = 0;         ///< for the others
  /// Messages are left out that take longer, as the first such one tells, but for those that go over any wire. 0: none.
  double longest_message_s = 0;
  std::uint64_t seed = 1;  ///< of the order in which cells are measured
};

/// Of the rows of the paper's blocks: sizes are added where they are not straight.
struct Refinement {
  int rounds = 0;
  int fewest_rounds = 0;       ///< of these, whether there is time or not
  double chord_tolerance = 0;  ///< how far a time may be from the line between its neighbours, as a share of it
};

/// Cells that are measured together, in passes over all of them.
struct CellGroup {
  std::vector<PathCell> cells;
  double budget_s = 0;
  Refinement refinement = {};
  /// Cells are left out whose contiguous message takes longer, as far as groups before have told, or as one of the
  /// group has taken. 0: none.
  double longest_message_s = 0;
  Need need = Need::always;
};

/// One group after another, and where there are several and processors are not rationed, in the end all of them
/// together. The team's root and its partners all call it; the root gets the cells with their times, and the rest is
/// for it. Times are of the state (MachineStates) where it was measured in it. Every cell that is not left out is
/// measured at least once, whatever the budget. The first group has the empty message of Path::full in each layout of
/// which any group has a longer one.
[[nodiscard]] std::vector<TimedMessage> measure_groups(const MessageTeam& team, const std::vector<CellGroup>& groups,
                                                       const SamplingEffort& effort, SampleLog& log,
                                                       Progress& progress);

/// The cells of a profile, of messages between the team's root and its partners, which all call it; their samples are
/// in the log. What other models want to know is of messages between nodes alone.
void calibrate_paths(const MessageTeam& team, const PathEffort& effort, SampleLog& log, Progress& progress);

}  // namespace tilewright
