// All measured costs of one machine, as a plain value.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/core/message.hpp"
#include "tilewright/core/pixel.hpp"
#include "tilewright/model/node_speeds.hpp"
#include "tilewright/model/path_row.hpp"
#include "tilewright/model/stride_costs.hpp"
#include "tilewright/model/thread_losses.hpp"

namespace tilewright {

/// A measured time with what is known of its spread.
struct Estimate {
  double seconds = 0;        ///< the fitted value
  double spread_s = 0;       ///< half the interquartile range of the samples
  std::int64_t samples = 0;  ///< how many measurements it stands on; 0 if it was imported
  bool operator==(const Estimate&) const = default;
};

/// T(path, layout, bytes), constants included (REFERENCE section 1). Beyond the paper: sent with that packing, of
/// blocks of `block_bytes` bytes, `stride_bytes` apart at each end that is not contiguous. 0: those of the paper, 100
/// blocks that are two block lengths apart.
struct PathCell {
  Path path = Path::send;
  Layout layout = Layout::cc;
  std::int64_t bytes = 0;
  Estimate time;
  Packing packing = Packing::datatype;
  std::int64_t block_bytes = 0;
  std::int64_t stride_bytes = 0;
  bool within_node = false;  ///< between ranks of one node, where those are told apart from messages between nodes
  [[nodiscard]] bool has_paper_blocks() const { return block_bytes == 0; }
  bool operator==(const PathCell&) const = default;
};

/// Time of one unit of work of a benchmark key on one rank, on a tile of that many pixels.
struct OperatorCell {
  std::string key;  ///< for example "convolve_separable"
  PixelType type = PixelType::f32;
  double parameter = 0;  ///< what the cost depends on besides the size: the number of taps; 0 if nothing
  double tile_pixels = 0;
  Estimate time_per_unit;
  int ranks = 1;    ///< at work at the same time, each on a tile of its own: they share caches and memory
  int threads = 1;  ///< of a rank, that share the work on its tile
  bool operator==(const OperatorCell&) const = default;
};

/// What a profile holds for, and how it was made.
struct Fingerprint {
  std::string host;
  std::string processor;
  int cores_per_node = 0;            ///< 0: unknown
  std::int64_t memory_per_node = 0;  ///< bytes; 0: unknown
  int nodes = 0;                     ///< nodes taking part in the calibration; 0: unknown
  int ranks = 0;                     ///< ranks taking part; 0: unknown
  std::string mpi;
  std::map<std::string, std::string> settings;  ///< the UCX_* variables in force, and the seed of the measurement
  std::string effort;
  std::string date;    ///< ISO 8601, UTC
  std::string source;  ///< where imported numbers come from
  std::string simd;    ///< vector level of the operator costs
  bool operator==(const Fingerprint&) const = default;
};

/// Immutable once made. Cells are kept in a fixed order, so equal profiles compare equal.
class MachineProfile {
 public:
  MachineProfile() = default;
  /// Sorts the cells; throws ParameterError for a doubled cell, a negative size, or a time that is negative or not
  /// finite.
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

  /// Seconds a unit with `ranks` at work: linear in the parameter and in the logarithm of the tile's pixels, constant
  /// beyond the sizes measured, the last segment extended in the parameter. Of cells that were measured both with one
  /// rank at work and with several, the one like `ranks` counts. With several threads a rank: an even share, and what
  /// threads lose (ThreadLosses); a type whose loss was not measured loses in proportion as floats do, and a key whose
  /// loss was not measured, nothing. None if the key or type was not measured.
  [[nodiscard]] std::optional<double> operator_seconds(const std::string& key, PixelType type, double parameter,
                                                       double tile_pixels, int ranks = 1, int threads = 1) const;

  /// Of nodes that are not equally fast (node_speeds_of()): the costs of operators are those of the slowest.
  [[nodiscard]] const std::vector<NodeSpeed>& node_speeds() const { return node_speeds_; }

  /// This profile with the operator costs of `other`; all else, cores, memory and the nodes' speeds included, stays.
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
  [[nodiscard]] std::optional<double> seconds_of_one_thread(const std::string& key, PixelType type, double parameter,
                                                            double tile_pixels, int ranks) const;
  [[nodiscard]] double relative_loss(const std::string& key, PixelType type, double parameter, double tile_pixels,
                                     int threads) const;
  void make_operator_rows();
  void find_thread_losses();
  [[nodiscard]] PathRow& row(Path path, Layout layout, Packing packing);
  [[nodiscard]] const PathRow& row(Path path, Layout layout, Packing packing) const;
  void make_rows();
  void make_stride_costs();
  /// How far a cell's time may be off. One or two samples tell too little of their own spread; then that of the others
  /// counts, several times.
  [[nodiscard]] double uncertainty_s(const Estimate& time) const;

  double typical_relative_spread_ = 0;                                  ///< of messages with samples enough
  double typical_relative_spread_within_nodes_ = 0;                     ///< of those within a node
  double typical_relative_operator_spread_ = 0;                         ///< of operators with samples enough
  std::array<std::array<std::array<PathRow, 3>, 4>, path_count> rows_;  ///< by path, layout and packing
  StrideCosts stride_costs_;
  /// Those of by_one_thread_ from `first` on, without `last`.
  struct CellsOfParameter {
    double parameter = 0;
    std::size_t first = 0;
    std::size_t last = 0;
    bool operator==(const CellsOfParameter&) const = default;
  };
  struct OperatorRow {
    std::string key;
    PixelType type = PixelType::f32;
    std::vector<CellsOfParameter> points;  ///< ascending
    bool operator==(const OperatorRow&) const = default;
  };
  /// What a unit takes on a tile of that size, with one rank at work; with several, where a later one is as large.
  struct TimeOfSize {
    double pixels = 0;
    double log_pixels = 0;  ///< planning would make them a hundred thousand times
    double seconds = 0;
    bool operator==(const TimeOfSize&) const = default;
  };
  [[nodiscard]] double seconds_at(const CellsOfParameter& cells, double pixels, double log_pixels, int ranks) const;
  void add_larger_sizes(std::vector<CellsOfParameter>& points);
  std::vector<TimeOfSize> by_one_thread_;   ///< each CellsOfParameter by size, then ranks
  std::vector<OperatorRow> operator_rows_;  ///< by type, which is compared faster, and key
  ThreadLosses thread_losses_;
  std::vector<NodeSpeed> node_speeds_;
};

/// One raw measurement, kept beside the fitted values.
struct RawSample {
  std::string cell;        ///< which: "send/cc/4096" or "convolve_separable/f32/25/65536"
  int launch = 0;          ///< the run of the benchmark that it belongs to
  std::int64_t order = 0;  ///< when in the run, counted from 0
  double seconds = 0;
  /// Something from outside was seen to disturb it. It counts only where the launch has no other sample of the cell.
  bool disturbed = false;
  bool operator==(const RawSample&) const = default;
};

/// What a calibration yields.
struct Calibration {
  MachineProfile profile;
  std::vector<RawSample> samples;
};

}  // namespace tilewright
