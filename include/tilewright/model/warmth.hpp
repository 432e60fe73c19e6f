// How much less transfers within a node take where the run before has left their memory in the caches.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "tilewright/model/cells.hpp"

namespace tilewright {

/// What a model says of a scatter by messages that small runs have timed as a whole (Path::message_scatter).
struct PricedScatter {
  std::int64_t bytes = 0;  ///< of its cell
  Packing packing = Packing::datatype;
  double messages_s = 0;
  double copies_s = 0;  ///< what the root keeps it copies
  bool operator==(const PricedScatter&) const = default;
};

/// A run of a pipeline by ranks of one node, which follows another one of the same.
struct RepeatedRun {
  std::int64_t touched_bytes = 0;  ///< by all of them: the memory that it uses, and what the one before has left
  double seconds = 0;
  std::vector<PricedScatter> scatters = {};  ///< with messages as they were measured; without any, they stay so
  int ranks = 1;
  std::int64_t rank_bytes = 0;  ///< tiles and scratch of one of them that is not the root
  bool operator==(const RepeatedRun&) const = default;
};

/// A transfer that is measured in small runs, in one of three ways.
enum class Warm : std::uint8_t {
  no,      ///< a run passes more through the caches than they hold
  yes,     ///< it touches a few images, and takes no time
  rested,  ///< the same, and ranks make tiles of tiles for `rested_run_s`
  spilled  ///< as warm, but that each rank passes `spilling_bytes` before each transfer
};
/// More than the own cache of a core holds, and less than its part of a last cache. Bytes.
inline constexpr std::int64_t spilling_bytes = std::int64_t{4} << 20;
/// What strangers on the machine take out of the caches meanwhile can be told from that. Seconds; as long as many runs.
inline constexpr double rested_run_s = 3e-3;
/// Runs lose nothing to strangers in so many seconds: those of 0.3 to 0.9 ms take what runs take that follow each other
/// at once (docs/design.md).
inline constexpr double lossless_run_s = 0.5e-3;

/// Shorter tiles lie in the caches of single cores, which strangers have no part in, so that a rest tells nothing.
/// Bytes.
inline constexpr std::int64_t shortest_rested = 256 * 1024;
/// Longer ones lie in none of those, whatever has passed. Bytes.
inline constexpr std::int64_t longest_spilled = 1024 * 1024;
/// Results of a small run take the place of what was scattered, and a program holds them until the next run is done, so
/// that so many places take turns.
inline constexpr std::int64_t places_of_small_runs = 2;
/// What each rank has: what was scattered, and what it makes of that.
inline constexpr std::int64_t own_tiles_of_small_run = 2;
/// What a small run touches by itself, a rank, in tiles: its part of the image and of all places, and its own.
inline constexpr std::int64_t tiles_of_small_run = 1 + places_of_small_runs + own_tiles_of_small_run;
/// What is shorter takes what its protocol takes, whatever is in the caches. Bytes.
inline constexpr std::int64_t shortest_warm_message = 16 * 1024;

/// The path that has a transfer so; none of a path that is always measured in one way. `cold`: Path::shared, say.
[[nodiscard]] std::optional<Path> path_of(Path cold, Warm warm);
/// How a path is measured, and which path has it cold: itself, if there is none.
struct WarmPath {
  Path cold = Path::shared;
  Warm warm = Warm::no;
};
[[nodiscard]] WarmPath warm_path(Path path);
[[nodiscard]] bool is_of_small_runs(Path path);

/// What transfers of one run take over what they were measured to take.
class RunWarmth {
 public:
  RunWarmth() = default;
  /// Of a transfer through shared memory, which was measured cold; 1 of one that was not measured both ways, and of all
  /// other cells.
  [[nodiscard]] double factor(const PathCell& cell) const;
  /// Of a message there and back, or in a stream; messages were measured one after another between the same places. Of
  /// one that is not contiguous it is what makes a scatter of about that size take as long as in a small run; of
  /// others, and of packings that small runs have not, how much longer such scatters take than warm ones. 1 of short
  /// ones.
  [[nodiscard]] double factor(const MessageForm& form) const;
  [[nodiscard]] bool tells_of_messages() const { return !other_messages_.sizes.empty(); }

  bool operator==(const RunWarmth&) const = default;

 private:
  friend class Warmth;
  /// Of one transfer.
  struct Row {
    std::vector<std::int64_t> sizes;  ///< ascending
    std::vector<double> factors;
    void add(std::int64_t bytes, double factor);
    /// 1 without any.
    [[nodiscard]] double of(std::int64_t bytes) const;
    bool operator==(const Row&) const = default;
  };

  std::map<CellRow, Row> rows_;  ///< through shared memory; by the cold path
  std::map<Packing, Row> scatters_;
  Row other_messages_;
};

/// What transfers take by what is in the caches, as the cells of a profile tell.
class Warmth {
 public:
  Warmth() = default;
  /// `cells`: those of small runs of so many ranks of a node, as the machine is now, and of what passes through its
  /// caches; others do not count.
  Warmth(const std::vector<PathCell>& cells, int ranks);

  [[nodiscard]] RunWarmth in(const RepeatedRun& run) const;

  bool operator==(const Warmth&) const = default;

 private:
  struct OfSize {
    std::int64_t bytes = 0;
    double warm_s = 0;     ///< no more than cold
    double spilled_s = 0;  ///< from warm to cold
    double cold_s = 0;
    double lost_per_s = 0;  ///< of what the caches still hold, to strangers
    double run_s = 0;       ///< as long is a warm run, in which nothing more is lost
    bool operator==(const OfSize&) const = default;
  };

  [[nodiscard]] double seconds(Path path, const OfSize& size, const RepeatedRun& run) const;
  [[nodiscard]] double spilled(Path path, std::int64_t bytes, const RepeatedRun& run) const;
  [[nodiscard]] double coldness(double touched_bytes, std::int64_t tile_bytes) const;

  std::map<CellRow, std::vector<OfSize>> rows_;  ///< by the cold path; ascending
  int ranks_ = 1;
  /// Half of the memory is found no more after so many bytes: of all ranks in the last cache, and of one in its core's
  /// own. 0 without rows.
  double capacity_ = 0;
  double own_capacity_ = 0;
};

}  // namespace tilewright
