// How operators name their parameters.
#pragma once

#include <span>
#include <string>

#include "tilewright/core/border.hpp"

namespace tilewright {

/// "border=reflect101", or "border=constant, border_value=0".
[[nodiscard]] std::string describe_border(Border border, double border_value);

/// The values themselves if they are few, else their number and fingerprint: "[1, 2, 1]" or "[225 values,
/// #0123456789abcdef]".
[[nodiscard]] std::string describe_values(std::span<const double> values);

}  // namespace tilewright
