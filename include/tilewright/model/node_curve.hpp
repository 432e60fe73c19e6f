// What a program takes on few and on many nodes, and how many of them pay.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tilewright/core/grid.hpp"

namespace tilewright {

/// The best plan of those who are given so many nodes. It may leave some of them idle, so the time never grows with the
/// nodes; but of a program whose segments decide one after another where images stay, it may.
struct NodePoint {
  int nodes = 1;
  int ranks = 1;  ///< that take part
  ProcessGrid grid;
  std::optional<double> predicted_seconds;  ///< none if the profile does not know the cost of a step
  std::int64_t node_bytes = 0;              ///< peak memory of the fullest node
  bool operator==(const NodePoint&) const = default;
};

/// Points for the counts of nodes that were asked about, or for some of them: nodes ascending, the fewest first. A
/// count for which no plan is possible has none. Without any, each count has to be planned for the whole program.
struct NodeCurve {
  int first = 1;  ///< the fewest nodes that were asked about
  int last = 1;   ///< the most
  int ranks_per_node = 1;
  std::vector<NodePoint> points;
  bool operator==(const NodeCurve&) const = default;
};

/// Hours that so many nodes are taken for.
[[nodiscard]] double node_hours(int nodes, double seconds);
/// Hours that the nodes are taken for, idle ones included. None without a predicted time.
[[nodiscard]] std::optional<double> node_hours(const NodePoint& point);

/// Node-hours of the curve's first point over those of `point`: 1 where all added nodes are worth their time. None
/// without predicted times.
[[nodiscard]] std::optional<double> efficiency(const NodeCurve& curve, const NodePoint& point);

/// What a curve comes to; indices of its points.
struct NodeAdvice {
  /// The knee: the least product of node-hours and time, so the most efficiency for the time; of equal ones the fewest
  /// nodes. (Eager, Zahorjan and Lazowska, Speedup versus efficiency in parallel systems, IEEE Trans. Computers 38(3),
  /// 1989.)
  std::size_t recommended = 0;
  /// The fewest nodes with the least time: more do not pay.
  std::size_t fastest = 0;
};
/// None where a time is not known, or where there is no point.
[[nodiscard]] std::optional<NodeAdvice> advice(const NodeCurve& curve);

/// The counts of `first`..`last` that a curve shows: all if they are at most 16, else the ends, the powers of two and
/// the numbers in the middle between them. Ascending. `first` is 1 or more, `last` not less than it.
[[nodiscard]] std::vector<int> shown_node_counts(int first, int last);

}  // namespace tilewright
