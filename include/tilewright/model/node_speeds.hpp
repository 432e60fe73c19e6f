// How fast nodes are beside each other: a profile's costs are those of the slowest.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

struct OperatorCell;

/// Of the slowest node 1; of one that needs half its time 2.
struct NodeSpeed {
  std::string node;  ///< host name
  double speed = 1;
  bool operator==(const NodeSpeed&) const = default;
};

/// The cell in which a profile keeps the seconds that node `number` of the calibration needs for what the slowest node
/// does in one.
[[nodiscard]] OperatorCell node_pace_cell(int number, const std::string& node);
/// The node that such a cell is of; none of another cell.
[[nodiscard]] std::optional<std::string> node_of_pace(const OperatorCell& cell);

/// Of the nodes that have such cells, in the order of their numbers; of a node with several, by the longest. None if
/// they differ by less than a fifth, as nodes do that are alike.
[[nodiscard]] std::vector<NodeSpeed> node_speeds_of(const std::vector<OperatorCell>& cells);

/// 1 for a node that is not among them.
[[nodiscard]] double speed_of(const std::vector<NodeSpeed>& speeds, std::string_view node);

}  // namespace tilewright
