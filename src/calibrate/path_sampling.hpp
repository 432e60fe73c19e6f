// Takes samples of messages, in passes over all cells, until the time is up or all are settled.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "disturbance.hpp"
#include "machine_states.hpp"
#include "path_bench.hpp"
#include "progress.hpp"
#include "sample_log.hpp"
#include "shuffled.hpp"
#include "tilewright/model/machine_profile.hpp"

namespace tilewright {

/// Messages up to here are measured whatever they take.
inline constexpr std::int64_t longest_on_any_wire = 128 * 1024;

/// Whether cells are measured that the budget has no time for.
enum class Need {
  always,
  if_there_is_time,  ///< those that there was time for are
  all_or_none        ///< if there is no time for some, then none is: a part would mislead
};

/// As MarkedSample, with when it was taken.
struct PathSample {
  double seconds = 0;
  bool disturbed = false;
  std::size_t moment = 0;  ///< of MachineStates
};

/// The samples of one cell: times of messages, or round trips for Path::full.
struct PathSeries {
  PathCell cell;
  double pilot_s = 0;  ///< the first message's time, which counts only where there is no other
  std::size_t pilot_moment = 0;
  double seconds_a_round = 0;  ///< what a message takes of the budget, warm-up and handshake counted
  double shortest_burst_s = 0;
  std::vector<PathSample> samples = {};
};

/// With the samples that the log has from before an interruption.
[[nodiscard]] std::vector<PathSeries> series_of(const std::vector<PathCell>& cells, const SampleLog& log);

struct SamplingEffort {
  int passes = 1;
  std::uint64_t seed = 1;   ///< of the order in which cells are measured
  double state_s = 0;       ///< of MachineStates, in which samples count where there are any; 0: that which prevails
  int granted_samples = 3;  ///< until a cell has so many, each burst may take its reserve even when the time is up
};

/// Of one calibration, on its root.
class PathSampling {
 public:
  /// `reserve_s`: even when the time is up, a burst may take so long for the samples that are granted.
  /// `ration_period_s`: as of Communicator.
  PathSampling(PathBench& bench, const SamplingEffort& effort, double reserve_s, Switches switches,
               double ration_period_s, SampleLog& log, Progress& progress);

  /// In passes over all of them, each in another order: a disturbance is spread over all cells, and none has always the
  /// same one before it. A message so long that it would use up the others' time has its turn in few of the passes.
  /// Each has a pilot at least. Returns when the budget is used up or every cell is settled. Without a budget, what
  /// has been measured before is not measured again.
  /// `need`: what has to be measured though the budget has no time for it. Left out are messages that take more than
  /// `longest_s` the first time, but for those that go over any wire; and all of their size, if they are needed always
  /// (a row has all of a size or none) or if it is the bytes that take so long, not the blocks.
  void measure(std::vector<PathSeries>& all, double budget_s, Need need = Need::always,
               double longest_s = std::numeric_limits<double>::infinity());

  /// In the end: of cells that there was no time to visit, the pilot is their sample. It is of very few messages, by
  /// code that had not been entered for a while, and tells short ones up to twice too long.
  void keep_pilots(std::vector<PathSeries>& all);

  /// T(full, cc) of the longest message that was measured and is no longer than `bytes`; 0 if there is none.
  [[nodiscard]] double contiguous_seconds(std::int64_t bytes) const;

  /// The cell with the time that its samples give, those of the state as long as there are any; none of Path::full
  /// without the empty message.
  [[nodiscard]] std::optional<PathCell> fitted(const PathSeries& series) const { return fitted_in(state_, series); }
  /// From the samples of any state.
  [[nodiscard]] std::optional<PathCell> fitted_of_any_state(const PathSeries& series) const {
    return fitted_in({}, series);
  }
  /// How many were taken in the state.
  [[nodiscard]] std::size_t samples_in_state(const PathSeries& series) const;

 private:
  /// When a cell's burst is to be made.
  struct Turn {
    double remaining_s = 0;   ///< of the time for all
    double share_s = 0;       ///< of that, for this burst
    double least_s = 0;       ///< what it lasts, whatever its share
    bool is_granted = false;  ///< also when the time is up
  };

  [[nodiscard]] bool is_rationed() const { return ration_period_s_ > 0; }
  [[nodiscard]] double least_burst_s(std::size_t cells, double budget_s) const;
  [[nodiscard]] int passes_over(std::size_t cells, double budget_s) const;
  [[nodiscard]] std::int64_t rounds_of(const PathCell& cell, std::int64_t rounds) const;
  [[nodiscard]] std::vector<double> counted_in(const MachineState& state, const PathSeries& series) const;
  [[nodiscard]] std::optional<PathCell> fitted_in(const MachineState& state, const PathSeries& series) const;
  [[nodiscard]] bool needs_more(const PathSeries& series, const std::vector<PathSeries>& all) const;
  void look(bool within_node);
  PathSample burst(PathSeries& series, std::int64_t rounds);
  PathSample burst_of(PathSeries& series, double burst_s);
  void pilot(PathSeries& series);
  void visit(PathSeries& series, const Turn& turn);
  [[nodiscard]] bool is_too_short(const PathSeries& series, std::int64_t rounds, double burst_s) const;
  void repeat_contradictions(std::vector<PathSeries>& all);
  void repeat(PathSeries& series);
  void retake(std::vector<PathSeries>& all, double budget_s, double least_s);
  void keep(PathSeries& series, const PathSample& sample);

  PathBench& bench_;
  SamplingEffort effort_;
  double reserve_s_;
  ShuffleEngine engine_;
  DisturbanceWatch watch_;
  double ration_period_s_;
  MachineStates states_;
  MachineState state_;           ///< in which samples count
  PathSeries message_of_state_;  ///< whose samples are in the log alone
  double next_look_s_ = 0;
  /// Round trips of the empty message. All cells of a sampling are of one partner: none or all are within a node.
  std::map<Layout, PathSeries> empty_;
  std::map<std::int64_t, double> contiguous_s_;  ///< round trips of Path::full by size
  SampleLog& log_;
  Progress& progress_;
};

}  // namespace tilewright
