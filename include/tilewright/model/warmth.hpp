// How much less transfers within a node take where the run before has left their memory in the caches.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "tilewright/model/cells.hpp"

namespace tilewright {

/// A run of a pipeline by ranks of one node, which follows another one of the same.
struct RepeatedRun {
  std::int64_t touched_bytes = 0;  ///< by all of them: the memory that it uses, and what the one before has left
  double seconds = 0;
  bool operator==(const RepeatedRun&) const = default;
};

/// A transfer that is measured in small runs, in one of three ways.
enum class Warm : std::uint8_t {
  no,      ///< a run passes more through the caches than they hold
  yes,     ///< it touches a few images, and takes no time
  rested,  ///< the same, and between its transfers ranks wait for `rest_s`
};
/// What others on the machine pass through the last cache meanwhile can be told from that. Seconds.
inline constexpr double rest_s = 2e-3;
/// In images, what the small runs touch by themselves: what is scattered, the tiles, the results and where they go.
inline constexpr std::int64_t images_of_small_run = 5;

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

/// What strangers on the machine pass through its last cache in a second: that by which the cells of small runs after a
/// rest are told best. 0 where there are none. `ranks`: those of a node.
[[nodiscard]] double strangers_bytes_per_s(const std::vector<PathCell>& cells, int ranks);

/// What transfers take by what is in the caches, as the cells of a profile tell.
class Warmth {
 public:
  Warmth() = default;
  /// `cells`: those of small runs, as the machine is now; others do not count.
  Warmth(const std::vector<PathCell>& cells, double strangers_bytes_per_s);

  /// What the cell takes in such a run over what it was measured to take: transfers through shared memory cold,
  /// messages between places that lie in the last cache. 1 of whatever was not measured both ways, and of all other
  /// cells.
  [[nodiscard]] double factor(const PathCell& cell, const RepeatedRun& run) const;

  bool operator==(const Warmth&) const = default;

 private:
  /// Over the cells that are priced.
  struct OfSize {
    double log_bytes = 0;
    double warm = 1;
    double cold = 1;
    bool operator==(const OfSize&) const = default;
  };
  using Row = std::vector<OfSize>;  // of one transfer, ascending
  [[nodiscard]] const Row* row_of(const PathCell& cell) const;

  std::map<std::pair<Path, Layout>, Row> rows_;  ///< by the cold path
  double strangers_bytes_per_s_ = 0;
};

}  // namespace tilewright
