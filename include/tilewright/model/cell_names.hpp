// The names by which raw samples refer to cells: "send/cc/4096", "full/nc/16384/manual/16/4096",
// "within/send/cc/4096" of a message within a node, "convolve_separable/f32/25/65536/8".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/model/machine_profile.hpp"

namespace tilewright {

[[nodiscard]] std::string cell_name(const PathCell& cell);
[[nodiscard]] std::string cell_name(const OperatorCell& cell);

/// The cell of that name, without a time; none if it names no cell of the kind.
[[nodiscard]] std::optional<PathCell> path_cell_named(std::string_view name);
[[nodiscard]] std::optional<OperatorCell> operator_cell_named(std::string_view name);

/// That one of them which has the name; null if none has.
[[nodiscard]] const PathCell* find_cell(const std::vector<PathCell>& cells, std::string_view name);

}  // namespace tilewright
