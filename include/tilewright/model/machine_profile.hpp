// All measured costs of one machine, as a plain value.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/core/message.hpp"
#include "tilewright/core/pixel.hpp"
#include "tilewright/model/cells.hpp"
#include "tilewright/model/fingerprint.hpp"
#include "tilewright/model/node_speeds.hpp"
#include "tilewright/model/operator_costs.hpp"
#include "tilewright/model/path_row.hpp"
#include "tilewright/model/refresh.hpp"
#include "tilewright/model/stride_costs.hpp"
#include "tilewright/model/warmth.hpp"

namespace tilewright {

/// Immutable once made. Cells are kept in a fixed order, so equal profiles compare equal.
class MachineProfile {
 public:
  MachineProfile() = default;
  /// Sorts the cells; throws ParameterError for a doubled cell, a negative size, a time that is negative or not finite,
  /// or a refresh that is none.
  MachineProfile(std::string name, Fingerprint fingerprint, std::vector<PathCell> paths,
                 std::vector<OperatorCell> operators);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const Fingerprint& fingerprint() const { return fingerprint_; }
  /// Those within a node come last.
  [[nodiscard]] const std::vector<PathCell>& paths() const { return paths_; }
  [[nodiscard]] const std::vector<OperatorCell>& operators() const { return operators_; }

  /// Whether there are costs of messages, apart from those within a node.
  [[nodiscard]] bool has_paths() const { return !paths_.empty() && !paths_.front().within_node; }
  [[nodiscard]] bool has(Path path, Layout layout, Packing packing = Packing::datatype) const;
  [[nodiscard]] bool has_operators() const { return !operators_.empty(); }

  /// T(path, layout, bytes) of the paper's blocks: the row interpolated linearly between its cells, the last segment
  /// extended beyond, a row of one cell constant; what falls with the size within the noise is levelled (PathRow).
  /// Never negative. Throws ParameterError if the profile lacks the row.
  [[nodiscard]] double path_seconds(Path path, Layout layout, double bytes, Packing packing = Packing::datatype) const;

  /// The same machine with the costs of messages within a node as its messages; none where they were not measured.
  /// Whatever else is asked of a profile is of the other messages.
  [[nodiscard]] std::optional<MachineProfile> within_nodes() const;

  /// What other blocks and packings cost.
  [[nodiscard]] const StrideCosts& stride_costs() const { return stride_costs_; }
  /// By how much a message in such blocks takes longer than a contiguous one of that path and size, in seconds; none if
  /// the row was not measured.
  [[nodiscard]] std::optional<double> extra_seconds(const StrideCosts::Row& row, const BlockShape& shape) const;

  /// What a unit of an operator's work takes, as OperatorCosts::seconds(), times what the refresh has found.
  [[nodiscard]] std::optional<double> operator_seconds(const std::string& key, PixelType type, double parameter,
                                                       double tile_pixels, int ranks = 1, int threads = 1) const {
    std::optional<double> seconds = operator_costs_.seconds(key, type, parameter, tile_pixels, ranks, threads);
    if (seconds) *seconds *= refresh_.computing_factor;
    return seconds;
  }

  /// What the cell's message takes: its time, times what the refresh has found, and as warm as repeated runs leave
  /// it. So do path_seconds() and stride_costs().
  [[nodiscard]] Estimate message_time(const PathCell& cell) const;

  [[nodiscard]] const Refresh& refresh() const { return refresh_; }
  /// This profile with that in place of what an earlier refresh has found. Cells stay as they were measured.
  [[nodiscard]] MachineProfile with_refresh(const Refresh& refresh) const;

  /// This profile where ranks of one node repeat such a run: of transfers through their memory it has what they take
  /// with as much left in the caches. As calibrated, copies find nothing there. Messages stay as they were measured;
  /// models price them with warmth_of_run().
  [[nodiscard]] MachineProfile for_repeated(const RepeatedRun& run) const;
  [[nodiscard]] const RunWarmth& warmth_of_run() const { return warmth_of_run_; }
  /// Whether that makes any difference.
  [[nodiscard]] bool knows_warmth() const { return warmth_ != Warmth(); }

  /// Of nodes that are not equally fast (node_speeds_of()): the costs of operators are those of the slowest.
  [[nodiscard]] const std::vector<NodeSpeed>& node_speeds() const { return node_speeds_; }

  /// This profile with the operator costs of `other`, and what its refresh has found of computing; all else, cores,
  /// memory and the nodes' speeds included, stays.
  [[nodiscard]] MachineProfile with_operators_from(const MachineProfile& other) const;

  /// How far the fitted time of a cell may be off: the standard error of the median of its samples. Less than five
  /// samples tell too little of their own spread; then it is at least the typical relative spread of the cells of their
  /// kind (messages, those within a node, operators). 0 for numbers that were imported without samples. Seconds.
  [[nodiscard]] double standard_error_s(const PathCell& cell) const;
  [[nodiscard]] double standard_error_s(const OperatorCell& cell) const;
  /// This profile with every cell of the path, or of the operator's key, longer by its standard error.
  [[nodiscard]] MachineProfile slower_by_errors_of(Path path) const;
  [[nodiscard]] MachineProfile slower_by_errors_of(const std::string& key) const;

  bool operator==(const MachineProfile&) const = default;

 private:
  std::string name_;
  Fingerprint fingerprint_;
  std::vector<PathCell> paths_;
  std::vector<OperatorCell> operators_;
  [[nodiscard]] PathRow& row(Path path, Layout layout, Packing packing);
  [[nodiscard]] const PathRow& row(Path path, Layout layout, Packing packing) const;
  /// Their cells, times what the refresh has found; and those of what caches hold.
  [[nodiscard]] std::vector<PathCell> small_runs_now() const;
  void make_rows();
  void make_stride_costs();
  /// For the same runs.
  [[nodiscard]] MachineProfile with_cells(std::vector<PathCell> paths, std::vector<OperatorCell> operators,
                                          Fingerprint fingerprint) const;
  void repeat(const std::optional<RepeatedRun>& run);
  /// How far a cell's time may be off. One or two samples tell too little of their own spread; then that of the others
  /// counts, several times.
  [[nodiscard]] double uncertainty_s(const Estimate& time) const;

  double typical_relative_spread_ = 0;                                  ///< of messages with samples enough
  double typical_relative_spread_within_nodes_ = 0;                     ///< of those within a node
  double typical_relative_operator_spread_ = 0;                         ///< of operators with samples enough
  std::array<std::array<std::array<PathRow, 3>, 4>, path_count> rows_;  ///< by path, layout and packing
  StrideCosts stride_costs_;
  OperatorCosts operator_costs_;
  Refresh refresh_;
  Warmth warmth_;
  std::optional<RepeatedRun> run_;  ///< none: all is as it was measured
  RunWarmth warmth_of_run_;
  std::vector<NodeSpeed> node_speeds_;
};

/// One raw measurement, kept beside the fitted values.
struct RawSample {
  std::string cell;        ///< which: "send/cc/4096" or "convolve_separable/f32/25/65536"
  int launch = 0;          ///< the run of the benchmark that it belongs to
  std::int64_t order = 0;  ///< when in the run, counted from 0
  double seconds = 0;
  /// Something from outside was seen to disturb it. It counts only where the launch has no other sample of the cell; of
  /// a message, where it has none of the same go, between two rounds of operators.
  bool disturbed = false;
  bool operator==(const RawSample&) const = default;
};

/// What a calibration yields.
struct Calibration {
  MachineProfile profile;
  std::vector<RawSample> samples;
};

}  // namespace tilewright
